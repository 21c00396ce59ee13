/** Transformations change what a program declares: the preview shows what the update then does. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { storeOf } from "../../support/programs";
import { leftOut, testInAll } from "../../support/test-all";
import { PackedStack } from "./packed-stack";
import type { Exchange } from "./wire-tap";

jest.setTimeout(ENGINE_TIMEOUT_MS);

/** The ways of Pulumi to transform resources: by the resource or the stack; in the program (…ation) or through the engine. */
const WAYS = ["transformations", "stackTransformation", "transforms", "resourceTransform"] as const;

interface Transformed {
  /** The ways that the program uses. Default: all. */
  ways?: readonly (typeof WAYS)[number][];
  /** What the names of the stores begin with. */
  stores?: string;
  /** The name in the transformed member. Default: the way. */
  member?: string;
  isSecret?: boolean;
  /** Whether the transformed member contains an output that the preview does not know. */
  isUnknown?: boolean;
  /** Whether a transformation in the program returns only some properties. */
  isSparse?: boolean;
  role?: string;
  ignoreChanges?: string[];
}

const READER = "roles/healthcare.fhirResourceReader";
const EDITOR = "roles/healthcare.fhirResourceEditor";

/**
 * An inline program: the language host that is built here is older than the engine, and does not know resource transforms.
 * For each way, a grant and a binding of a short name and the member `written`, which the transformation completes.
 */
const DRIVER = `"use strict";
const path = require("node:path");
const fs = require("node:fs");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const pulumi = require("@pulumi/pulumi");
const perimeter = require("pulumi-perimeter");
const { DatasetFhirStoreIamMember, DatasetFhirStoreIamBinding } = perimeter.healthcare.v1beta1;

let transformed = {};

async function program() {
  const { ways = ${JSON.stringify(WAYS)}, stores = "", isUnknown, isSecret, isSparse, member, role = "${READER}", ignoreChanges } = transformed;
  const first = { name: ${JSON.stringify(storeOf("first"))}, role, member: "user:first@example.com" };
  const unknown = isUnknown && new DatasetFhirStoreIamMember("first", first).etag.apply(() => "unknown");

  function changed(way, props) {
    const plain = "user:" + (member ?? way) + "@example.com";
    const own = unknown ? pulumi.interpolate\`user:\${unknown}@example.com\` : isSecret ? pulumi.secret(plain) : plain;
    const wanted = props.members ? { members: [...props.members, own] } : { member: own };
    const all = { ...props, name: ${JSON.stringify(storeOf(""))} + stores + props.name, ...wanted };
    return isSparse && /ations?$/.test(way) ? { name: all.name, role: all.role, ...wanted } : all;
  }
  const change = (way) => ({ props, opts }) => ({ props: changed(way, props), opts });
  const changeOwn = (way) => (args) => (args.name.startsWith(way) ? change(way)(args) : undefined);
  pulumi.runtime.registerStackTransformation(changeOwn("stackTransformation"));
  pulumi.runtime.registerResourceTransform(changeOwn("resourceTransform"));

  for (const way of ways) {
    const opts = way.startsWith("transform") ? { [way]: [change(way)] } : {};
    const written = "user:written@example.com";
    new DatasetFhirStoreIamMember(way, { name: way, role, member: written }, { ...opts, ignoreChanges });
    const binding = { name: way + "-binding", role: "${READER}", members: [written] };
    new DatasetFhirStoreIamBinding(way + "-binding", binding, opts);
  }
}

async function main() {
  const workDir = path.join(__dirname, "inline");
  fs.mkdirSync(workDir, { recursive: true });
  const args = { stackName: "inline", projectName: "inline", program };
  const config = { "perimeter:project": "demo-project", "perimeter:allowLockout": "true" };
  const secretsProvider = "hashivault://tests";
  const stack = await LocalWorkspace.createOrSelectStack(args, { workDir, secretsProvider, stackSettings: { inline: { config } } });
  // An update returns the outputs and the history, for which it starts the CLI three times.
  Object.assign(stack, { outputs: async () => ({}), info: async () => undefined });
  const results = [];
  for (const { command, ...rest } of JSON.parse(process.env.STEPS)) {
    transformed = rest;
    const messages = {};
    let changes = {};
    const onEvent = ({ diagnosticEvent, summaryEvent }) => {
      changes = summaryEvent?.resourceChanges ?? changes;
      const name = diagnosticEvent?.urn?.split("::").at(-1);
      if (name) messages[name] = (messages[name] ?? "") + diagnosticEvent.message;
    };
    const { stdout, stderr } = await stack[command]({ onEvent, continueOnError: command === "up" }).catch((error) => ({ stdout: String(error), stderr: "" }));
    delete changes.same;
    results.push({ messages, changes, output: stdout + stderr });
  }
  console.log("RESULT " + JSON.stringify(results));
}
main().catch((error) => {
  console.error(error);
  process.exit(1);
});
`;

const BINDINGS = WAYS.map((way) => `${way}-binding`);

interface Result {
  messages: Record<string, string>;
  changes: Record<string, number>;
  output: string;
}

