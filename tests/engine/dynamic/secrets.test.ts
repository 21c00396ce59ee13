/** No message of this front shows what a program marks as secret, even where an answer of the cloud quotes it. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import { association, declaring, fhirGrant, FHIR_STORE, migrationGrant, PROJECT } from "../../support/programs";
import type { StackState } from "../../support/state";
import { casesHere } from "../../support/test-all";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const FIRST = "group:canary-first@example.com";
const SECOND = "group:canary-second@example.com";
const OTHERS = "group:canary-others@example.com";
const PROJECT_OF_ONE = "canary-project";
const DEFAULT_PROJECT = "canary-default-project";
const READER = "roles/healthcare.fhirResourceReader";
const READERS_STORE = `${FHIR_STORE}-3`;
const TRANSFORMED_STORE = `${FHIR_STORE}-4`;
const SCOPE = `projects/${DEFAULT_PROJECT}/locations/global/scopes/team-a`;

/** Has the traces of requests among what is printed. */
const DEBUG = { args: ["--debug"] };

/** Has the cloud refuse all requests below a path, with a message that quotes the secret. */
const quoting = (text: string, path: string) => ({
  match: { path },
  times: 0,
  fault: { status: "PERMISSION_DENIED" as const, message: `Nobody knows ${text.toUpperCase()} (${text}).` },
});
const QUOTED = "Nobody knows [secret] ([secret])";

/** An association with a network of its own. */
const link = (id: string, args: Record<string, unknown> = {}) =>
  association({
    network: `projects/${PROJECT}/global/networks/${id}`,
    firewallEndpointAssociationId: id,
    ...args,
  });

const LOOKUP = `
exports.scope = perimeter.fleet.v1beta.getScopeOutput({ location: "global", scopeId: "team-a" }).name;
`;
/** A grant whose member a transform of the engine replaces with a secret one. */
const TRANSFORMED = `
const args = { name: ${JSON.stringify(TRANSFORMED_STORE)}, role: ${JSON.stringify(READER)}, member: "user:written@example.com" };
const own = ({ props, opts }) => ({ props: { ...props, member: pulumi.secret("user:canary-transformed@example.com") }, opts });
new perimeter.healthcare.v1beta1.DatasetFhirStoreIamMember("transformed", args, { transforms: [own] });
`;
const FAILING_LOOKUP = `"use strict";
const pulumi = require("@pulumi/pulumi");
const { fleet } = require("pulumi-perimeter");
const args = { location: "global", scopeId: pulumi.secret("canary-scope"), project: "demo-project" };
exports.scope = fleet.v1beta.getScopeOutput(args).name;
`;

const MADE = {
  records: fhirGrant({ member: `secret:${FIRST}` }),
  migration: migrationGrant({
    member: `secret:${FIRST}`,
    role: `secret:projects/${PROJECT_OF_ONE}/roles/canary_role`,
  }),
  labelled: link("labelled", { labels: { team: "secret:canary-label" } }),
  readers: {
    type: "healthcare.v1beta1.DatasetFhirStoreIamBinding",
    args: { name: READERS_STORE, role: READER, members: [`secret:${FIRST}`, OTHERS] },
  },
};
/** What the cloud refuses, and quotes. */
const REFUSED = {
  member: fhirGrant({ name: `${FHIR_STORE}-2`, member: `secret:${FIRST}` }),
  store: fhirGrant({ name: `secret:${FHIR_STORE.replace(PROJECT, PROJECT_OF_ONE)}` }),
  own: link("own", { project: `secret:${PROJECT_OF_ONE}` }),
  byDefault: link("by-default"),
};

/** The commands, in the order in which they run. */
const COMMANDS = {
  created: "an up",
  planned: "a preview of changes",
  refused: "an up that the cloud refuses",
  looked: "a preview with a lookup that fails",
  refreshed: "a refresh that the cloud refuses",
  refreshedAgain: "a refresh that the cloud refuses for a resource that it refreshed before",
  undestroyed: "a destroy that the cloud refuses",
  destroyed: "a destroy",
} as const;
type Command = keyof typeof COMMANDS;
const RUN = casesHere(
  Object.keys(COMMANDS) as Command[],
  // The destroy fails in the same state.
  (command) => command !== "refreshedAgain",
  (command) => `no secret is in what is printed by ${COMMANDS[command]}`,
);
const titled = (...commands: Command[]) => commands.map((each): [string, Command] => [COMMANDS[each], each]);

let stack: PackedStack;
const results = {} as Record<Command, OperationResult>;
/** The state after each command. */
const states = {} as Record<Command, StackState>;
/** What the first `up` left beside the state. */
let outputs: Record<string, unknown>;
let policy: Record<string, unknown>;

