/** The commands of docs/review-ci.md that make the files of a release in a clone, and what the jobs do with these files. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { VERSION } from "../../provider/version";
import { repositoryRoot } from "../support/engine";

let work: string;
let clone: string;
beforeAll(() => {
  work = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-before-release-"));
  clone = path.join(work, "clone");
  fs.cpSync(path.join(repositoryRoot, "ci"), path.join(clone, "ci"), { recursive: true });
  fs.copyFileSync(path.join(repositoryRoot, ".gitignore"), path.join(clone, ".gitignore"));
  shell(`git init --quiet . && git add --all && git -c user.name=a -c user.email=a@example.com commit --quiet -m c`);
});
afterAll(() => fs.rmSync(work, { recursive: true }));

/** Runs commands in the clone, with executables that print their platform in place of those that make builds. */
function shell(script: string, more: Record<string, string> = {}): string {
  const make =
    'make() { for each in linux-x64 linux-arm64; do mkdir -p bin/$each; file=bin/$each/pulumi-resource-perimeter; printf "#!/bin/sh\\necho $each\\n" >$file; chmod +x $file; done; }';
  return execFileSync("bash", ["-ec", `${make}\n${script}`], {
    cwd: clone,
    env: { PATH: process.env.PATH, HOME: work, ...more },
    encoding: "utf8",
  });
}

test("they leave nothing that git sees, can be pasted twice, and make what the jobs download, for both processors", () => {
  const page = fs.readFileSync(path.join(repositoryRoot, "docs/review-ci.md"), "utf8");
  const [, script = ""] = /^## Before the release\n[^]*?```sh\n([^]*?)```/m.exec(page) ?? [];
  expect(script).toContain(`release/v${VERSION}/perimeter-v${VERSION}-linux-`);
  shell(script);
  expect(shell(`${script}\ngit status --porcelain`)).toBe("");
  for (const [machine, built] of [
    ["x86_64", "linux-x64"],
    ["aarch64", "linux-arm64"],
  ] as const) {
    const bin = path.join(work, machine);
    fs.mkdirSync(bin);
    const uname = `#!/bin/sh\nif [ "$1" = -m ]; then echo ${machine}; else echo Linux; fi\n`;
    fs.writeFileSync(path.join(bin, "uname"), uname, { mode: 0o755 });
    // As the template gets the script.
    const installed = shell('sh release/v*/install.sh "$HOME/a folder" && "$HOME/a folder/perimeter"', {
      PATH: `${bin}:${process.env.PATH}`,
      PERIMETER_RELEASES: `file://${clone}/release`,
    });
    expect(installed).toBe(`${built}\n`);
  }
});