const IN_PROGRAM = WAYS.filter((way) => /ations?$/.test(way));
const MESSAGE = "Nobody knows user:canary@example.com.";
/** In an inline program, the SDK sends the secrets of an engine's transform in plain text. secrets.test.ts has another program. */
const SECRET = { ways: IN_PROGRAM, stores: "secret-", member: "canary", isSecret: true, isSparse: true };
/** For a replacement, the engine ignores no changes. */
const IGNORING = { member: "ignored", role: EDITOR, ignoreChanges: ["member"] };

/** All run in one process, one after the other. */
const STEPS = {
  planned: { command: "preview" },
  made: { command: "up" },
  unchanged: { command: "preview" },
  changed: { command: "preview", member: "changed" },
  unknown: { command: "preview", isUnknown: true },
  ...(leftOut === undefined && {
    replacing: { command: "preview", ...IGNORING },
    replaced: { command: "up", ...IGNORING },
  }),
  plannedSecret: { command: "preview", ...SECRET },
  failedSecret: { command: "up", ...SECRET },
} satisfies Record<string, Transformed & { command: "preview" | "up" }>;

let stack: PackedStack;
let results: { [name in keyof typeof STEPS]: Result };
let requests: Exchange[];

beforeAll(async () => {
  stack = await PackedStack.create({ program: { "driver.js": DRIVER } });
  const { project, emulator } = stack;
  // An empty store for each resource.
  const names = [...WAYS, ...BINDINGS].flatMap((name) => [name, SECRET.stores + name]);
  emulator.seed(["first", ...names].map((name) => ({ service: "healthcare", name: storeOf(name), body: {} })));
  emulator.setFaults(
    IN_PROGRAM.map((way) => ({
      match: { path: `/**/${storeOf(SECRET.stores + way)}:setIamPolicy` },
      times: 0,
      fault: { status: "PERMISSION_DENIED", message: MESSAGE },
    })),
  );
  const { stdout } = await promisify(execFile)(process.execPath, ["driver.js"], {
    cwd: project.dir,
    env: { ...project.env, STEPS: JSON.stringify(Object.values(STEPS)) },
    maxBuffer: 1e8,
  });
  const all = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? "[]") as Result[];
  results = Object.fromEntries(Object.keys(STEPS).map((name, at) => [name, all[at]])) as typeof results;
  requests = stack.heard();
});
afterAll(() => stack?.dispose());

/** The bindings of a store after each write. */
const written = (name: string) =>
  requests
    .filter(({ path }) => path === `${storeOf(name)}:setIamPolicy`)
    .map(({ answer }) => (answer as { bindings?: unknown }).bindings);

test("a preview counts the resources that the update makes", () => {
  expect(results.planned.changes).toMatchObject({ create: 1 + WAYS.length * 2 });
  expect(results.made.changes).toEqual(results.planned.changes);
});

// The program writes names that no resource has. A transformation sets the real ones.
test.each(WAYS)("with %s, a preview names the store and the member that are set", (way) => {
  const member = `user:${way}@example.com`;
  expect(results.planned.messages[way]).toContain(member);
  expect(results.planned.messages[way]).toContain(storeOf(way));
  expect(results.planned.messages[way]).not.toContain("written");
  expect(results.planned.messages[`${way}-binding`]).toContain(member);
});

test.each(WAYS)("with %s, an update grants what is set", (way) => {
  const member = `user:${way}@example.com`;
  expect(written(way)[0]).toEqual([{ role: READER, members: [member] }]);
  expect(written(`${way}-binding`)[0]).toEqual([{ role: READER, members: ["user:written@example.com", member] }]);
});

test("a preview without a change shows none", () => {
  expect([results.unchanged.changes, results.unchanged.messages]).toEqual([{}, {}]);
});

test("a preview of changes counts and names the changed members", () => {
  expect(results.changed.changes).toEqual({ replace: WAYS.length, update: WAYS.length });
  for (const name of [...WAYS, ...BINDINGS])
    expect(results.changed.messages[name]).toContain("user:changed@example.com");
  // A binding also takes the role from the members that the policy has and the program does not name.
  for (const way of WAYS) expect(results.changed.messages[`${way}-binding`]).toContain(`- user:${way}@example.com`);
});

test("a preview of members that are not known yet counts the changes, and names no member", () => {
  expect(results.unknown.changes).toMatchObject({ create: 1, replace: WAYS.length, update: WAYS.length });
  for (const name of [...WAYS, ...BINDINGS]) expect([name, results.unknown.messages[name]]).toEqual([name, undefined]);
});

testInAll(
  "a preview of a replacement names the grants of changes that the program ignores, and the update makes them",
  () => {
    const { replacing, replaced } = results;
    expect(replaced?.changes).toEqual(replacing?.changes);
    for (const way of WAYS) {
      expect(replacing?.messages[way]).toContain("+ user:ignored@example.com");
      expect(written(way)).toContainEqual([{ role: EDITOR, members: ["user:ignored@example.com"] }]);
    }
  },
);

test.each(IN_PROGRAM)("with %s, a preview hides a member that becomes secret", (way) => {
  expect(results.plannedSecret.messages[way]).toContain("[secret]");
});

test.each(IN_PROGRAM)("with %s, the error of an update hides a member that becomes secret", (way) => {
  expect(results.failedSecret.messages[way]).toContain("Nobody knows [secret]");
});

test("no line of a preview or an update has a member that a transformation makes secret", () => {
  expect(results.plannedSecret.output + results.failedSecret.output).not.toContain("canary");
});