beforeAll(async () => {
  const program = declaring(MADE);
  stack = await PackedStack.create({
    program: { ...program, "index.js": program["index.js"] + LOOKUP },
    config: { "perimeter:allowLockout": true },
    env: { PERIMETER_LOG: "trace" },
  });
  const { project, emulator } = stack;
  await project.setConfig("perimeter:project", DEFAULT_PROJECT, { secret: true });
  emulator.seed([
    { service: "gkehub", name: SCOPE, body: { uid: "u", state: { code: "READY" } } },
    { service: "healthcare", name: READERS_STORE, body: {} },
    { service: "healthcare", name: TRANSFORMED_STORE, body: {} },
  ]);
  const note = async (command: Command, result: Promise<OperationResult>) => {
    results[command] = await result;
    states[command] = await project.exportState();
  };
  const refuse = (...stores: string[]) => emulator.setFaults(stores.map((store) => quoting(FIRST, `/**/${store}:*`)));

  await note("created", project.up(DEBUG));
  outputs = await project.outputs();
  policy = stack.policy(FHIR_STORE);

  const faults = [quoting(FIRST, `/**/${FHIR_STORE}-2:*`), quoting(PROJECT_OF_ONE, `/**/${PROJECT_OF_ONE}/**`)];
  emulator.setFaults(faults);
  stack.declare({ ...MADE, ...REFUSED, records: fhirGrant({ member: `secret:${SECOND}` }) });
  project.writeFiles({ "index.js": program["index.js"] + LOOKUP + TRANSFORMED });
  await note("planned", project.preview(DEBUG));
  emulator.setFaults([...faults, quoting(DEFAULT_PROJECT, `/**/${DEFAULT_PROJECT}/**/by-default`)]);
  stack.declare({ ...MADE, ...REFUSED });
  project.writeFiles({ "index.js": program["index.js"] + LOOKUP });
  await note("refused", project.up({ fail: "yes", args: ["--continue-on-error", "--refresh", "--debug"] }));

  project.writeFiles({ "index.js": FAILING_LOOKUP });
  await note("looked", project.preview({ fail: "yes" }));

  emulator.mutate(READERS_STORE, { policy: { bindings: [{ role: READER, members: [SECOND, FIRST, OTHERS] }] } });
  refuse(FHIR_STORE);
  await note("refreshed", project.refresh({ fail: "yes", ...DEBUG }));
  refuse(FHIR_STORE, READERS_STORE);
  if (RUN.includes("refreshedAgain")) await note("refreshedAgain", project.refresh({ fail: "yes", ...DEBUG }));
  await note("undestroyed", project.destroy({ fail: "yes", args: ["--continue-on-error", "--debug"] }));
  emulator.setFaults([]);
  await note("destroyed", project.destroy(DEBUG));
});
afterAll(() => stack?.dispose());

/** What a command printed, without Pulumi's own lines about its calls: they show ids, which are plain (docs/fronts.md). */
const linesOf = (command: Command): string[] =>
  (results[command].stdout + results[command].stderr).split("\n").filter((line) => !/ debug: Register/.test(line));

const resourceIn = (command: Command, name: string) =>
  states[command].deployment.resources?.find(({ urn }) => urn.endsWith(`::${name}`));

test.each(titled(...RUN))("no secret is in what is printed by %s", (_title, command) => {
  expect(linesOf(command).filter((line) => /canary/i.test(line))).toEqual([]);
});

test.each(titled("created", "refused", "refreshed", "undestroyed"))(
  "all secrets are encrypted in the state after %s",
  (_title, command) => {
    // An id or an output made of a secret is plain (docs/fronts.md).
    const state = JSON.stringify(states[command]).replaceAll(/"(id|name)":"[^"]*"/g, "");
    expect(state).not.toMatch(/canary/);
  },
);

test("the default project is encrypted in the inputs of a resource that does not name one", () => {
  expect(resourceIn("created", "labelled")?.inputs).toMatchObject({ project: { ciphertext: expect.any(String) } });
});

test("the cloud gets secret members in plain text, and a lookup asks in the secret project", () => {
  expect(JSON.stringify(policy)).toContain(FIRST);
  expect(outputs).toEqual({ scope: SCOPE });
});

test("a preview says who loses a secret grant, without the member", () => {
  expect(results.planned.messages("warning", "records").join()).toMatch(/- group:\[secret\] /);
});

test("a preview shows a new grant, and hides the member that a transform of the engine makes secret", () => {
  expect(results.planned.messages("info", "transformed").join()).toContain("+ [secret] ");
});

test("a preview says what it cannot tell, without the secrets that the cloud quotes", () => {
  expect(results.planned.messages("info", "member").join()).toContain(QUOTED);
  expect(results.planned.messages("info", "store").join()).toContain("It is unknown who gains and who loses access");
});

test.each(Object.keys(REFUSED))("an update says why the cloud refuses a resource, without the secret: %s", (name) => {
  expect(results.refused.messages("error", name).join()).toContain(QUOTED);
});

test("a lookup that fails says what it looked for, without the secret", () => {
  const said = results.looked.messages("error").join();
  expect(said).toContain("projects/demo-project/locations/global/scopes/[secret]");
});

test.each(titled("refreshed", "undestroyed"))("the reason is said, without the secret, by %s", (_title, command) => {
  expect(results[command].messages("error", "records").join()).toContain(QUOTED);
});

test("a destroy deletes what the cloud does not refuse", () => {
  // The default project's create was made, and only its end could not be seen.
  expect(results.undestroyed.changes).toEqual({ delete: 3 });
});

test("a refresh that finds a member before a secret one keeps the members encrypted", () => {
  const encrypted = { members: { ciphertext: expect.any(String) } };
  const { inputs, outputs } = resourceIn("refreshed", "readers") ?? {};
  expect([inputs, outputs]).toMatchObject([encrypted, encrypted]);
});

const AFTER_DRIFT = RUN.filter((command) => command === "undestroyed" || command === "refreshedAgain");
test.each(titled(...AFTER_DRIFT))(
  "the secret member is found behind a new one, and hidden, by %s",
  (_title, command) => {
    expect(results[command].messages("error", "readers").join()).toContain(QUOTED);
  },
);

test("a destroy says how many members stay that a refresh found beside a secret one", () => {
  expect(results.destroyed.stdout).toMatch(/warning: .* keep the role: 1 principal/);
});

test("traces of requests are among what is printed, with a placeholder for each secret", () => {
  const traced = RUN.flatMap(linesOf).filter((line) => line.includes("perimeter: "));
  for (const method of ["GET", "POST", "DELETE"])
    expect(traced).toContainEqual(expect.stringContaining(`perimeter: ${method}`));
  expect(traced.filter((line) => line.includes("perimeter: > {")).join()).toContain("[secret]");
});
