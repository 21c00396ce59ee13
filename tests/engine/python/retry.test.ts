/** Nested settings of an explicit provider, in each form that Python programs write them in. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject } from "../../support/engine";
import { pluginFolder, pythonSdk } from "../../support/plugin";
import { ensureVenv } from "../../support/python";
import { testInAll } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const python = ensureVenv();
const PROGRAM = `
import pulumi
import pulumi_perimeter as perimeter

forms = {
    "dictionary": {"max_attempts": 2, "max_elapsed": "30s", "codes": [418]},
    "arguments": perimeter.RetryArgs(max_attempts=2, max_elapsed="30s", codes=[418]),
    "camel-case": {"maxAttempts": 2, "maxElapsed": "30s", "codes": [418]},
    "output": {"max_attempts": pulumi.Output.from_input(2)},
    "secret": {"max_attempts": pulumi.Output.secret(2)},
    "misspelled": {"max_atempts": 2},
    "both": {"max_attempts": 2, "maxAttempts": 3},
}
for form in pulumi.Config().require("forms").split(","):
    provider = perimeter.Provider(form, project="demo-project", retry=forms[form])
    try:
        perimeter.fleet.v1beta.get_scope(
            location="global", scope_id=form, opts=pulumi.InvokeOptions(provider=provider))
    except Exception as error:
        pulumi.export(form, str(error))
`;

const describeHere = "missing" in python ? describe.skip : describe;
describeHere(`a Python provider's retry${"missing" in python ? ` [skipped: ${python.missing}]` : ""}`, () => {
  let emulator: Emulator;
  let project: EngineProject;
  beforeAll(async () => {
    if ("missing" in python) return;
    emulator = await startEmulator({ seed: demoSeed });
    project = await EngineProject.create({
      program: { "__main__.py": PROGRAM },
      runtime: "python",
      nodeModules: "none",
      path: [pluginFolder(), python.bin],
      env: { ...emulator.env, ...python.env, PYTHONPATH: pythonSdk(python) },
    });
  });
  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  async function preview(forms: readonly string[], options: { fail?: "yes" } = {}) {
    await project.setConfig("sample:forms", forms.join());
    emulator.clearRequests();
    emulator.setFaults([{ times: 0, fault: { status: 503 } }]);
    return project.preview(options);
  }

  test("is applied in each form", async () => {
    const forms = ["dictionary", "arguments", "camel-case", "output", "secret"];
    const { stdout } = await preview(forms);
    for (const form of forms) {
      expect(stdout).toMatch(new RegExp(`HTTP 503, GET \\S+/scopes/${form}\\)`));
      const asked = emulator.requests().filter((each) => each.path.endsWith(`/scopes/${form}`));
      expect([form, asked.length]).toEqual([form, 2]);
    }
  });

  test("is refused once with a suggestion when it is misspelled", async () => {
    const { diagnostics } = await preview(["misspelled"], { fail: "yes" });
    const said = diagnostics.map(({ message }) => message).filter((each) => each.includes("max_atempts"));
    expect(said).toEqual([
      expect.stringMatching(/perimeter:retry\.max_atempts is not a property .*did you mean "maxAttempts"\?/s),
    ]);
    expect(emulator.requests()).toEqual([]);
  });

  // provider/core/config/resolve.test.ts has the rule, and the test above a refusal.
  testInAll("is refused in two spellings", async () => {
    const { messages } = await preview(["both"], { fail: "yes" });
    expect(messages("error", "both").join("\n")).toMatch(/perimeter:retry\.max_attempts .*maxAttempts/s);
  });
});
