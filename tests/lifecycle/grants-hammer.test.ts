import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import type { Binding, Policy } from "../../provider/iam/policy";
import { FOREIGN } from "../support/grants";
import { Random } from "../support/grants-random";
import type { Done, Job } from "./grants-worker";
import { JOB_GRANT } from "../support/tokens";

/**
 * The hammer: several provider processes and an outside writer change the same few policies over HTTP, while answers are
 * lost, cut off and refused. At the end each policy holds exactly what it should. `GRANTS_SEED` makes other choices.
 */
const SEED = Number(process.env.GRANTS_SEED ?? 2026);
const PROCESSES = 3;
const RESOURCES = 3;
const GRANTS_PER_PROCESS = 80;
const LONGEST_MS = 10 * 60_000;

const ROLES = ["roles/datamigration.viewer", "roles/viewer"];
const CONDITION = { title: "on-call", expression: "true" };
const WORKER = join(__dirname, "./grants-worker.ts");

const nameOf = (number: number) => `projects/demo-project/locations/us-central1/migrationJobs/job-${number}`;

/** Somebody else's policy, with fields that the provider does not know. */
const foreign = (number: number): Policy => ({
  tomorrow: { of: [number, { deep: null }] },
  bindings: (FOREIGN.bindings ?? []).map((each, at) => ({ ...each, bindingId: `b-${at}` })),
  auditConfigs: FOREIGN.auditConfigs,
});

let emulator: Emulator;
beforeAll(async () => {
  const seed = Array.from({ length: RESOURCES }, (_, at) => ({ service: "datamigration", name: nameOf(at) }));
  emulator = await startEmulator({ seed, newerPolicyFields: ["tomorrow", "bindingId"] });
  for (let number = 0; number < RESOURCES; number++) emulator.mutate(nameOf(number), { policy: foreign(number) });
});
const children: ChildProcess[] = [];
afterAll(async () => {
  const left = children.filter((child) => child.exitCode === null && child.signalCode === null);
  await Promise.all(left.map((child) => (child.kill("SIGKILL"), once(child, "exit"))));
  await emulator.stop();
});

/** Faults of about one write in five. */
function faultPlan(random: Random) {
  const bad = [
    { status: "ABORTED" },
    { reset: "after" },
    { reset: "before" },
    { status: 429, retryAfter: 0 },
    { status: 503 },
    { status: 503, when: "after" },
    { truncate: 30 },
    { truncate: { bytes: 25, clean: true } },
    { status: 412 },
    { html: true, when: "after" },
  ];
  const fates = (count: number, from: readonly unknown[]) =>
    Array.from({ length: count }, () => (random.next() < 0.2 ? random.pick(from) : "pass"));
  return [
    { match: { id: "**.setIamPolicy" }, times: 0, fault: { sequence: fates(97, bad) } },
    {
      match: { id: "**.getIamPolicy" },
      times: 0,
      fault: { sequence: fates(31, [{ status: 503 }, { reset: "before" }, { truncate: 30 }, { delayMs: 30 }]) },
    },
  ];
}

interface Work {
  jobs: Job[];
  /** Of each resource: the members that are to be left, as `role|condition|member`. */
  expected: Set<string>[];
}

/** Every grant is one process's own; some are made and removed and made again. */
function plan(random: Random): Work {
  const expected = Array.from({ length: RESOURCES }, () => new Set<string>());
  const jobs = Array.from({ length: PROCESSES }, (_, worker): Job => {
    const grants = Array.from({ length: GRANTS_PER_PROCESS }, (_, at) => {
      const resource = random.below(RESOURCES);
      const role = random.pick(ROLES);
      const condition = random.next() < 0.3 ? CONDITION : undefined;
      const member = `user:P${worker}-U${at}@example.com`;
      const steps = random.pick<("add" | "remove")[]>([["add"], ["add", "remove"], ["add", "remove", "add"]]);
      if (steps.at(-1) === "add") expected[resource]?.add(keyOf(role, condition?.title, member));
      return { inputs: { name: nameOf(resource), role, member, ...(condition ? { condition } : {}) }, steps };
    });
    const environment = { ...emulator.env };
    return { configuration: { grantMode: "merge" }, environment, token: JOB_GRANT, parallel: 40, grants };
  });
  return { jobs, expected };
}

const keyOf = (role: string, title: string | undefined, member: string) => `${role}|${title ?? ""}|${member}`;

/** A provider process that waits for its job. */
interface Worker {
  ready: Promise<unknown>;
  work: (job: Job) => Promise<Done>;
}

