import { answerWith, onlyStack, type OneStack } from "../tests/support/answers";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { demoSeed, startEmulator, type Emulator } from "../emulator";
import { htmlPage } from "./formats/html";
import { markdownText } from "./formats/markdown";
import { terminalText } from "./formats/terminal";
import { access, accessOfStack, readStackAccess } from "./access";
import { pulumiAnswering } from "../tests/support/fake-pulumi";
import { ScriptedServer } from "../tests/support/scripted-server";
import { shownSecret } from "../tests/support/state";

const AT = "projects/demo-project/locations/us-central1";
const TRIGGER = `${AT}/triggers/orders`;
const STORE = `${AT}/datasets/clinic/fhirStores/records`;

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ seed: demoSeed });
});
afterEach(() => emulator.stop());

const look = async (resources: string[], earlier?: OneStack) =>
  onlyStack(
    await access({ resources, environment: emulator.env, ...(earlier ? { earlier: answerWith(earlier) } : {}) }),
  );

/** A new folder with a command `pulumi` that prints these answers. */
function pulumiWith(answers: object): { folder: string; pulumi: string } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-access-"));
  return { folder, pulumi: pulumiAnswering(folder, answers) };
}

test("lists who has access, by name of the resource", async () => {
  const result = await look([TRIGGER, STORE, `//eventarc.googleapis.com/${TRIGGER}`]);
  expect(result).toMatchObject({
    operation: "access",
    summary: { unchanged: 7, unknown: 0 },
    verdict: { exitCode: 0 },
  });
  expect(result.resources.map(({ resource }) => resource)).toEqual([STORE, TRIGGER]);
  expect(result.resources[1]?.after).toEqual([
    { role: "roles/eventarc.viewer", members: ["group:platform@example.com", "user:ada@example.com"] },
    { role: "roles/eventarc.admin", members: ["user:grace@example.com"] },
  ]);
});

describe("grants with a condition on the time", () => {
  const role = "roles/eventarc.viewer";
  const inDays = (days: number) => new Date(Date.now() + days * 24 * 3_600_000).toISOString();
  const under = (expression: string) => ({ title: "t", expression });
  const until = (time: string) => under(`request.time < timestamp("${time}")`);
  const bindings = [
    { role, members: ["user:past@example.com"], condition: until("2020-01-01T00:00:00Z") },
    { role, members: ["user:soon@example.com"], condition: until(inDays(10)) },
    { role, members: ["user:later@example.com"], condition: until(inDays(100)) },
    { role, members: ["user:office@example.com"], condition: under("request.time.getHours() < 18") },
    { role, members: ["user:odd@example.com"], condition: until("2027-02-30T00:00:00Z") },
    { role, members: ["user:always@example.com"] },
    { role, members: ["user:nobody@example.com"], condition: under("false") },
  ];
  beforeEach(() => emulator.mutate(TRIGGER, { policy: { version: 3, bindings } }));

  const within = async (expiresWithin: string) =>
    onlyStack(await access({ resources: [TRIGGER], environment: emulator.env, expiresWithin }));
  const texts = (answer: OneStack) => [
    terminalText(answerWith(answer), { width: 200, color: false }),
    markdownText(answerWith(answer)).replaceAll("`", ""),
    htmlPage(answerWith(answer)).replace(/<[^>]*>/g, ""),
  ];

  test("say whether they have expired, expire soon, later, never or at an unknown time", async () => {
    const { resources, verdict } = await look([TRIGGER]);
    expect(resources[0]?.after?.map(({ members, expires }) => [members[0], expires?.state])).toEqual([
      ["user:past@example.com", "expired"],
      ["user:soon@example.com", "soon"],
      ["user:later@example.com", "later"],
      ["user:office@example.com", "never"],
      ["user:odd@example.com", "unknown"],
      ["user:always@example.com", undefined],
      ["user:nobody@example.com", "expired"],
    ]);
    expect(verdict.exitCode).toBe(0);
  });

  test("are counted in every form, and listed by when they expire, but for those that never do", async () => {
    const result = await look([TRIGGER]);
    const headline =
      "7 grants on 1 resource; 2 have expired, 1 expires within 30 days, 1 expires later, 2 never expire, 1 expires at an unknown time";
    for (const text of texts(result).slice(0, 2)) expect(text).toContain("before 2020-01-01 00:00 UTC; expired");
    for (const text of texts(result)) {
      expect(text).toContain(headline);
      expect(text).toMatch(/Expired: these grants give no access, and can be removed[^]*user:past@example\.com has/);
      expect(text).toMatch(/user:nobody@example\.com has .*; the condition holds at no time/);
      expect(text).toMatch(/Expires within 30 days[^]*user:soon@example\.com has/);
      expect(text).toMatch(/Expires at an unknown time[^]*user:odd@example\.com has/);
      expect(text).not.toContain("user:always@example.com has");
    }
  });

  test("are listed within the time that is asked for, and then also those that never expire", async () => {
    for (const text of texts(await within("20w"))) {
      expect(text).toContain("2 expire within 20 weeks, 2 never expire");
      expect(text).toMatch(/Never expires[^]*user:always@example\.com has/);
    }
    await expect(within("soon")).rejects.toThrow("expiresWithin must be a number of hours, days or weeks");
  });
});

