/** The lines of programs in a subfolder of a repository, with the positions that the real engine and languages give. */
import { onlyStack, type OneStack } from "../../support/answers";
import * as fs from "node:fs";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { reviewInFolder, reviewStack } from "../../../access";
import { shortNameOf } from "../../../access/result/urn";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost, type ProjectOptions } from "../../support/engine";
import { nodeSdk, pluginFolder, pythonSdk } from "../../support/plugin";
import { FHIR_STORE, PROJECT } from "../../support/programs";
import { ensureVenv } from "../../support/python";
import { skipped } from "../../support/skipped";
import { casesHere, testInAll } from "../../support/test-all";
import { STORE_GRANT } from "../../support/tokens";

jest.setTimeout(ENGINE_TIMEOUT_MS);

interface Language {
  name: string;
  missing: string | undefined;
  options: () => Partial<ProjectOptions>;
  /** The program before and after: it grants to `gone` or to `made`, always to `nurses`, and to `inner` in a component. */
  program: (step: "before" | "after") => Record<string, string>;
  /** By the name of the step. */
  lines: Record<string, object>;
  /** The same of a destroy, where they differ from those before. */
  destroyed: Record<string, object>;
}

const ROLE = "roles/healthcare.fhirStoreViewer";
const python = ensureVenv();

const LANGUAGES: Language[] = [
  {
    name: "TypeScript",
    missing: missingHost("nodejs"),
    options: () => ({ packages: { "@pulumi/perimeter": nodeSdk() } }),
    program: (step) => ({
      "index.ts": `import { grant } from "./lib/grant";
import { Readers } from "./lib/readers";

${step === "before" ? 'grant("gone", "a");' : ""}
grant("nurses", "${step}");
${step === "before" ? "" : "\n\n"}new Readers("readers", "${step}");
${step === "before" ? "" : 'grant("made", "b");'}
`,
      "lib/grant.ts": `import * as pulumi from "@pulumi/pulumi";
import { healthcare } from "@pulumi/perimeter";

export const grant = (name: string, member: string, options?: pulumi.CustomResourceOptions) =>
  new healthcare.v1beta1.DatasetFhirStoreIamMember(
    name,
    { name: "${FHIR_STORE}", role: "${ROLE}", member: \`group:\${member}-\${name}@example.com\` },
    options,
  );
`,
      "lib/readers.ts": `import * as pulumi from "@pulumi/pulumi";
import { grant } from "./grant";

export class Readers extends pulumi.ComponentResource {
  constructor(name: string, member: string) {
    super("my:lib:Readers", name);
    grant("inner", member, { parent: this });
  }
}
`,
    }),
    lines: {
      gone: { file: "infra/lib/grant.ts", line: 5, gone: true },
      made: { file: "infra/lib/grant.ts", line: 5 },
      nurses: { file: "infra/lib/grant.ts", line: 5 },
      inner: { file: "infra/index.ts", line: 8, component: "Readers" },
    },
    destroyed: { inner: { file: "infra/index.ts", line: 6, component: "Readers", gone: true } },
  },
  {
    name: "Python",
    missing: "missing" in python ? python.missing : undefined,
    options: () => {
      if ("missing" in python) throw new Error(python.missing);
      return {
        runtime: "python",
        nodeModules: "none",
        path: [pluginFolder(), python.bin],
        env: { ...python.env, PYTHONPATH: pythonSdk(python) },
      };
    },
    program: (step) => ({
      "__main__.py": `import pulumi
import pulumi_perimeter.healthcare.v1beta1 as healthcare

def grant(name, member, opts=None):
    arguments = {"name": "${FHIR_STORE}", "role": "${ROLE}", "member": f"group:{member}-{name}@example.com"}
    return healthcare.DatasetFhirStoreIamMember(name, opts, **arguments)

class Readers(pulumi.ComponentResource):
    def __init__(self, name, member):
        super().__init__("my:lib:Readers", name)
        grant("inner", member, pulumi.ResourceOptions(parent=self))

${step === "before" ? 'grant("gone", "a")' : 'grant("made", "b")'}
grant("nurses", "${step}")
${step === "before" ? "" : "\n"}Readers("readers", "${step}")
`,
    }),
    lines: {
      gone: { file: "infra/__main__.py", line: 6, gone: true },
      made: { file: "infra/__main__.py", line: 6 },
      nurses: { file: "infra/__main__.py", line: 6 },
      inner: { file: "infra/__main__.py", line: 16, component: "Readers" },
    },
    destroyed: { inner: { file: "infra/__main__.py", line: 15, component: "Readers", gone: true } },
  },
  {
    name: "YAML",
    missing: missingHost("yaml"),
    options: () => ({ nodeModules: "none" }),
    program: (step) => ({
      "Pulumi.yaml": `name: sample
runtime: yaml
resources:
${["nurses", step === "before" ? "gone" : "made", "inner"]
  .map((name) => {
    const member = `group:${step}-${name}@example.com`;
    return `  ${name}:
    type: ${STORE_GRANT}
    properties: { name: "${FHIR_STORE}", role: ${ROLE}, member: "${member}" }
`;
  })
  .join("")}`,
    }),
    lines: {
      made: { file: "infra/Pulumi.yaml", line: 7 },
      nurses: { file: "infra/Pulumi.yaml", line: 4 },
      inner: { file: "infra/Pulumi.yaml", line: 10 },
    },
    destroyed: { inner: { file: "infra/Pulumi.yaml", line: 10, gone: true } },
  },
];

