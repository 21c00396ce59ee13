/**
 * The Go of the documents: programs pass `go vet` in one module with the SDK, fragments are Go by gofmt. Packages that are not
 * installed here are in absent-go/, as far as the documents use them.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { SDK_FOLDERS } from "../../../tools/generate/sdk";
import { ENGINE_TIMEOUT_MS, repositoryRoot } from "../../support/engine";
import { goEnvironment, goProcessEnv } from "../../support/go";
import { placeOf, snippetsOf, type Snippet } from "../../support/snippets";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const go = goEnvironment();
const testHere = "missing" in go ? test.skip : test;
const reason = "missing" in go ? ` [skipped: ${go.missing}]` : "";
const EXAMPLE = path.join(repositoryRoot, "examples/firewall-go");
/** Pulumi's Google Cloud SDK, which documents show beside this one. */
const ABSENT = "github.com/pulumi/pulumi-gcp/sdk/v9";
const goSnippets = snippetsOf(repositoryRoot).snippets.filter(({ kind }) => kind === "go");

let goModule: string;
beforeAll(() => {
  goModule = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-snippets-")));
  const manifest = fs.readFileSync(path.join(EXAMPLE, "go.mod"), "utf8");
  const sdk = path.join(repositoryRoot, SDK_FOLDERS.go);
  const [version = ""] = /^go \S+$/m.exec(manifest) ?? [];
  const [pulumi = ""] = /\sgithub.com\/pulumi\/pulumi\/sdk\/v3 \S+/.exec(manifest) ?? [];
  const absent = path.join(goModule, "absent");
  fs.cpSync(path.join(__dirname, "absent-go"), absent, { recursive: true });
  fs.writeFileSync(path.join(absent, "go.mod"), `module ${ABSENT}\n\n${version}\n\nrequire${pulumi}\n`);
  fs.writeFileSync(
    path.join(goModule, "go.mod"),
    `${manifest.replace(`../../${SDK_FOLDERS.go}`, sdk)}\nrequire ${ABSENT} v9.0.0\n\nreplace ${ABSENT} => ${absent}\n`,
  );
  fs.copyFileSync(path.join(EXAMPLE, "go.sum"), path.join(goModule, "go.sum"));
});
afterAll(() => fs.rmSync(goModule, { recursive: true, force: true }));

testHere(`the snippets compile${reason}`, () => {
  expect(problemsOf(goSnippets)).toBe("");
});

testHere(`a mistake is found${reason}`, () => {
  const snippet = (line: number, fragment: boolean, text: string): Snippet => ({
    page: "page.md",
    line,
    kind: "go",
    fragment,
    needs: [],
    text,
  });
  const program = 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Prinln() }\n';
  expect(problemsOf([snippet(1, false, program)])).toMatch(/page-md-1.*undefined: fmt.Prinln/s);
  expect(problemsOf([snippet(2, true, "x := := 1\n")])).toMatch(/page.md:2/);
});

/** The output of `go vet` and `gofmt`; empty without problems. */
function problemsOf(snippets: readonly Snippet[]): string {
  if ("missing" in go) return "";
  const programs = snippets.filter(({ fragment }) => !fragment);
  const folders = programs.map((snippet) => {
    const folder = placeOf(snippet).replace(/\W+/g, "-");
    fs.mkdirSync(path.join(goModule, folder));
    fs.writeFileSync(path.join(goModule, folder, "main.go"), snippet.text);
    return `./${folder}`;
  });
  const said = folders.length > 0 ? [run("go", ["vet", ...folders])] : [];
  for (const fragment of snippets.filter((each) => each.fragment)) {
    const problem = run("gofmt", ["-e"], fragment.text);
    if (problem !== "") said.push(`${placeOf(fragment)} ${problem}`);
  }
  return said.join("\n").trim();
}

/** @returns the command's standard error */
function run(command: string, args: readonly string[], input?: string): string {
  if ("missing" in go) return "";
  const options = { cwd: goModule, env: goProcessEnv(go), input, encoding: "utf8" } as const;
  return spawnSync(path.join(go.bin, command), args, options).stderr;
}
