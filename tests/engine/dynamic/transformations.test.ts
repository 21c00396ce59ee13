/** Transformations change what a program declares: the preview shows what the update then does. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { storeOf } from "../../support/programs";
import { leftOut, noteLeftOut } from "../../support/test-all";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let stack: PackedStack;
afterEach(() => stack?.dispose());

/** The ways of Pulumi to transform resources: by the resource or the stack; in the program (…ation) or through the engine. */
const WAYS = ["transformations", "stackTransformation", "transforms", "resourceTransform"] as const;

interface Transformed {
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
  const { isUnknown, isSecret, isSparse, member, role = "${READER}", ignoreChanges } = transformed;
  const first = { name: ${JSON.stringify(storeOf("first"))}, role, member: "user:first@example.com" };
  const unknown = isUnknown && new DatasetFhirStoreIamMember("first", first).etag.apply(() => "unknown");

  function changed(way, props) {
    const plain = "user:" + (member ?? way) + "@example.com";
    const own = unknown ? pulumi.interpolate\`user:\${unknown}@example.com\` : isSecret ? pulumi.secret(plain) : plain;
    const wanted = props.members ? { members: [...props.members, own] } : { member: own };
    const all = { ...props, name: ${JSON.stringify(storeOf(""))} + props.name, ...wanted };
    return isSparse && way.endsWith("ation") ? { name: all.name, role: all.role, ...wanted } : all;
  }
  const change = (way) => ({ props, opts }) => ({ props: changed(way, props), opts });
  const changeOwn = (way) => (args) => (args.name.startsWith(way) ? change(way)(args) : undefined);
  pulumi.runtime.registerStackTransformation(changeOwn("stackTransformation"));
  pulumi.runtime.registerResourceTransform(changeOwn("resourceTransform"));

  for (const way of ${JSON.stringify(WAYS)}) {
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
    const { stdout, stderr } = await stack[command]({ onEvent }).catch((error) => ({ stdout: String(error), stderr: "" }));
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

async function run(...steps: (Transformed & { command: "preview" | "up" })[]): Promise<Result[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ["driver.js"], {
    cwd: stack.project.dir,
    env: { ...stack.project.env, STEPS: JSON.stringify(steps) },
    maxBuffer: 1e8,
  });
  return JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? "[]") as Result[];
}

/** The stack, with an empty store for each resource. */
async function start(): Promise<void> {
  stack = await PackedStack.create({ program: { "driver.js": DRIVER } });
  const names = ["first", ...WAYS, ...BINDINGS].map(storeOf);
  stack.emulator.seed(names.map((name) => ({ service: "healthcare", name, body: {} })));
}

noteLeftOut("a preview of a replacement names the grants of changes that the program ignores");
test("previews name the grants that the update makes: created, replaced, updated, unknown", async () => {
  await start();
  const [planned, made, unchanged, changed, unknown] = await run(
    { command: "preview" },
    { command: "up" },
    { command: "preview" },
    { command: "preview", member: "changed" },
    { command: "preview", isUnknown: true },
  );
  // The names that the program writes are those of no resource.
  expect(planned?.changes).toMatchObject({ create: 1 + WAYS.length * 2 });
  expect(made?.changes).toEqual(planned?.changes);
  for (const way of WAYS) {
    const member = `user:${way}@example.com`;
    expect(planned?.messages[way]).toContain(member);
    expect(planned?.messages[way]).toContain(storeOf(way));
    expect(planned?.messages[way]).not.toContain("written");
    expect(planned?.messages[`${way}-binding`]).toContain(member);
    expect(stack.policy(storeOf(way)).bindings).toEqual([{ role: READER, members: [member] }]);
    const members = ["user:written@example.com", member];
    expect(stack.policy(storeOf(`${way}-binding`)).bindings).toEqual([{ role: READER, members }]);
  }
  expect([unchanged?.changes, unchanged?.messages]).toEqual([{}, {}]);

  expect(changed?.changes).toEqual({ replace: WAYS.length, update: WAYS.length });
  for (const name of [...WAYS, ...BINDINGS]) expect(changed?.messages[name]).toContain("user:changed@example.com");
  // A binding also takes the role from the members that the policy has and the program does not name.
  for (const way of WAYS) expect(changed?.messages[`${way}-binding`]).toContain(`- user:${way}@example.com`);
  expect(unknown?.changes).toMatchObject({ create: 1, replace: WAYS.length, update: WAYS.length });
  for (const name of [...WAYS, ...BINDINGS]) expect([name, unknown?.messages[name]]).toEqual([name, undefined]);

  if (leftOut !== undefined) return;
  // For a replacement, the engine ignores no changes.
  const other = { member: "ignored", role: EDITOR, ignoreChanges: ["member"] };
  const [replacing, replaced] = await run({ command: "preview", ...other }, { command: "up", ...other });
  expect(replaced?.changes).toEqual(replacing?.changes);
  for (const way of WAYS) {
    expect(replacing?.messages[way]).toContain("+ user:ignored@example.com");
    expect(stack.policy(storeOf(way)).bindings).toEqual([{ role: EDITOR, members: ["user:ignored@example.com"] }]);
  }
});

test("a member that a transformation makes secret is in no message of a preview, nor in an error if it runs in the program", async () => {
  await start();
  const secret = { member: "canary", isSecret: true, isSparse: true };
  const inProgram = WAYS.filter((way) => way.endsWith("ation"));
  const message = "Nobody knows user:canary@example.com.";
  stack.emulator.setFaults(
    inProgram.map((way) => ({
      match: { path: `/**/${storeOf(way)}:setIamPolicy` },
      times: 0,
      fault: { status: "PERMISSION_DENIED", message },
    })),
  );
  const [planned, failed] = await run({ command: "preview", ...secret }, { command: "up", ...secret });
  for (const way of WAYS) expect(planned?.messages[way]).toContain("[secret]");
  expect(planned?.output).not.toContain("canary");
  for (const way of inProgram) expect(failed?.messages[way]).toContain("Nobody knows [secret]");
  expect(failed?.output).not.toContain("canary");
});