/** A stack trace of Python has the same form (access/plan/source-line.test.ts). */
const here = casesHere(
  LANGUAGES,
  ({ name }) => name !== "Python",
  ({ name }) => `a program in ${name} has the lines of its changes`,
);

describe.each(here)("a program in $name", ({ name, missing, options, program, lines, destroyed }) => {
  let emulator: Emulator;
  let project: EngineProject;
  let folder: string;

  beforeAll(async () => {
    if (missing !== undefined) return;
    emulator = await startEmulator({ seed: demoSeed });
    const { env = {}, ...more } = options();
    project = await EngineProject.create({
      ...{ program: program("before"), path: [pluginFolder()], env: { ...emulator.env, ...env } },
      ...{ config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" }, ...more },
    });
    await project.up();
    project.writeFiles(program("after"));
    // The engine's paths are relative to the project. So the project can become a subfolder of a repository for the review.
    folder = path.join(project.dir, "..", "repository");
    fs.mkdirSync(path.join(folder, ".git"), { recursive: true });
    fs.renameSync(project.dir, path.join(folder, "infra"));
    fs.symlinkSync(path.join(folder, "infra"), project.dir);
  });
  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  const testHere = missing === undefined ? test : test.skip;
  const inFolder = () => ({ ...project.stackOptions, cwd: path.join(folder, "infra") });
  const linesOf = ({ sources = {} }: OneStack) =>
    Object.fromEntries(Object.entries(sources).map(([urn, source]) => [shortNameOf(urn), source]));

  testHere(`has the lines of its changes${skipped(missing)}`, async () => {
    const result = onlyStack(await reviewStack({ ...inFolder(), stack: project.stack }));
    expect(result.summary).toMatchObject({ gained: 3, lost: 3, unknown: 0 });
    expect(linesOf(result)).toEqual(lines);
  });

  // A review reads the lines of all plans and states in the same way. The lines of programs in YAML come from their files.
  const testOne = name === "YAML" ? testHere : testInAll;

  testOne(`has the same lines in a plan that is printed${skipped(missing)}`, async () => {
    const { stdout } = await project.run(["preview", "--json", "--show-sames"], {});
    expect(linesOf(onlyStack(await reviewInFolder({ plan: stdout, ...inFolder() })))).toEqual(lines);
    expect(onlyStack(await reviewInFolder({ plan: stdout, ...inFolder(), cwd: folder })).sources).toBeUndefined();
  });

  testOne(`has the lines of the last update for a destroy${skipped(missing)}`, async () => {
    const result = onlyStack(await reviewStack({ ...inFolder(), stack: project.stack, destroy: true }));
    expect(linesOf(result)).toMatchObject(destroyed);
  });
});
