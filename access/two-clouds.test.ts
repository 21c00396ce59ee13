import { answerWith, byEffect, onlyStack, type OneStack } from "../tests/support/answers";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../emulator";
import { access, accessOfStack, readStackAccess } from "./access";
import { pulumiAnswering } from "../tests/support/fake-pulumi";

const AT = "projects/demo-project/locations/us-central1";
const STORE = `${AT}/datasets/clinic/fhirStores/records`;
const OTHER = `${AT}/datasets/clinic/fhirStores/archive`;
const VIEWER = "roles/healthcare.fhirStoreViewer";
const TYPE = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";
const NURSES = "group:nurses@example.com";
const ADA = "user:ada@example.com";
const PROVIDER = "urn:pulumi:dev::clinic::pulumi:providers:perimeter::second";

let first: Emulator;
let second: Emulator;
let folder: string;
beforeEach(async () => {
  const seed = [...demoSeed, { service: "healthcare", name: OTHER, body: {} }];
  [first, second] = [await startEmulator({ seed }), await startEmulator({ seed })];
  for (const each of [first, second]) grant(each, STORE, [NURSES, ADA]);
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-access-"));
});
afterEach(async () => {
  await first.stop();
  await second.stop();
  fs.rmSync(folder, { recursive: true });
});

function grant(emulator: Emulator, name: string, members: string[]): void {
  emulator.mutate(name, { policy: { bindings: members.length > 0 ? [{ role: VIEWER, members }] : [] } });
}

const endpointOf = ({ url }: Emulator) => `${url}/v1beta1/`;

/** A grant of the stack to NURSES. */
const declared = (name: string, at: Emulator) => ({
  urn: `urn:pulumi:dev::clinic::${TYPE}::${at === first ? "first" : "second"}-${name.split("/").at(-1)}`,
  type: TYPE,
  custom: true,
  id: `${name}/${VIEWER}/${NURSES}`,
  inputs: { name, role: VIEWER, member: NURSES },
  outputs: {},
  ...(at === second && { provider: `${PROVIDER}::1` }),
});

/** The options for a stack that has the second cloud as an explicit provider, and the first one by the environment. */
function stackOf(grants: readonly (readonly [name: string, at: Emulator])[], mode = "merge") {
  const inputs = { healthcareCustomEndpoint: endpointOf(second), grantMode: mode };
  const provider = { urn: PROVIDER, type: "pulumi:providers:perimeter", custom: true, id: "1", inputs, outputs: {} };
  const resources = [provider, ...grants.map(([name, at]) => declared(name, at))];
  const pulumi = pulumiAnswering(folder, {
    stack: { deployment: { resources } },
    config: { "perimeter:grantMode": { value: mode } },
  });
  return { stack: "dev", pulumi, environment: first.env, inherited: false };
}

const changesOf = ({ resources }: OneStack) =>
  resources.flatMap(({ endpoint, changes }) =>
    changes.map(({ change, principal }) => `${change} ${principal} at ${endpoint}`),
  );
const unknownOf = ({ resources }: OneStack) =>
  resources.flatMap(({ unknown }) => unknown.map(({ message }) => message));

const lookAt = (emulator: Emulator, more: Partial<Parameters<typeof access>[0]> = { resources: [STORE] }) =>
  access({ environment: emulator.env, inherited: false, ...more });
const since = async (emulator: Emulator, more: Partial<Parameters<typeof access>[0]>) =>
  onlyStack(await lookAt(emulator, more));

test("an answer about one cloud is not compared with an answer about another one", async () => {
  const earlier = await lookAt(first);
  grant(second, STORE, [NURSES]);
  const result = await since(second, { earlier });
  expect([result.verdict.exitCode, changesOf(result)]).toEqual([3, []]);
  expect(unknownOf(result)).toEqual([
    `It is unknown what has changed: the earlier answer has this resource at ${endpointOf(first)}, and this one has it at ` +
      `${endpointOf(second)}. Two clouds may have the same names; --any-endpoint compares them anyway.`,
  ]);
});

test("on demand, the answers about two clouds are compared", async () => {
  const earlier = await lookAt(first);
  grant(second, STORE, [NURSES]);
  const result = await since(second, { earlier, anyEndpoint: true });
  expect([result.verdict.exitCode, unknownOf(result)]).toEqual([2, []]);
  expect(changesOf(result)).toEqual([`lost ${ADA} at ${endpointOf(second)}`]);
});

