/**
 * The calls of the real engine, through each front, are those of tests/support/simulated-stack.ts: same order, same names, same values.
 * So the tests that use it test what users do.
 */
import fs from "node:fs";
import path from "node:path";
import { demoSeed, type FaultRule } from "../../../emulator";
import type { Values } from "../../../provider/core/unknown";
import { emulator, engine, useCloudAndEngine } from "../../support/cloud-and-engine";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { packedPackage } from "../../support/pack";
import { pluginFolder } from "../../support/plugin";
import { declaring, FHIR_STORE, JAVASCRIPT, PROJECT, resourcesFile } from "../../support/programs";
import { SimulatedStack, type Declaration, type Program, type StackCall } from "../../support/simulated-stack";
import { FRONTS, startRun, type FrontName } from "../../support/stack-fronts";
import { STORE_BINDING, STORE_GRANT } from "../../support/tokens";
import { skipped } from "../../support/skipped";
import { casesHere } from "../../support/test-all";

jest.setTimeout(5 * ENGINE_TIMEOUT_MS);

const [ADA, GRACE] = ["user:ada@example.com", "user:grace@example.com"];
const [READER, EDITOR] = ["roles/healthcare.fhirResourceReader", "roles/healthcare.fhirResourceEditor"];
const VIEWER = "roles/healthcare.fhirStoreViewer";
/** Roles that one run alone gives. */
const ONCE = ["roles/healthcare.annotationReader", "roles/healthcare.annotationEditor"] as const;

const binding = (role: string, members: string[], options: Partial<Declaration> = {}): Declaration => ({
  type: STORE_BINDING,
  inputs: { name: FHIR_STORE, role, members },
  ...options,
});
const member = (role: string, who: string, options: Partial<Declaration> = {}): Declaration => ({
  type: STORE_GRANT,
  inputs: { name: FHIR_STORE, role, member: who },
  ...options,
});

interface Step {
  title: string;
  program: Program;
  /** The faults of the cloud in this run, which fails. */
  faults?: FaultRule[];
}

const denied = (skip: number): FaultRule[] => [
  { match: { path: `/**/${FHIR_STORE}:setIamPolicy` }, skip, times: 0, fault: { status: "PERMISSION_DENIED" } },
];
/** The answer to the write is lost, and then the policy may not be read. */
const UNKNOWN_RESULT: FaultRule[] = [
  { match: { path: `/**/${FHIR_STORE}:setIamPolicy` }, fault: { reset: "before" } },
  { match: { path: `/**/${FHIR_STORE}:getIamPolicy` }, skip: 1, times: 0, fault: { status: "PERMISSION_DENIED" } },
];

/** The runs of one stack. Each resource depends on the one before it, so the order of all calls is certain. */
const STEPS: readonly Step[] = [
  { title: "creates", program: { b: binding(READER, [ADA, GRACE]), m: member(EDITOR, ADA), n: member(EDITOR, GRACE) } },
  {
    title: "an alias with an update, a replacement, and a delete",
    program: { c: binding(READER, [ADA], { aliases: ["b"] }), m: member(VIEWER, ADA) },
  },
  {
    title: "an alias alone, and a replacement by an alias",
    program: { d: binding(READER, [ADA], { aliases: ["c"] }), k: member(EDITOR, ADA, { aliases: ["m"] }) },
  },
  {
    title: "a replacement by an alias that deletes first",
    program: { f: binding(EDITOR, [ADA], { aliases: ["d"], deleteBeforeReplace: true }) },
  },
  {
    title: "a replacement that deletes first and cannot create",
    program: { f: binding(VIEWER, [ADA], { deleteBeforeReplace: true }) },
    faults: denied(1),
  },
  {
    title: "the next run, which creates",
    program: { f: binding(VIEWER, [ADA], { deleteBeforeReplace: true }) },
  },
  {
    title: "a replacement by an alias that cannot create",
    program: { g: binding(ONCE[0], [ADA], { aliases: ["f"] }) },
    faults: denied(0),
  },
  {
    title: "an update by an alias whose result is unknown",
    program: { g: binding(VIEWER, [GRACE], { aliases: ["f"] }) },
    faults: UNKNOWN_RESULT,
  },
  { title: "the next run, which updates", program: { g: binding(VIEWER, [GRACE]) } },
  {
    title: "a replacement whose result is unknown",
    program: { g: binding(ONCE[1], [ADA]) },
    faults: UNKNOWN_RESULT,
  },
  { title: "the next run, which updates and deletes", program: { g: binding(ONCE[1], [ADA]) } },
  { title: "a rename without an alias", program: { h: binding(READER, [ADA]) } },
  { title: "a delete", program: {} },
];

useCloudAndEngine({ seed: demoSeed });

const ofFront = (front: FrontName) => `through ${front}, the engine's calls are those of the tests on the emulator`;
const [PLUGIN] = FRONTS;