test("a principal whose only other grant has expired has no access left", async () => {
  const role = "roles/eventarc.viewer";
  const condition = { title: "t", expression: 'request.time < timestamp("2020-01-01T00:00:00Z")' };
  const ada = ["user:ada@example.com"];
  const expired = { role: "roles/viewer", members: ada, condition };
  const policy = { version: 3, bindings: [expired] };
  emulator.seed([{ service: "cloudresourcemanager", name: "projects/demo-project", policy }]);
  emulator.mutate(TRIGGER, { policy: { version: 3, bindings: [{ role, members: ada }, expired] } });
  const earlier = await look([TRIGGER]);
  emulator.mutate(TRIGGER, { policy: { version: 3, bindings: [expired] } });
  const { resources } = await look([], earlier);
  expect(resources[0]).toMatchObject({ noAccessLeft: ada });
  expect(resources[0]).not.toHaveProperty("inherited");
});

test("an unreadable resource shows the reason, and the other resources are read", async () => {
  const { resources, verdict } = await look([`${AT}/triggers/none`, TRIGGER]);
  expect(verdict.exitCode).toBe(3);
  expect(resources).toMatchObject([
    { after: null, unknown: [{ code: "unreadable policy", message: expect.stringContaining("NOT_FOUND") as string }] },
    { unknown: [] },
  ]);
});

test("compared with an earlier answer, it lists who lost, who gained, and whose condition changed", async () => {
  const earlier = await look([TRIGGER]);
  const condition = { title: "until June", expression: 'request.time < timestamp("2127-06-01T00:00:00Z")' };
  emulator.mutate(TRIGGER, {
    policy: {
      version: 3,
      bindings: [
        { role: "roles/eventarc.viewer", members: ["user:ADA@example.com", "user:bob@example.com"] },
        { role: "roles/eventarc.admin", members: ["user:grace@example.com"], condition },
      ],
    },
  });
  const { resources, summary, verdict } = await look([], earlier);
  expect(summary).toMatchObject({ lost: 1, gained: 1, conditions: 1, noAccessLeft: 1 });
  expect(verdict.exitCode).toBe(2);
  expect(resources[0]?.changes.map(({ change, principal }) => `${change} ${principal}`)).toEqual([
    "lost group:platform@example.com",
    "condition user:grace@example.com",
    "gained user:bob@example.com",
  ]);
  expect(resources[0]?.changes[1]).toMatchObject({ condition, conditionBefore: null });
  expect(await look([], await look([TRIGGER]))).toMatchObject({ verdict: { exitCode: 0 }, summary: { lost: 0 } });
});

test("a resource that the earlier answer does not contain is unknown, not unchanged", async () => {
  const earlier = await look([TRIGGER]);
  const { resources, verdict } = await look([STORE], earlier);
  expect(resources[0]?.unknown).toMatchObject([{ message: expect.stringContaining("does not contain") as string }]);
  expect(verdict.exitCode).toBe(3);
});