test("reports a loss only in the cloud where it is", async () => {
  const options = stackOf([
    [STORE, first],
    [STORE, second],
  ]);
  const earlier = await accessOfStack(options);
  for (const changed of [first, second]) {
    grant(first, STORE, changed === first ? [NURSES] : [NURSES, ADA]);
    grant(second, STORE, changed === second ? [NURSES] : [NURSES, ADA]);
    for (const anyEndpoint of [false, true]) {
      const result = onlyStack(await accessOfStack({ ...options, earlier, anyEndpoint }));
      expect([result.verdict.exitCode, unknownOf(result)]).toEqual([2, []]);
      expect(changesOf(result)).toEqual([`lost ${ADA} at ${endpointOf(changed)}`]);
    }
  }
});

test("reads a resource that the stack does not have any more in its own cloud", async () => {
  const earlier = await accessOfStack(
    stackOf([
      [STORE, first],
      [STORE, second],
      [OTHER, second],
    ]),
  );
  grant(second, STORE, [NURSES]);
  const options = stackOf([
    [STORE, first],
    [OTHER, second],
  ]);
  const result = onlyStack(await accessOfStack({ ...options, earlier }));
  expect(unknownOf(result)).toEqual([]);
  expect(changesOf(result)).toEqual([`lost ${ADA} at ${endpointOf(second)}`]);
  const { adoption } = await readStackAccess({ ...options, earlier });
  expect(adoption.file.resources.map(({ provider }) => provider)).toEqual([undefined]);
});

test("an earlier resource in a cloud that no settings name any more is unknown, and not left out", async () => {
  const earlier = await accessOfStack(
    stackOf([
      [STORE, first],
      [STORE, second],
    ]),
  );
  const result = await since(first, { earlier });
  expect(result.verdict.exitCode).toBe(3);
  expect(result.resources.map(({ endpoint }) => endpoint).sort()).toEqual([first, second].map(endpointOf).sort());
  expect(unknownOf(result)).toEqual([
    expect.stringContaining(
      `the earlier answer has this resource at ${endpointOf(second)}, and nothing was read there`,
    ),
  ]);
});

test("--adopt names the provider of the cloud where the grant is", async () => {
  grant(first, STORE, [NURSES]);
  const options = stackOf([
    [STORE, first],
    [STORE, second],
  ]);
  const { adoption } = await readStackAccess(options);
  expect(adoption.leftOut).toEqual([]);
  expect(adoption.file).toEqual({
    nameTable: { second: PROVIDER },
    resources: [expect.objectContaining({ id: `${STORE}/${VIEWER}/${ADA}`, provider: "second" })],
  });
  grant(first, STORE, [NURSES, ADA]);
  const { resources } = (await readStackAccess(options)).adoption.file;
  // By endpoint, and ports differ.
  expect(new Set(resources.map(({ provider }) => provider))).toEqual(new Set([undefined, "second"]));
  expect(new Set(resources.map(({ name }) => name)).size).toBe(2);
});

test("--adopt leaves out what cannot live beside a grant that replaces the whole policy", async () => {
  const { adoption } = await readStackAccess(stackOf([[STORE, second]], "replace"));
  expect(adoption.file.resources).toEqual([]);
  expect(adoption.leftOut).toEqual([
    expect.stringMatching(/^1 unmanaged grant is left out: .* Set the provider's grantMode to merge first/),
  ]);
});

test("after a destroy, an unexpected grant is reported as not managed by the stack", async () => {
  const now = onlyStack(await lookAt(first));
  const left = now.resources.map((each) => ({ ...each, after: [{ role: VIEWER, members: [ADA] }] }));
  const of = { stack: "dev", project: "clinic" };
  const expected = answerWith({ ...now, ...of, operation: "destroy", resources: left });
  const policy = { version: 1, unmanaged: "fail" } as const;
  const { verdict, resources } = onlyStack(await accessOfStack({ ...stackOf([]), expected, rules: { policy } }));
  expect(byEffect(verdict).violations.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
    `expected: ${NURSES} has ${VIEWER} on ${STORE}, and the review did not expect it. The stack does not manage this grant: ` +
      "somebody else made it after the review, or the update did not remove it.",
  ]);
  expect(resources).toMatchObject([{ ofStack: false, unmanaged: [{ principal: NURSES }, { principal: ADA }] }]);
});
