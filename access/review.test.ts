import { byEffect, onlyStack, type OneStack } from "../tests/support/answers";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../emulator";
import { ConfigurationError } from "../provider/core/errors";
import { review, type ReviewOptions, type ReviewPolicy } from ".";
import { answerSchema } from "./result/result";

const folder = path.join(__dirname, "../tests/fixtures/plans");
const fixture = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");
const STORE = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ seed: demoSeed });
});
afterAll(() => emulator.stop());

/** The text with the emulator of this test in place of the one that was there when the fixture was made. */
const here = (text: string) => text.replaceAll("127.0.0.1:8787", emulator.env.PERIMETER_EMULATOR_HOST ?? "");

async function reviewed(options: ReviewOptions): Promise<OneStack> {
  const configuration = { emulatorHost: emulator.env.PERIMETER_EMULATOR_HOST };
  return onlyStack(answerSchema.parse(await review({ configuration, environment: {}, ...options })));
}

test("a plan becomes a complete result", async () => {
  const result = await reviewed({ plan: fixture("update.json") });
  expect(result).toMatchObject({ version: 1, operation: "update", stack: "test", project: "p" });
  const [store] = result.resources;
  expect(store).toMatchObject({ resource: STORE, kind: "a FHIR store", api: "healthcare" });
  const gained = store?.changes.filter(({ change }) => change === "gained").map(({ principal }) => principal);
  expect(gained).toEqual(expect.arrayContaining(["user:other@example.com", "[secret]", "group:moved@example.com"]));
  expect(result.unknown).toContainEqual(expect.objectContaining({ code: "incomplete state" }));
  expect(result.verdict.exitCode).toBe(3);
});

test("names the lines of the program if the folder has the plan's project", async () => {
  const cwd = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-review-"));
  try {
    const program =
      'name: p\nruntime: yaml\nresources:\n  newsec: { type: "perimeter:healthcare:DatasetFhirStoreIamMember" }\n';
    fs.writeFileSync(path.join(cwd, "Pulumi.yaml"), program);
    const result = await reviewed({ plan: fixture("update.json"), cwd });
    const urn = "urn:pulumi:test::p::perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember::newsec";
    expect(result.sources).toEqual({ [urn]: { file: "Pulumi.yaml", line: 4 } });
    const { sources, ...rest } = result;
    expect(sources).toBeDefined();
    expect(await reviewed({ plan: fixture("update.json") })).toEqual(rest);
  } finally {
    fs.rmSync(cwd, { recursive: true });
  }
});

test("reads the policies above the resources once, and their grants count as access", async () => {
  const lost = "group:gone@example.com";
  const bindings = [{ role: "roles/viewer", members: [lost] }];
  emulator.seed([{ service: "cloudresourcemanager", name: "projects/demo-project", policy: { bindings } }]);
  emulator.mutate(STORE, {
    policy: { bindings: [{ role: "roles/healthcare.fhirStoreViewer", members: [lost, "group:moved@example.com"] }] },
  });
  try {
    emulator.clearRequests();
    const { resources } = await reviewed({ plan: fixture("update.json") });
    expect(resources[0]?.inherited).toEqual([{ principal: lost, role: "roles/viewer", from: "project demo-project" }]);
    expect(resources[0]?.noAccessLeft).not.toContain(lost);
    expect(resources[0]?.changes).toContainEqual(expect.objectContaining({ change: "lost", principal: lost }));
    const ids = emulator.requests().map(({ id }) => id);
    expect(ids.filter((id) => id === "cloudresourcemanager.projects.getIamPolicy")).toHaveLength(1);
    expect(ids.filter((id) => id?.endsWith("setIamPolicy"))).toEqual([]);
    const direct = await reviewed({ plan: fixture("update.json"), inherited: false });
    expect(direct.resources[0]?.noAccessLeft).toContain(lost);
    expect(direct.notes.join()).toContain("Only direct grants are reviewed");
  } finally {
    emulator.reset();
  }
});

