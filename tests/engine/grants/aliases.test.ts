/** Members that the cloud stores under another name, on the real engine: what each form of the provider says and removes. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { grantsOf, type Policy } from "../../../provider/iam/policy";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { packedPackage } from "../../support/pack";
import { PLUGIN_FORMS, pluginFolder } from "../../support/plugin";
import {
  declaring,
  declaringInYaml,
  fhirGrant,
  FHIR_STORE,
  JAVASCRIPT,
  PROJECT,
  resourcesFile,
  TRIGGER,
  type Declared,
} from "../../support/programs";
import { casesHere, leftOut, testInAll } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const ALIAS = "user:alias@example.com";
const PRIMARY = "user:primary@example.com";
const OTHER = "user:other@example.com";
const memberAliases = { "alias@example.com": "primary@example.com" };

const declared = (member: string): Record<string, Declared> => ({
  grant: fhirGrant({ member }),
  binding: {
    type: "eventing.v1.TriggerIamBinding",
    args: { name: TRIGGER, role: "roles/eventarc.viewer", members: [OTHER, member] },
  },
});

/** Both forms of the plugin have the same code for members; tests/lifecycle/grants/aliases.test.ts has each case of it. */
const FORMS = casesHere([...PLUGIN_FORMS, "the npm package"] as const, (form) => form !== "the script for Node.js");
const missing = missingHost("yaml");

describe.each(FORMS)("a member with another name in the cloud, with %s", (form) => {
  const isNpm = form === "the npm package";
  const testHere = isNpm || missing === undefined ? test : test.skip;
  /** The npm package has the same code below its front. Its first test has the failure, the state and the delete of this front. */
  const testOfPlugin = isNpm ? testInAll : testHere;
  const programOf = isNpm ? declaring : declaringInYaml;
  let emulator: Emulator;
  let project: EngineProject;

  beforeAll(async () => {
    emulator = await startEmulator({ seed: demoSeed });
    const resources = declared(ALIAS);
    project = await EngineProject.create({
      program: { "package.json": JSON.stringify({ name: "sample", main: "index.js" }), ...programOf(resources) },
      config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
      env: emulator.env,
      ...(isNpm
        ? { runtime: JAVASCRIPT, nodeModules: packedPackage().nodeModules }
        : { path: [pluginFolder(form)], nodeModules: "none" }),
    });
  });
  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  const declare = (member: string) =>
    project.writeFiles(isNpm ? resourcesFile(declared(member)) : declaringInYaml(declared(member)));
  /** Who of the program's members has a role. */
  const members = () =>
    [FHIR_STORE, TRIGGER].map((name) =>
      grantsOf(policyOf(name)).flatMap(({ member }) => ([ALIAS, PRIMARY, OTHER].includes(member) ? member : [])),
    );
  const policyOf = (name: string) => (emulator.resource(name)?.policy ?? {}) as Policy;

  testHere("fails with the primary name, keeps what was stored in the state, and needs only this name", async () => {
    emulator.configure({ memberAliases });
    const { messages } = await project.up({ fail: "yes" });
    for (const name of ["grant", "binding"]) {
      expect(messages("error", name).join("\n")).toContain(`stored ${PRIMARY} in place of ${ALIAS}`);
    }
    expect(members()).toEqual([[PRIMARY], [OTHER, PRIMARY]]);
    declare(PRIMARY);
    await project.up();
    // The plugin's case has it: a repeated update takes the npm package three times as long.
    if (!isNpm || leftOut === undefined) {
      expect((await project.up({ args: ["--refresh", "--expect-no-changes"] })).changes).toEqual({});
    }
    await project.destroy();
    expect(members()).toEqual([[], []]);
  });

  testOfPlugin("is removed under its primary name by a destroy after the failure", async () => {
    emulator.configure({ memberAliases });
    declare(ALIAS);
    await project.up({ fail: "yes" });
    await project.destroy();
    expect(members()).toEqual([[], []]);
  });

  testOfPlugin(
    "of an older state: a refresh and a destroy say that the policy has not got it, and who may have the role",
    async () => {
      emulator.configure({ memberAliases: {} });
      declare(ALIAS);
      await project.up();
      for (const name of [FHIR_STORE, TRIGGER]) {
        const policy = emulator.resource(name)?.policy;
        emulator.mutate(name, { policy: JSON.parse(JSON.stringify(policy).replace(ALIAS, PRIMARY)) as object });
      }
      const review = (await project.preview({ refresh: true })).stdout;
      expect(review).toContain("The refresh drops this grant from the state");
      const { stdout } = await project.destroy();
      expect(stdout).toContain("This delete of a grant removes nothing");
      expect(stdout).toContain("This delete of a binding does not find all of its members");
      expect(members()).toEqual([[PRIMARY], [PRIMARY]]);
    },
  );
});
