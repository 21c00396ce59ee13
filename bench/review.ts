import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Answer } from "../access";
import { GCP_GRANTS } from "../access/meaning/generated/gcp-types";
import { startEmulator, type Emulator } from "../emulator";
import { engine, EngineProject } from "../tests/support/engine";
import { pluginFolder } from "../tests/support/plugin";
import { STORE_GRANT } from "../tests/support/tokens";
import { compare } from "./framework/measure";
import { rows, type Bench } from "./framework/table";

/**
 * How long do `perimeter access` and `perimeter review` of a large stack take, without the time of Pulumi's own commands, and how many
 * requests do they send? The stack grants roles on FHIR stores; above these are a dataset, a project, a folder and an
 * organization. And how long does the review of a plan take whose grants are those of `@pulumi/gcp`, on resources of many kinds?
 */

const CLI = join(__dirname, "..", "dist", "cli", "main.js");
const DATASET = "projects/bench/locations/us-central1/datasets/clinic";
const ROLE = "roles/healthcare.fhirResourceReader";
/** The policies of the dataset, the project, the folder and the organization. */
const ABOVE = 4;
/** Delay of each answer. */
const LATENCY_MS = 50;
/** Resources of each kind with grants of `@pulumi/gcp`. */
const PER_KIND = 5;
/** APIs of which the emulator knows single resources only. */
const OWN_APIS = "apigateway cloudresourcemanager datamigration eventarc gkehub healthcare iam networksecurity".split(
  " ",
);

export const review: Bench = {
  name: "review",
  async run(quick) {
    const [stores, few, many, kinds, rounds] = quick ? [4, 20, 40, 4, 1] : [20, 500, 1000, 20, 3];
    const measured = await compare(
      [
        { name: `access, ${few} grants`, run: () => onStack(few, stores, ["access"]) },
        {
          name: `review, ${many} grants, a tenth of them changed`,
          run: () => onStack(many, stores, ["review"], many / 10),
        },
        {
          name: `review, ${many} grants of @pulumi/gcp on ${kinds * PER_KIND} resources`,
          run: () => ofGcp(many, kinds),
        },
        ...[few, many].map((topics) => ({
          name: `review --destroy, ${topics} topics with a grant each`,
          run: () => ofDestroy(topics),
        })),
        ...[few / 10, few / 5].map((topics) => ({
          name: `review, ${topics} topics of which two providers write one role`,
          run: () => ofRaces(topics),
        })),
      ],
      rounds,
    );
    return {
      title: `\`perimeter access --stack\` and \`perimeter review --stack\` of grants on ${stores} FHIR stores, medians of ${rounds}`,
      of: "command",
      columns: [
        { key: "own", title: "s without Pulumi's commands", digits: 1 },
        { key: "seconds", title: "s in all", digits: 1 },
        { key: "policies", title: "policies read" },
        { key: "requests", title: "requests" },
      ],
      rows: rows(measured),
      notes: [
        `Each answer takes ${LATENCY_MS} ms. The grants are in ${stores} policies, below ${ABOVE} others.`,
        `The grants of @pulumi/gcp are on resources of ${kinds} kinds, ${PER_KIND} of each, below one project.`,
      ],
    };
  },
};

