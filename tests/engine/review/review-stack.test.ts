/** `pulumi-perimeter/review` with the real engine: a stack that it previews itself, and a plan whose stack it finds. */
import { onlyStack, type OneStack } from "../../support/answers";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { accessOfStack, PulumiError, reviewInFolder, reviewStack } from "../../../access";
import { NOT_READ } from "../../../access/result/notes";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { FHIR_STORE, PROJECT } from "../../support/programs";
import { skipped } from "../../support/skipped";
import { casesHere } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;
const SECRETS = ["hidden@example.com", "token-of-stack", "token-of-provider"];
const ROLE = "roles/healthcare.fhirStoreViewer";

const grant = (member: unknown, options?: object) => ({
  type: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
  properties: { name: FHIR_STORE, role: ROLE, member },
  ...(options ? { options } : {}),
});
const program = (resources: object) => ({ "Pulumi.yaml": JSON.stringify({ name: "p", runtime: "yaml", resources }) });

let emulator: Emulator;
let project: EngineProject;

describeHere(`a stack of YAML${skipped(missing)}`, () => {
  beforeAll(async () => {
    emulator = await startEmulator({ seed: demoSeed });
    const emulatorHost = emulator.env.PERIMETER_EMULATOR_HOST ?? "";
    const accessToken = { "fn::secret": "token-of-provider" };
    project = await EngineProject.create({
      program: program({
        nurses: grant("group:nurses@example.com"),
        hidden: grant({ "fn::secret": "user:hidden@example.com" }),
        eu: { type: "pulumi:providers:perimeter", properties: { emulatorHost, accessToken, grantMode: "merge" } },
        audit: grant("group:audit@example.com", { provider: "${eu}" }),
      }),
      config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge", "perimeter:emulatorHost": emulatorHost },
      path: [pluginFolder()],
      nodeModules: "none",
    });
    await project.setConfig("perimeter:accessToken", "token-of-stack", { secret: true });
    await project.up();
  });

  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  const pulumi = () => ({ cwd: project.dir, pulumi: path.join(engine().bin, "pulumi"), environment: project.env });
  const stack = () => ({ ...pulumi(), stack: project.stack });

  function changesOf(result: OneStack): string[] {
    for (const text of SECRETS) expect(JSON.stringify(result)).not.toContain(text);
    return result.resources.flatMap(({ changes }) => changes.map((each) => `${each.change} ${each.principal}`)).sort();
  }

  test("the access of a stack includes access by the policy of the project", async () => {
    const bindings = [{ role: "roles/viewer", members: ["user:auditor@example.com"] }];
    emulator.seed([{ service: "cloudresourcemanager", name: `projects/${PROJECT}`, policy: { bindings } }]);
    const { resources, verdict } = onlyStack(await accessOfStack(stack()));
    expect(resources.map(({ inherited }) => inherited)).toEqual([
      [{ principal: "user:auditor@example.com", role: "roles/viewer", from: `project ${PROJECT}` }],
    ]);
    expect(verdict.exitCode).toBe(0);
  });

  test("for a stack without changes, nobody loses access and nothing is unknown", async () => {
    const result = onlyStack(await reviewStack(stack()));
    expect(changesOf(result)).toEqual([]);
    expect(result).toMatchObject({ operation: "update", stack: "test", project: "p", unknown: [] });
    expect(result.notes).toEqual([NOT_READ]);
    expect(result.verdict.exitCode).toBe(0);
  });

  test("a destroy with targets removes the secret member and the explicit provider's grant", async () => {
    const urn = (name: string) => `urn:pulumi:test::p::perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember::${name}`;
    const args = ["hidden", "audit"].flatMap((name) => ["--target", urn(name)]);
    const result = onlyStack(await reviewStack({ ...stack(), destroy: true, args }));
    expect(result.operation).toBe("destroy");
    expect(changesOf(result)).toEqual(["lost [secret]", "lost group:audit@example.com"]);
    expect(result.summary.unknown).toBe(0);
    expect(result.verdict.exitCode).toBe(2);
  });

  describe("a program that changes", () => {
    let plan: string;
    beforeAll(async () => {
      project.writeFiles(program({ nurses: grant("group:doctors@example.com") }));
      plan = (await project.run(["preview", "--json"])).stdout;
    });

    const CHANGES = [
      "gained group:doctors@example.com",
      "lost group:audit@example.com",
      "lost group:nurses@example.com",
    ];

    test("a plan is reviewed with the state and the settings that are read from its stack", async () => {
      const result = onlyStack(await reviewInFolder({ plan, ...pulumi() }));
      expect(changesOf(result)).toEqual([...CHANGES, "lost [secret]"].sort());
      expect(result.summary.unknown).toBe(0);
    });

    test("in another folder, the review says that the state is missing and what is unknown", async () => {
      const result = onlyStack(await reviewInFolder({ plan, ...pulumi(), cwd: path.parse(project.dir).root }));
      expect(changesOf(result)).toEqual(CHANGES);
      const codes = result.resources.flatMap(({ unknown }) => unknown.map(({ code }) => code));
      expect(codes).toEqual(["secret"]);
      const message = expect.stringMatching(/the project p of the plan is not in this folder$/);
      expect(result.unknown).toMatchObject([{ code: "incomplete state", message }]);
    });
  });

  test("the review of a program that fails is unknown, with exit code 3", async () => {
    project.writeFiles(program({ nurses: grant("${nowhere.x}") }));
    const { unknown, verdict } = onlyStack(await reviewStack(stack()));
    expect(unknown).toMatchObject([
      {
        code: "incomplete plan",
        message: expect.stringMatching(/: Error: .*"nowhere" not found on Pulumi.yaml line 1: /) as string,
        quoted: expect.stringMatching(/^Error: .*"nowhere" not found on Pulumi.yaml line 1: /) as string,
      },
    ]);
    expect(verdict.exitCode).toBe(3);
  });

  test.each([
    ["a stack that is not there", () => ({ ...stack(), stack: "nowhere" }), /no stack named 'nowhere' found/],
    [
      "a key service that does not answer",
      () => ({ ...stack(), environment: { ...project.env, VAULT_SERVER_URL: "http://127.0.0.1:9" } }),
      /dial tcp 127\.0\.0\.1:9: connect: connection refused/,
    ],
    ["an option that Pulumi does not know", () => ({ ...stack(), args: ["--nonsense"] }), /unknown flag: --nonsense/],
  ])("%s is an error with Pulumi's own words", async (_what, options, message) => {
    const failed = reviewStack(options());
    await expect(failed).rejects.toThrow(PulumiError);
    await expect(failed).rejects.toThrow(message);
  });
});