test("a failed preview is reviewed up to its failure, and never ends with exit code 0", async () => {
  for (const name of ["failed.json", "failed-yaml.json"]) {
    const { unknown, summary, verdict } = await reviewed({ plan: fixture(name) });
    expect(unknown).toContainEqual(expect.objectContaining({ code: "incomplete plan" }));
    expect(summary.unknown).toBeGreaterThan(0);
    expect(verdict.exitCode).toBe(3);
  }
});

test("a plan that deletes the stack is reviewed as that of a destroy, whether somebody says so or not", async () => {
  const state = here(fixture("state.json"));
  const plan = fixture("destroy.json");
  const [said, found] = [await reviewed({ plan, state, destroy: true }), await reviewed({ plan, state })];
  const essence = ({ operation, resources, unknown, verdict }: OneStack) => ({
    operation,
    changes: resources.map(({ changes }) => changes),
    unknown: unknown.map(({ code }) => code),
    exitCode: verdict.exitCode,
  });
  expect(found.operation).toBe("destroy");
  expect(essence(found)).toEqual(essence(said));
});

test("a plan of one delete alone is known with the state of its stack, if no other resource has the grant", async () => {
  const grant = (name: string, member: string) => {
    const type = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";
    const inputs = { name: STORE, role: "roles/healthcare.fhirStoreViewer", member };
    return { urn: `urn:pulumi:s::p::${type}::${name}`, type, custom: true, id: name, inputs, outputs: inputs };
  };
  const binding = { role: "roles/healthcare.fhirStoreViewer", members: ["user:a@x.y", "user:b@x.y"] };
  emulator.mutate(STORE, { policy: { bindings: [binding] } });
  const [gone, kept, twin] = [grant("gone", "user:a@x.y"), grant("kept", "user:b@x.y"), grant("twin", "user:a@x.y")];
  const answer = async (...resources: object[]) => {
    const steps = [{ op: "delete", urn: gone.urn, oldState: gone }];
    const plan = JSON.stringify({ steps, changeSummary: { delete: 1, same: resources.length } });
    const {
      verdict,
      unknown,
      resources: found,
    } = await reviewed({
      plan,
      state: JSON.stringify({ version: 3, deployment: { resources: [gone, ...resources] } }),
      rules: { allowLoss: ["user:a@x.y"] },
    });
    return [
      verdict.exitCode === 0,
      [...unknown, ...found.flatMap((each) => each.unknown)].map(({ message }) => message),
    ];
  };
  expect(await answer(kept)).toEqual([true, []]);
  expect(await answer(kept, twin)).toEqual([
    false,
    [expect.stringMatching(/unknown whether the delete of gone .*--show-sames/)],
  ]);
  emulator.reset();
});

test("a plan without grants has only a note about this", async () => {
  const step = { op: "delete", urn: "urn:pulumi:s::p::random:index/randomPet:RandomPet::x" };
  const state = JSON.stringify({ version: 3, deployment: { resources: [] } });
  const result = await reviewed({ plan: JSON.stringify({ steps: [step] }), state });
  expect(result).toMatchObject({ resources: [], unknown: [], verdict: { exitCode: 0 } });
  expect(result.notes).toEqual([
    "The plan has no step on a grant that this review follows",
    expect.stringMatching(/^Not read: /),
  ]);
});

test("the rules of the caller decide the verdict", async () => {
  const policy: ReviewPolicy = { version: 1, mayGain: [], unknown: "allow" };
  const { verdict } = await reviewed({ plan: fixture("update.json"), rules: { policy } });
  expect(verdict.exitCode).toBe(2);
  expect(new Set(byEffect(verdict).violations.map(({ rule }) => rule))).toEqual(new Set(["mayGain"]));
});