for (const front of casesHere(FRONTS, (each) => each === PLUGIN, ofFront)) {
  const missing = missingHost(front === "the plugin" ? "yaml" : "nodejs");
  const testHere = missing === undefined ? test : test.skip;
  testHere(`${ofFront(front)}${skipped(missing)}`, async () => {
    const real = await callsOf((step, index) => realRun(front, step, index));
    emulator.reset();
    const stack = new SimulatedStack();
    expect(await callsOf((step) => run(stack, front, step))).toEqual(real);
  });
}

let project: EngineProject | undefined;
afterEach(async () => {
  await project?.dispose();
  project = undefined;
});

async function callsOf(run: (step: Step, index: number) => Promise<StackCall[]>): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const [index, step] of STEPS.entries()) {
    emulator.setFaults(step.faults ?? []);
    all[step.title] = (await run(step, index)).map(textOf);
  }
  return all;
}

async function run(stack: SimulatedStack, front: FrontName, { program }: Step): Promise<StackCall[]> {
  const cloud = { environment: emulator.env, engine: engine.address };
  const { fronts, end } = await startRun(front, { project: PROJECT, grantMode: "merge" }, [], cloud);
  try {
    return (await stack.run(program, { fronts })).calls;
  } finally {
    await end();
  }
}

async function realRun(front: FrontName, { program, faults }: Step, index: number): Promise<StackCall[]> {
  const files = front === "the plugin" ? yaml(program) : resourcesFile(declared(program));
  const common = { config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" }, env: { ...emulator.env } };
  project ??= await EngineProject.create(
    front === "the plugin"
      ? { program: files, nodeModules: "none", path: [pluginFolder()], ...common }
      : {
          program: { "package.json": '{"name":"sample","main":"index.js"}', ...declaring({}) },
          runtime: JAVASCRIPT,
          nodeModules: packedPackage().nodeModules,
          ...common,
        },
  );
  project.writeFiles(files);
  const log = path.join(project.dir, `calls-${index}.json`);
  await project.up({ env: { PULUMI_DEBUG_GRPC: log }, fail: faults ? "yes" : "no" });
  return readCalls(log);
}

/** Each resource depends on the one before it. */
function chained<T>(program: Program, form: (declared: Declaration, before: string[]) => T): Record<string, T> {
  const names = Object.keys(program);
  return Object.fromEntries(
    Object.entries(program).map(([name, declared], at) => [name, form(declared, names.slice(at - 1, at))]),
  );
}

function yaml(program: Program): Record<string, string> {
  const resources = chained(program, ({ type, inputs, aliases = [], deleteBeforeReplace }, before) => ({
    type,
    properties: inputs,
    options: {
      ...(before.length > 0 ? { dependsOn: before.map((name) => `\${${name}}`) } : {}),
      ...(aliases.length > 0 ? { aliases: aliases.map((name) => `urn:pulumi:test::sample::${type}::${name}`) } : {}),
      ...(deleteBeforeReplace ? { deleteBeforeReplace } : {}),
    },
  }));
  return { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources }) };
}

function declared(program: Program) {
  return chained(program, ({ type, inputs, aliases = [], deleteBeforeReplace }, dependsOn) => ({
    type: type.replace(/^perimeter:/, "").replace(/[/:]/g, "."),
    args: inputs,
    dependsOn,
    aliases: aliases.map((name) => ({ name })),
    ...(deleteBeforeReplace ? { deleteBeforeReplace } : {}),
  }));
}

interface LogEntry {
  method: string;
  progress?: string;
  request?: { urn?: string; news?: Values; olds?: Values; properties?: Values };
}

/** The engine's calls on our resources, in the order in which they began. */
function readCalls(log: string): StackCall[] {
  const entries = fs.readFileSync(log, "utf8").trim().split("\n");
  return entries.flatMap((line) => {
    const { method, progress, request = {} } = JSON.parse(line) as LogEntry;
    const name = /^\/pulumirpc\.ResourceProvider\/(Check|Diff|Create|Update|Delete)$/.exec(method)?.[1]?.toLowerCase();
    const urn = request.urn ?? "";
    if (name === undefined || progress === "response_completed" || !urn.includes("Iam")) return [];
    const { news, olds, properties } = request;
    return {
      method: name as StackCall["method"],
      type: urn.split("::")[2] ?? "",
      name: urn.split("::")[3] ?? "",
      ...(name === "delete"
        ? { old: properties }
        : name === "check"
          ? { news }
          : { old: olds, news: news ?? properties }),
    };
  });
}

/** A call without what differs between two stacks, or between two runs of one stack. */
function textOf({ method, type, name, old, news }: StackCall): string {
  const values = { ...(old ? { old } : {}), ...(news ? { news } : {}) };
  const text = JSON.stringify(sorted(values)).replace(/"etag":"[^"]*",?/g, "");
  const common = text.replaceAll(/urn:pulumi:test::sample::/g, "urn:pulumi:stack::project::");
  return `${method} ${type.replace(/^.*[/:]/, "")} ${name} ${common}`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