test("reads a few policies at a time", async () => {
  let now = 0;
  let most = 0;
  const server = await ScriptedServer.start(async () => {
    most = Math.max(most, ++now);
    await pause(5);
    now--;
    return { body: { etag: "BwY=" } };
  });
  try {
    const resources = Array.from({ length: 60 }, (_, index) => `${AT}/triggers/t${index}`);
    const result = onlyStack(await access({ resources, environment: { PERIMETER_EMULATOR_HOST: server.host } }));
    expect(result).toMatchObject({ resources: { length: 60 }, summary: { unknown: 0 } });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
  } finally {
    await server.stop();
  }
});

describe("a seed of a stack", () => {
  const condition = { title: "until June", expression: 'request.time < timestamp("2127-06-01T00:00:00Z")' };
  const auditConfigs = [{ service: "allServices", auditLogConfigs: [{ logType: "DATA_READ" }] }];
  const role = "projects/demo-project/roles/reader";
  const link = `projects/demo-project/locations/us-central1-a/firewallEndpointAssociations/prod`;
  const firewallEndpoint = "organizations/12/locations/us-central1-a/firewallEndpoints/inspection";
  const grant = (type: string, name: string, to: string) => ({
    urn: `urn:pulumi:dev::clinic::${type}::${to}`,
    type,
    custom: true,
    id: `${name}/roles/x/${to}`,
    inputs: { name, role: "roles/x", member: to },
    outputs: {},
  });
  const association = "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation";
  const resources = [
    grant("perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember", STORE, "user:a@example.com"),
    grant("perimeter:eventing/v1:TriggerIamMember", TRIGGER, "user:a@example.com"),
    {
      urn: `urn:pulumi:dev::clinic::${association}::prod`,
      type: association,
      custom: true,
      id: link,
      inputs: {},
      outputs: {},
    },
  ];

  let stack: ReturnType<typeof pulumiWith>;
  beforeEach(() => {
    emulator.seed([
      {
        service: "cloudresourcemanager",
        name: "organizations/12",
        policy: { bindings: [{ role: "roles/viewer", members: ["user:ada@example.com"] }] },
      },
      { service: "cloudresourcemanager", name: "folders/34", body: { parent: "organizations/12" } },
      {
        service: "cloudresourcemanager",
        name: "projects/demo-project",
        body: { parent: "folders/34" },
        policy: { bindings: [{ role, members: ["group:team@example.com"] }], auditConfigs },
      },
      { service: "iam", name: role, body: { includedPermissions: ["healthcare.fhirStores.get"] } },
      {
        service: "networksecurity",
        name: link,
        body: { network: "projects/demo-project/global/networks/prod", firewallEndpoint, state: "ACTIVE" },
      },
    ]);
    emulator.mutate(STORE, {
      policy: {
        version: 3,
        auditConfigs,
        bindings: [{ role: "roles/healthcare.fhirStoreViewer", members: ["user:ada@example.com"], condition }],
      },
    });
    stack = pulumiWith({ stack: { deployment: { resources } }, config: {} });
  });
  afterEach(() => fs.rmSync(stack.folder, { recursive: true }));

  const seedFrom = async ({ env }: Emulator) => {
    const { seed } = await readStackAccess({ stack: "dev", pulumi: stack.pulumi, environment: env, seed: true });
    return seed ?? { resources: [], unread: ["no seed"] };
  };

  test("has its resources, all that is above them, and their roles", async () => {
    const seed = await seedFrom(emulator);
    expect(seed.unread).toEqual([]);
    expect(seed.resources.map(({ name }) => name)).toEqual([
      "folders/34",
      "organizations/12",
      "projects/demo-project",
      TRIGGER,
      `${AT}/datasets/clinic`,
      STORE,
      role,
      link,
    ]);
    expect(seed.resources.find(({ name }) => name === STORE)?.policy).toMatchObject({
      version: 3,
      auditConfigs,
      bindings: [{ condition }],
    });
  });

  test("changes nothing in the cloud that it is read from", async () => {
    await seedFrom(emulator);
    const requests = emulator.requests();
    expect(requests.filter(({ method, path: at }) => method !== "GET" && !at.endsWith(":getIamPolicy"))).toEqual([]);
  });

  test("creates the same resources and policies in another emulator", async () => {
    const seed = await seedFrom(emulator);
    const copy = await startEmulator({ seed: JSON.parse(JSON.stringify(seed.resources)) as unknown });
    try {
      expect(await seedFrom(copy)).toEqual(seed);
    } finally {
      await copy.stop();
    }
  });

  test("names a policy that could not be read", async () => {
    emulator.configure({ deny: ["resourcemanager.projects.getIamPolicy"] });
    expect((await seedFrom(emulator)).unread).toEqual([
      expect.stringMatching(/^The policy of projects\/demo-project is not in the seed: .*PERMISSION_DENIED/) as string,
    ]);
  });
});