describe("secrets", () => {
  const state = fixture("state-with-secrets.json");
  const TEXTS = ["hidden@example.com", "othersecret-token", "topsecret-token"];
  interface Exported {
    deployment: { resources: { urn: string; type: string; inputs: object; outputs: object; provider?: string }[] };
  }
  const { deployment } = JSON.parse(state) as Exported;
  /** A plan that deletes the grant whose member is secret, as the engine prints it. */
  const plan = () => {
    const old = deployment.resources.find(({ urn }) => urn.endsWith("::s"));
    if (!old) throw new Error("the state has no secret grant");
    const member = "[secret]";
    const oldState = { ...old, inputs: { ...old.inputs, member }, outputs: { ...old.outputs, member } };
    const config = { "perimeter:accessToken": "[secret]", "perimeter:project": "demo-project" };
    return JSON.stringify({
      config,
      steps: [{ op: "delete", urn: old.urn, provider: old.provider, oldState }],
      changeSummary: {},
    });
  };

  test("are used if the state shows them, and are in no result", async () => {
    expect(TEXTS.every((text) => state.includes(text))).toBe(true);
    const url = `http://${emulator.env.PERIMETER_EMULATOR_HOST}/v1beta1/${STORE}`;
    const before = { bindings: [{ role: "roles/healthcare.fhirStoreViewer", members: ["user:hidden@example.com"] }] };
    const headers = { authorization: "Bearer t", "content-type": "application/json" };
    const written = await fetch(`${url}:setIamPolicy`, {
      method: "POST",
      headers,
      body: JSON.stringify({ policy: before }),
    });
    expect(written.status).toBe(200);
    const configuration = { "perimeter:accessToken": "othersecret-token" };
    const result = onlyStack(
      await review({ plan: plan(), destroy: true, state: here(state), configuration, environment: {} }),
    );
    expect(result.resources[0]?.changes).toEqual([
      expect.objectContaining({ change: "lost", principal: "[secret]", hidden: "secret", wasManaged: true }),
    ]);
    expect(result.verdict.exitCode).toBe(2);
    for (const text of TEXTS) expect(JSON.stringify(result)).not.toContain(text);
  });

  test("are reported as unknown if the state hides them", async () => {
    const { resources, verdict } = await reviewed({ plan: plan() });
    expect(resources[0]?.unknown).toContainEqual(expect.objectContaining({ code: "secret" }));
    expect(verdict.exitCode).toBe(3);
  });

  test("are in no error", async () => {
    const configuration = { "perimeter:accessToken": "othersecret-token", "perimeter:grantMode": "sometimes" };
    const failed = review({ plan: fixture("update.json"), configuration, environment: {} });
    await expect(failed).rejects.toThrow(ConfigurationError);
    await expect(failed).rejects.toThrow(/perimeter:grantMode must be one of replace, merge/);
    await expect(failed).rejects.not.toThrow(/othersecret-token/);
  });

  test("are in no error that quotes a secret setting of the stack", async () => {
    const secretMode = fixture("update.json").replace(
      '"perimeter:grantMode": "merge"',
      '"perimeter:grantMode": "[secret]"',
    );
    expect(secretMode).not.toBe(fixture("update.json"));
    const failed = review({ plan: secretMode, configuration: { "perimeter:grantMode": "sometimes" }, environment: {} });
    await expect(failed).rejects.toThrow(/perimeter:grantMode must be one of replace, merge/);
    await expect(failed).rejects.not.toThrow(/sometimes/);
  });
});

test("reviews 10,000 steps", async () => {
  const { steps, ...rest } = JSON.parse(fixture("update.json")) as { steps: { urn: string }[] };
  const others = Array.from({ length: 9_990 }, (_, at) => ({
    op: "create",
    urn: `urn:pulumi:test::p::gcp:projects/iAMMember:IAMMember::${at}`,
  }));
  const { summary } = await reviewed({ plan: JSON.stringify({ ...rest, steps: [...steps, ...others] }) });
  expect(summary.unknown).toBeGreaterThanOrEqual(9_990);
});
