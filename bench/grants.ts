import { startEmulator, type Emulator } from "../emulator";
import { backoff } from "../provider/http/retry";
import { addGrant, policyToSend, type Policy } from "../provider/iam/policy";
import { Provider } from "../provider/runtime/provider";
import { JOB_GRANT } from "../tests/support/tokens";
import { compare, type Measured, type Contender } from "./framework/measure";
import { bars, rows, type Bench, type Table } from "./framework/result";

/**
 * How many requests, and how long, do grants on one and on five resources take: through the provider, and as one
 * read-modify-write for each grant, with and without a lock for each resource?
 *
 * Migration jobs, because they have no known quota of policy writes: so the bench measures work, not waiting for quota.
 */
const ROLE = "roles/viewer";
/** Delay of each response. The real APIs take longer, so the number of requests matters even more. */
const LATENCY_MS = 5;
const CALL = { timeout: 600_000 };

interface Case {
  grants: number;
  resources: number;
  /** How many the engine sends at a time. */
  atATime: number;
}

const nameOf = (number: number) => `projects/demo-project/locations/us-central1/migrationJobs/job-${number}`;
/** Grants of one resource follow each other, as in a program that loops over resources and their members. */
const resourceOf = ({ grants, resources }: Case, at: number) => nameOf(Math.floor((at * resources) / grants));
const memberOf = (at: number) => `user:u${at}@example.com`;

const OURS = "Perimeter";
const PLAIN = "one read-modify-write each";
const LOCKED = "the same behind a lock";

export const grants: Bench = {
  name: "grants",
  async run({ quick }) {
    const emulator = await startEmulator();
    try {
      await warmUp(emulator);
      const tables = [];
      for (const each of casesOf(quick)) {
        const contenders = [provider(emulator, each), plain(emulator, each), locked(emulator, each)];
        const measured = await compare(contenders, each.grants > 100 || quick ? 1 : 3);
        tables.push(table(each, measured));
      }
      const [last] = tables.slice(-1).map((each) => each.rows);
      return {
        title: `Requests and seconds of grants; each answer takes ${LATENCY_MS} ms`,
        tables,
        plots: [bars("grants", "Requests of the grants of the last table", "requests", last ?? [], "requests")],
        notes: [],
      };
    } finally {
      await emulator.stop();
    }
  },
};

function casesOf(quick: boolean): Case[] {
  const sizes = quick ? [1, 10] : [1, 10, 100, 500];
  return [false, true].flatMap((atOnce) =>
    [1, 5].flatMap((resources) =>
      sizes
        .filter((grants) => grants >= resources && !(atOnce && grants === 1))
        .map((grants) => ({ grants, resources, atATime: atOnce ? grants : Math.min(8, grants) })),
    ),
  );
}

function table({ grants, resources, atATime }: Case, measured: ReadonlyMap<string, Measured>): Table {
  return {
    title: `${grants} on ${resources} ${resources === 1 ? "resource" : "resources"}, ${atATime} at a time`,
    of: "way",
    columns: [
      { key: "requests", title: "requests" },
      { key: "requests", title: "× Perimeter", digits: 1, relativeTo: OURS },
      { key: "seconds", title: "s", digits: 2 },
      { key: "seconds", title: "× Perimeter", digits: 1, relativeTo: OURS },
    ],
    rows: rows(measured),
  };
}

/** Loads and compiles everything before the first measurement. */
async function warmUp(emulator: Emulator): Promise<void> {
  const small = { grants: 10, resources: 1, atATime: 10 };
  for (const make of [provider, plain, locked]) await make(emulator, small).run();
}

function provider(emulator: Emulator, each: Case): Contender {
  return {
    name: OURS,
    run: () =>
      onFreshJobs(emulator, each, () => {
        const one = new Provider({ grantMode: "merge" }, { ...emulator.env });
        return (name, member) => one.create(JOB_GRANT, { name, role: ROLE, member }, CALL);
      }),
  };
}

function plain(emulator: Emulator, each: Case): Contender {
  return {
    name: PLAIN,
    run: () => onFreshJobs(emulator, each, () => (name, member) => readModifyWrite(emulator, name, member)),
  };
}

function locked(emulator: Emulator, each: Case): Contender {
  return {
    name: LOCKED,
    run: () =>
      onFreshJobs(emulator, each, () => {
        const last = new Map<string, Promise<unknown>>();
        return (name, member) => {
          const next = (last.get(name) ?? Promise.resolve()).then(() => readModifyWrite(emulator, name, member));
          last.set(name, next);
          return next;
        };
      }),
  };
}

async function onFreshJobs(
  emulator: Emulator,
  each: Case,
  make: () => (resource: string, member: string) => Promise<unknown>,
): Promise<Record<string, number>> {
  emulator.reset({ seed: false });
  const names = Array.from({ length: each.resources }, (_, at) => nameOf(at));
  emulator.seed(names.map((name) => ({ service: "datamigration", name })));
  emulator.setFaults([{ match: {}, times: 0, fault: { delayMs: LATENCY_MS } }]);
  const grant = make();
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < each.grants; at = next++) await grant(resourceOf(each, at), memberOf(at));
  };
  await Promise.all(Array.from({ length: each.atATime }, worker));
  const made = names.flatMap((name) => (emulator.resource(name)?.policy as Policy).bindings?.[0]?.members ?? []);
  if (made.length !== each.grants) throw new Error(`${made.length} grants were made instead of ${each.grants}`);
  return { requests: emulator.requests().length };
}

/** The simple loop: read, add, write with the etag; after a conflict, wait longer and repeat. */
async function readModifyWrite(emulator: Emulator, name: string, member: string): Promise<void> {
  const url = `${emulator.url}/v1beta1/${name}`;
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(`${url}:getIamPolicy?options.requestedPolicyVersion=3`);
    const read = (await answer.json()) as Policy;
    const policy = policyToSend(read, addGrant(read, { role: ROLE, member }));
    const headers = { "content-type": "application/json" };
    const written = await fetch(`${url}:setIamPolicy`, { method: "POST", headers, body: JSON.stringify({ policy }) });
    await written.arrayBuffer();
    if (written.ok) return;
    if (written.status !== 409) throw new Error(`HTTP ${written.status}`);
    await new Promise((resolve) => setTimeout(resolve, backoff(attempt, Math.random)));
  }
}