test.each([
  ["a grant", "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember", "member"],
  ["a binding", "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding", "members"],
  ["a grant of @pulumi/gcp", "gcp:healthcare/fhirStoreIamMember:FhirStoreIamMember", "member"],
  ["a binding of @pulumi/gcp", "gcp:healthcare/fhirStoreIamBinding:FhirStoreIamBinding", "members"],
])("the secret member of %s is not in the answer, nor in the import file", async (_what, type, input) => {
  const role = "roles/healthcare.fhirStoreViewer";
  const secret = "user:confidential@example.com";
  emulator.mutate(STORE, { policy: { bindings: [{ role, members: [secret, "user:ada@example.com"] }] } });
  const name = type.startsWith("gcp:") ? "fhirStoreId" : "name";
  const inputs = { [name]: STORE, role, [input]: shownSecret(input === "members" ? [secret] : secret) };
  const resource = { urn: `urn:pulumi:dev::clinic::${type}::g`, type, custom: true, id: `${STORE}/${role}`, inputs };
  const { folder, pulumi } = pulumiWith({
    stack: { deployment: { resources: [{ ...resource, outputs: inputs }] } },
    config: {},
  });
  const { result, adoption } = await readStackAccess({ stack: "dev", pulumi, environment: emulator.env });
  const [{ after = [] } = {}] = onlyStack(result).resources;
  expect(after?.flatMap(({ members }) => members).sort()).toEqual(["[secret]", "user:ada@example.com"]);
  expect(JSON.stringify([result, adoption])).not.toMatch(/confidential/i);
  fs.rmSync(folder, { recursive: true });
});

test("an error about a setting that the stack keeps secret does not quote it", async () => {
  const { folder, pulumi } = pulumiWith({
    stack: { deployment: {} },
    config: { "perimeter:grantMode": { value: "sometimes", secret: true } },
  });
  const earlier = answerWith(await look([STORE]));
  const failed = accessOfStack({ stack: "dev", pulumi, earlier, environment: emulator.env });
  await expect(failed).rejects.toThrow(/grantMode must be one of replace, merge, got "\[secret\]"/);
  fs.rmSync(folder, { recursive: true });
});

test("patterns select resources of a stack, and one that matches none is an error", async () => {
  const type = "perimeter:eventing/v1:TriggerIamMember";
  const trigger = (name: string) => ({
    urn: `urn:pulumi:dev::shop::${type}::${name.slice(-6)}`,
    type,
    custom: true,
    id: `${name}/roles/x/user:a@example.com`,
    inputs: { name, role: "roles/x", member: "user:a@example.com" },
    outputs: {},
  });
  const resources = [trigger(TRIGGER), trigger(`${TRIGGER}-other`)];
  const { folder, pulumi } = pulumiWith({ stack: { deployment: { resources } }, config: {} });
  const options = { stack: "dev", pulumi, environment: emulator.env, inherited: false };
  const { result } = await readStackAccess({ ...options, resources: ["*/triggers/orders"] });
  expect(onlyStack(result).resources.map(({ resource }) => resource)).toEqual([TRIGGER]);
  await expect(readStackAccess({ ...options, resources: ["*/topics/*"] })).rejects.toThrow(
    /RESOURCE must match the name of a resource with a grant of the stack.*got "\*\/topics\/\*"/,
  );
  fs.rmSync(folder, { recursive: true });
});