async function onStack(
  grants: number,
  stores: number,
  command: string[],
  changed = 0,
): Promise<Record<string, number>> {
  const emulator = await startEmulator({ operationMs: 0, seed: seedOf(stores) });
  const folder = mkdtempSync(join(tmpdir(), "perimeter-bench-"));
  const project = await EngineProject.create({
    program: program(grants, stores, 0),
    nodeModules: "none",
    path: [pluginFolder()],
    env: emulator.env,
    config: { "perimeter:project": "bench", "perimeter:grantMode": "merge" },
  });
  try {
    await project.run(["up", "--yes", "--skip-preview", "--parallel", "16"]);
    project.writeFiles(program(grants, stores, changed));
    emulator.clearRequests();
    emulator.addFaults([{ match: {}, times: 0, fault: { delayMs: LATENCY_MS } }]);
    const { seconds, pulumi, out } = await timed(
      [...command, "--stack", project.stack, "--format", "json"],
      project,
      folder,
    );
    checkAnswer(out, changed === 0 ? { grants } : { changed });
    return { seconds, own: seconds - pulumi, requests: emulator.requests().length, policies: policiesRead(emulator) };
  } finally {
    await project.dispose();
    await emulator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first kinds of the table whose resources are in projects. The emulator has no methods of its own for their APIs. */
function kindsOfGcp(count: number): { type: string; variables: string[] }[] {
  const rows = GCP_GRANTS.trim()
    .split("\n")
    .map((line) => line.split(" ") as [name: string, api: string, template: string]);
  const isPlain = ([name, api, template]: (typeof rows)[number]) =>
    !name.endsWith("/") &&
    template.startsWith("projects/{project}/") &&
    !template.includes("{+") &&
    !OWN_APIS.includes(api);
  return rows
    .filter(isPlain)
    .map(([name, , template]) => ({
      type: `gcp:${name}IamMember:${name.split("/")[1] ?? ""}IamMember`,
      variables: [...template.matchAll(/\{(\w+)\}/g)].map(([, variable = ""]) => variable),
    }))
    .slice(0, count);
}

/** A review of a plan that creates grants of `@pulumi/gcp`, without Pulumi. */
async function ofGcp(grants: number, kinds: number): Promise<Record<string, number>> {
  const all = kindsOfGcp(kinds);
  const steps = Array.from({ length: grants }, (_, at) => {
    const { type, variables } = all[at % kinds] as (typeof all)[number];
    const place = variables.map((name, index) => [
      name,
      index === variables.length - 1 ? `r-${at % (kinds * PER_KIND)}` : "x",
    ]);
    const inputs = {
      ...(Object.fromEntries(place) as Record<string, string>),
      project: "bench",
      role: "roles/viewer",
      member: `user:u${at}@example.com`,
    };
    const urn = `urn:pulumi:bench::bench::${type}::grant-${at}`;
    return { op: "create", urn, newState: { urn, type, custom: true, inputs, outputs: {} } };
  });
  return ofPlan({ steps, isComplete: ({ gained, unknown }) => gained === grants && unknown === 0 });
}

const [TOPIC, MEMBER, BINDING] = [
  "topic:Topic",
  "topicIAMMember:TopicIAMMember",
  "topicIAMBinding:TopicIAMBinding",
].map((type) => `gcp:pubsub/${type}`);
const topicName = (at: number): string => `projects/bench/topics/t-${at}`;

/** A resource of a plan. */
function resourceOf(type = "", name: string, inputs: object, id?: string) {
  const urn = `urn:pulumi:bench::bench::${type}::${name}`;
  return { urn, type, custom: true, ...(id !== undefined && { id }), inputs, outputs: {} };
}

/** A review of a destroy of topics and of one grant on each. */
function ofDestroy(topics: number): Promise<Record<string, number>> {
  const role = "roles/pubsub.publisher";
  const all = Array.from({ length: topics }, (_, at) => {
    const member = `user:u${at}@example.com`;
    const grant = { topic: topicName(at), role, member };
    return [
      resourceOf(TOPIC, `topic-${at}`, { name: `t-${at}` }, topicName(at)),
      resourceOf(MEMBER, `grant-${at}`, grant, `${topicName(at)}/${role}/${member}`),
    ];
  }).flat();
  const policies = all.flatMap(({ inputs }) => {
    const { topic, member } = inputs as { topic?: string; member?: string };
    return topic ? [{ service: "pubsub", name: topic, policy: { bindings: [{ role, members: [member] }] } }] : [];
  });
  return ofPlan({
    steps: all.map((oldState) => ({ op: "delete", urn: oldState.urn, oldState })),
    resources: all,
    seed: policies,
    options: ["--destroy"],
    isComplete: ({ lost }) => lost === topics,
  });
}

/** A review of an update in which two providers write one role on each topic: the order of their steps is unknown. */
function ofRaces(topics: number): Promise<Record<string, number>> {
  const role = "roles/pubsub.publisher";
  const all = Array.from({ length: topics }, (_, at) => [
    resourceOf(BINDING, `binding-${at}`, { topic: topicName(at), role, members: ["user:a@example.com"] }),
    resourceOf("perimeter:iam/v1:ResourceIamMember", `member-${at}`, {
      resource: `//pubsub.googleapis.com/${topicName(at)}`,
      role,
      member: "user:b@example.com",
    }),
  ]).flat();
  return ofPlan({
    steps: all.map((newState) => ({ op: "create", urn: newState.urn, newState })),
    isComplete: ({ unknown }) => unknown === topics,
  });
}

interface PlanReview {
  steps: object[];
  /** Of the state. */
  resources?: object[];
  seed?: object[];
  options?: string[];
  isComplete: (summary: Answer["summary"]) => boolean;
}

/** A review of a plan, without Pulumi. */
async function ofPlan({
  steps,
  resources = [],
  seed = [],
  options = [],
  isComplete,
}: PlanReview): Promise<Record<string, number>> {
  const emulator = await startEmulator({ operationMs: 0, anyResource: true, seed: [...seedOf(0), ...seed] });
  const folder = mkdtempSync(join(tmpdir(), "perimeter-bench-"));
  try {
    const [plan, state] = [join(folder, "plan.json"), join(folder, "state.json")];
    writeFileSync(plan, JSON.stringify({ config: {}, steps, changeSummary: {} }));
    writeFileSync(state, JSON.stringify({ version: 3, deployment: { resources } }));
    emulator.addFaults([{ match: {}, times: 0, fault: { delayMs: LATENCY_MS } }]);
    const began = performance.now();
    const args = ["review", "--plan", plan, "--state", state, "--format", "json", ...options];
    const out = await output(args, folder, { ...process.env, ...emulator.env });
    const seconds = (performance.now() - began) / 1000;
    const { summary } = JSON.parse(out) as Pick<Answer, "summary">;
    if (!isComplete(summary)) throw new Error(`not complete: ${JSON.stringify(summary)}`);
    return { seconds, own: seconds, requests: emulator.requests().length, policies: policiesRead(emulator) };
  } finally {
    await emulator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function seedOf(stores: number): object[] {
  const policy = { bindings: [{ role: "roles/viewer", members: ["user:above@example.com"] }] };
  return [
    ...Array.from({ length: stores }, (_, at) => ({ service: "healthcare", name: storeName(at) })),
    { service: "healthcare", name: DATASET, policy },
    { service: "cloudresourcemanager", name: "projects/bench", body: { parent: "folders/7" }, policy },
    { service: "cloudresourcemanager", name: "folders/7", body: { parent: "organizations/1" }, policy },
    { service: "cloudresourcemanager", name: "organizations/1", policy },
  ];
}

const storeName = (at: number): string => `${DATASET}/fhirStores/store-${at}`;

/** A program in YAML. The first grants have other members when they are changed. */
function program(grants: number, stores: number, changed: number): Record<string, string> {
  const resources = Array.from({ length: grants }, (_, at) => {
    const member = `user:u${at}${at < changed ? "-new" : ""}@example.com`;
    return [`grant-${at}`, { type: STORE_GRANT, properties: { name: storeName(at % stores), role: ROLE, member } }];
  });
  const text = JSON.stringify({ name: "bench", runtime: "yaml", resources: Object.fromEntries(resources) as object });
  return { "Pulumi.yaml": text };
}

/** Runs the command. A script in place of `pulumi` writes when each of its commands begins and ends. */
async function timed(args: string[], project: EngineProject, folder: string) {
  const notes = join(folder, "times");
  const shim = join(folder, "pulumi");
  const real = join(engine().bin, "pulumi");
  writeFileSync(notes, "");
  writeFileSync(
    shim,
    `#!/bin/bash\nbegan=$EPOCHREALTIME\n'${real}' "$@"\ncode=$?\necho "$began $EPOCHREALTIME" >>'${notes}'\nexit $code\n`,
  );
  chmodSync(shim, 0o755);
  const began = performance.now();
  const env = { ...project.env, PATH: [folder, project.env.PATH].join(delimiter) };
  const out = await output(args, project.dir, env);
  const seconds = (performance.now() - began) / 1000;
  return { seconds, pulumi: coveredBy(readFileSync(notes, "utf8")), out };
}

/** What the command prints. */
async function output(args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => child.once("close", resolve));
  return Buffer.concat(chunks).toString("utf8");
}

/** The seconds in which at least one command ran. Each line has the beginning and the end of one. */
function coveredBy(lines: string): number {
  const spans = lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" ").map(Number) as [number, number])
    .sort(([left], [right]) => left - right);
  let [covered, until] = [0, 0];
  for (const [from, to] of spans) {
    covered += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return covered;
}

/** Checks that the answer is complete: all grants are read and managed, or all changes are found. */
function checkAnswer(out: string, { grants, changed }: { grants?: number; changed?: number }): void {
  const { summary, stacks } = JSON.parse(out) as Pick<Answer, "summary" | "stacks">;
  const resources = stacks.flatMap((stack) => stack.resources);
  const found = changed === undefined ? summary.unchanged : summary.gained;
  const wanted = changed ?? grants;
  if (found !== wanted || summary.unknown !== 0)
    throw new Error(`${found} of ${wanted} found: ${JSON.stringify(summary)}`);
  if (resources.some(({ unmanaged, inherited }) => unmanaged.length > 0 || inherited?.length !== ABOVE)) {
    throw new Error("the answer has unmanaged grants, or not those from above");
  }
}

function policiesRead(emulator: Emulator): number {
  return emulator.requests().filter(({ path }) => /[:/](getIamPolicy|iam)(\?|$)/.test(path)).length;
}