describe("a program that cannot run names its stack and the cause", () => {
  const main = JSON.stringify({ name: "x", main: "index.js" });
  const deep = "function a(n) { if (n > 0) a(n - 1); else throw new Error('the cause'); }\na(20);";
  const programs = [
    [
      "nodejs",
      "has no SDK",
      { "package.json": main, "index.js": "require('@pulumi/pulumi');" },
      "has not been installed",
    ],
    ["nodejs", "throws", { "package.json": main, "index.js": deep }, "Error: the cause"],
    ["python", "has no SDK", { "__main__.py": "import pulumi_gcp\n" }, "has not been installed"],
  ] as const;
  /** What an engine says of a program that cannot run is read in the same way for all languages. */
  const here = casesHere(
    programs.filter(([runtime]) => missingHost(runtime) === undefined),
    ([, what]) => what === "throws",
    ([runtime, what]) => `${runtime}, where it ${what}`,
  );
  (here.length > 0 ? test.each(here) : test.skip.each(programs))(
    "%s, where it %s",
    async (runtime, what, files, cause) => {
      const own = await EngineProject.create({
        program: { "Pulumi.yaml": `name: shop\nruntime: ${runtime}\n`, ...files },
        ...(what === "throws" ? {} : { nodeModules: "none" }),
      });
      try {
        const pulumi = { cwd: own.dir, pulumi: path.join(engine().bin, "pulumi"), environment: own.env };
        const result = onlyStack(await reviewStack({ ...pulumi, stack: own.stack }));
        expect(result).toMatchObject({ project: "shop", stack: own.stack, verdict: { exitCode: 3 } });
        expect(result.unknown).toEqual([
          expect.objectContaining({ code: "incomplete plan", quoted: expect.stringContaining(cause) as string }),
        ]);
      } finally {
        await own.dispose();
      }
    },
  );
});
