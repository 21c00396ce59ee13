/** The Python of the documents: all is compiled, and programs with resources also run, with the SDK and Pulumi's mocks. */
import { spawnSync } from "node:child_process";
import * as path from "node:path";
import { ENGINE_TIMEOUT_MS, repositoryRoot } from "../../support/engine";
import { pythonSdk } from "../../support/plugin";
import { ensureVenv } from "../../support/python";
import { placeOf, snippetsOf, type Snippet } from "../../support/snippets";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const SCHEMA = path.join(repositoryRoot, "sdk/schema.json");
const python = ensureVenv();
const testHere = "missing" in python ? test.skip : test;
const reason = "missing" in python ? ` [skipped: ${python.missing}]` : "";
const pythonSnippets = snippetsOf(repositoryRoot).snippets.filter(({ kind }) => kind === "python");

testHere(`the snippets run${reason}`, () => {
  expect(problemsOf(pythonSnippets)).toEqual([]);
});

testHere(`a mistake in a program is found${reason}`, () => {
  const program = (text: string): Snippet => ({
    page: "page.md",
    line: 1,
    kind: "python",
    fragment: false,
    needs: [],
    text,
  });
  const imports = "import pulumi_perimeter as perimeter\n";
  expect(
    problemsOf([
      program("x = = 1\n"),
      program(`${imports}perimeter.fleet.v1beta.get_scope_output(scope="team-a")\n`),
      program(`${imports}perimeter.fleet.v1.get_scope_output(location="global", scope_id="team-a")\n`),
    ]),
  ).toEqual([
    expect.stringMatching(/^page.md:1 SyntaxError/),
    expect.stringMatching(/^page.md:1 TypeError.*scope/),
    expect.stringMatching(/^page.md:1 AttributeError.*v1/),
  ]);
});

/** One process for all snippets: it takes a second to load the SDK. */
function problemsOf(snippets: readonly Snippet[]): string[] {
  if ("missing" in python) return [];
  const given = snippets.map((snippet) => ({ ...snippet, place: placeOf(snippet) }));
  const { stdout, stderr, status } = spawnSync(python.python, [path.join(__dirname, "run-snippets.py"), SCHEMA], {
    input: JSON.stringify(given),
    encoding: "utf8",
    env: { ...python.env, PATH: python.bin, PYTHONPATH: pythonSdk(python) },
  });
  if (status !== 0) throw new Error(`run-snippets.py failed:\n${stderr}`);
  return JSON.parse(stdout) as string[];
}