function startWorker(): Worker {
  const child = fork(WORKER, {
    execArgv: ["-r", join(__dirname, "../../tools/register.cjs")],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  children.push(child);
  const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  const ended = new Promise<never>((_resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`a provider process ended with ${code ?? signal}`));
    });
  });
  const message = () => new Promise<unknown>((resolve) => child.once("message", resolve));
  return {
    ready: Promise.race([message(), ended]),
    work: (job) => {
      child.send(job);
      return Promise.race([message() as Promise<Done>, ended]);
    },
  };
}

/** Adds and removes members of its own by a read-modify-write that shares no code with the provider. */
async function outsideWriter(random: Random, isOver: () => boolean): Promise<Set<string>[]> {
  const held = Array.from({ length: RESOURCES }, () => new Set<string>());
  for (let number = 0; !isOver(); number++) {
    const resource = random.below(RESOURCES);
    const mine = held[resource] as Set<string>;
    const remove = mine.size > 5 && random.next() < 0.4 ? random.pick([...mine]) : undefined;
    const member = remove ?? `group:outside-${number}@example.com`;
    await change(nameOf(resource), (policy) => {
      const bindings = (policy.bindings ?? []) as { role?: string; members: string[] }[];
      const binding = bindings.find((each) => each.role === "roles/test.outside");
      if (!binding) bindings.push({ role: "roles/test.outside", members: [member] });
      else if (remove) binding.members = binding.members.filter((each) => each !== member);
      else if (!binding.members.includes(member)) binding.members.push(member);
      return { ...policy, bindings };
    });
    if (remove) mine.delete(member);
    else mine.add(member);
    await new Promise((resolve) => setTimeout(resolve, 20 + random.below(60)));
  }
  return held;
}

async function change(name: string, apply: (policy: Policy) => Policy): Promise<void> {
  const url = `${emulator.url}/v1beta1/${name}`;
  for (;;) {
    try {
      const read = await fetch(`${url}:getIamPolicy?options.requestedPolicyVersion=3`);
      const policy = (await read.json()) as Policy;
      if (!read.ok) continue;
      const body = JSON.stringify({ policy: { ...apply(policy), version: 3 } });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${url}:setIamPolicy`, { method: "POST", headers, body });
      if (answer.ok) return void (await answer.json());
    } catch {
      // The answer is lost or cut off: the next read tells whether the write took effect.
    }
  }
}

test(
  `${PROCESSES} provider processes, an outside writer and a bad network leave exactly what they should (seed ${SEED})`,
  async () => {
    const random = new Random(SEED);
    const { jobs, expected } = plan(random);
    emulator.setFaults(faultPlan(random));
    const workers = jobs.map(startWorker);
    // They begin together, or on a busy machine one would be done before the next has loaded its modules.
    await Promise.all(workers.map(({ ready }) => ready));
    let over = false;
    const outside = outsideWriter(new Random(SEED + 1), () => over);
    const done = await Promise.all(workers.map(({ work }, at) => work(jobs[at] as Job)));
    over = true;
    const held = await outside;
    const requests = emulator.requests();
    const met = (status: number | null) => requests.filter((each) => each.status === status).length;
    // Without faults and conflicts, this test would prove nothing.
    expect(met(409)).toBeGreaterThan(3);
    expect(met(null)).toBeGreaterThan(0);
    expect(done.flatMap(({ failures }) => failures)).toEqual([]);

    for (let number = 0; number < RESOURCES; number++) {
      const policy = { ...emulator.resource(nameOf(number))?.policy } as Policy;
      const ours = (each: Binding) => ROLES.includes(each.role ?? "");
      const isOutside = (each: Binding) => each.role === "roles/test.outside";
      const bindings = policy.bindings ?? [];
      const live = bindings
        .filter(ours)
        .flatMap(({ role = "", condition, members = [] }) =>
          members.map((member) => keyOf(role, condition?.title, member)),
        );
      expect([...live].sort()).toEqual([...(expected[number] ?? [])].sort());
      const others = bindings.filter(isOutside).flatMap(({ members = [] }) => members);
      expect([...others].sort()).toEqual([...(held[number] ?? [])].sort());
      const rest = bindings.filter((each) => !ours(each) && !isOutside(each));
      const { version: _version, etag: _etag, bindings: _bindings, ...around } = policy;
      const { bindings: foreignBindings, ...foreignAround } = foreign(number);
      expect(JSON.stringify(rest)).toBe(JSON.stringify(foreignBindings));
      expect(JSON.stringify(around)).toBe(JSON.stringify(foreignAround));
    }
  },
  LONGEST_MS + 10_000,
);
