/** The script of docs/review-github.md that names the stacks of the projects that a branch changes. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { repositoryRoot } from "../support/engine";

const PROJECTS = ["a[1]/Pulumi.json", "café/Pulumi.yaml", "infra/a b/Pulumi.yml", "infra/prod/Pulumi.yaml"];
const ALL = PROJECTS.map((file) => `${path.dirname(file)}/prod`);
/** A branch never reviews one stack alone, whose comment would be another one than that of several. */
const FIRST = "a[1]/prod";

/** The script, followed by a command that prints the stacks, one on each line. */
function script(): string {
  const page = fs.readFileSync(path.join(repositoryRoot, "docs/review-github.md"), "utf8");
  const [, step = ""] = /```yaml fragment\n(- id: changed\n.*?)```/s.exec(page) ?? [];
  const [{ run }] = z.tuple([z.object({ run: z.string() })], z.unknown()).parse(parse(step));
  return `${run}\ngrep -v '^stacks<<EOF$\\|^EOF$' "$GITHUB_OUTPUT"`;
}

let folder: string;
beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-changed-stacks-"))));
afterEach(() => fs.rmSync(folder, { recursive: true }));

function write(...files: string[]): void {
  for (const file of files) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.appendFileSync(path.join(folder, file), "\n");
  }
}

function shell(script: string, more: Record<string, string> = {}): string {
  const env = { PATH: process.env.PATH, GITHUB_BASE_REF: "main", GITHUB_OUTPUT: path.join(folder, ".output"), ...more };
  const args = ["-e", "-o", "pipefail", "-c", script];
  return execFileSync("bash", args, { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

const COMMIT = "git add --all && git -c user.name=a -c user.email=a@example.com commit --quiet --message c";

describe("the script names", () => {
  const named = (more?: Record<string, string>) => shell(script(), more).trimEnd().split("\n");

  test.each<[string, string[], string[]]>([
    [
      "the stack of a project that the branch changes, and another",
      ["infra/prod/index.ts"],
      ["infra/prod/prod", FIRST],
    ],
    ["a folder with an accent", ["café/Pulumi.yaml"], ["café/prod", FIRST]],
    ["a folder with a space, and the file Pulumi.yml", ["infra/a b/x/index.ts"], ["infra/a b/prod", FIRST]],
    ["a folder with a character of patterns", ["a[1]/index.ts"], [FIRST, "café/prod"]],
    ["several", ["café/index.ts", "infra/prod/index.ts"], ["café/prod", "infra/prod/prod"]],
    ["what is changed beside a text", ["café/index.ts", "README.md"], ["café/prod", FIRST]],
    ["all, if only code outside of the projects changes", ["lib/grants.ts"], ALL],
    ["all, if code outside of the projects changes, too", ["lib/grants.ts", "café/index.ts"], ALL],
    ["all, if no project changes", ["README.md"], ALL],
  ])("%s", (_title, changed, stacks) => {
    write(...PROJECTS, "lib/grants.ts", "README.md");
    shell(`git init --quiet . && ${COMMIT} && git update-ref refs/remotes/origin/main HEAD`);
    write(...changed);
    shell(COMMIT);
    expect(named()).toEqual(stacks);
  });

  test("what the branch changes, and not what changes since a tag with the name of the target", () => {
    write(...PROJECTS);
    shell(`git init --quiet . && ${COMMIT} && git update-ref refs/remotes/origin/main HEAD`);
    write("café/index.ts");
    shell(`${COMMIT} && git tag origin/main`);
    write("infra/prod/index.ts");
    shell(COMMIT);
    expect(named()).toEqual(["café/prod", "infra/prod/prod"]);
  });

  test("the stack of the only project", () => {
    write("Pulumi.yaml", "index.ts");
    shell(`git init --quiet . && ${COMMIT} && git update-ref refs/remotes/origin/main HEAD`);
    write("index.ts");
    shell(COMMIT);
    expect(named()).toEqual(["./prod"]);
  });

  test("all, if git cannot tell what the branch changes", () => {
    write(...PROJECTS);
    shell(`git init --quiet . && ${COMMIT}`);
    expect(named({ GITHUB_BASE_REF: "" })).toEqual(ALL);
  });
});
