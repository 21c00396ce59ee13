import { startEmulator, type Emulator } from "../emulator";
import { backoff } from "../provider/http/retry";
import { addGrant, policyToSend, type Policy } from "../provider/iam/policy";
import { EngineLogServer } from "../tests/support/engine-log-server";
import { ASSOCIATION, JOB_GRANT } from "../tests/support/tokens";
import { compare, type Contender } from "./framework/measure";
import { plugins, startPlugin, type PluginFile } from "./framework/plugins";
import { rows, type Bench } from "./framework/table";

/**
 * What do many grants on one policy take, against clients that read, change and write the policy for each grant? Migration jobs
 * have no known quota of policy writes, so this measures work, not waiting for a quota.
 */
const JOB = "projects/bench/locations/us-central1/migrationJobs/orders";
const ROLE = "roles/viewer";
/** The engine's default. */
const AT_A_TIME = 16;
const LATENCY_MS = 5;

type Grant = (member: string, at: number) => Promise<unknown>;

export const grants: Bench = {
  name: "grants",
  async run(quick) {
    const [count, present, rounds] = quick ? [20, 50, 1] : [500, 500, 3];
    const run = (way: (emulator: Emulator) => Promise<{ grant: Grant; end?: () => Promise<void> }>) => () =>
      granted(way, count, present);
    const contenders: Contender[] = [
      ...plugins()
        .filter(({ type }) => type === ASSOCIATION)
        .map((plugin) => ({ name: plugin.name, run: run((emulator) => throughPlugin(plugin, emulator)) })),
      {
        name: "one read and write each",
        run: run((emulator) => Promise.resolve({ grant: readModifyWrite(emulator) })),
      },
      { name: "the same behind a lock", run: run((emulator) => Promise.resolve({ grant: locked(emulator) })) },
    ];
    return {
      title: `${count} new grants on one policy with ${present} other principals, ${AT_A_TIME} at a time, medians of ${rounds}`,
      of: "way",
      columns: [
        { key: "requests", title: "requests" },
        { key: "seconds", title: "s", digits: 1 },
      ],
      rows: rows(await compare(contenders, rounds)),
      notes: [`Each answer takes ${LATENCY_MS} ms.`],
    };
  },
};

async function granted(
  way: (emulator: Emulator) => Promise<{ grant: Grant; end?: () => Promise<void> }>,
  count: number,
  present: number,
): Promise<Record<string, number>> {
  const members = Array.from({ length: present }, (_, at) => `user:other${at}@example.com`);
  const emulator = await startEmulator({
    seed: [{ service: "datamigration", name: JOB, policy: { bindings: [{ role: ROLE, members }] } }],
    faults: [{ match: {}, times: 0, fault: { delayMs: LATENCY_MS } }],
  });
  const { grant, end } = await way(emulator);
  try {
    const began = performance.now();
    await inLanes(count, AT_A_TIME, (at) => grant(`user:u${at}@example.com`, at));
    const seconds = (performance.now() - began) / 1000;
    const made = (emulator.resource(JOB)?.policy as Policy).bindings?.flatMap((binding) => binding.members ?? []);
    if (made?.length !== present + count) throw new Error(`${made?.length} members instead of ${present + count}`);
    return { seconds, requests: emulator.requests().length };
  } finally {
    await end?.();
    await emulator.stop();
  }
}

async function throughPlugin(plugin: PluginFile, emulator: Emulator) {
  const engine = await EngineLogServer.start();
  const { client } = await startPlugin(plugin, engine, { ...emulator.env, PERIMETER_GRANT_MODE: "merge" });
  const grant: Grant = async (member, at) => {
    const name = `grant-${at}`;
    const { inputs } = await client.check(JOB_GRANT, { name: JOB, role: ROLE, member }, name);
    await client.create(JOB_GRANT, inputs, { name });
  };
  const end = async () => {
    await client.close();
    engine.stop();
  };
  return { grant, end };
}

/** Does the work for 0 to `count` - 1, with limited concurrency, like an engine with `--parallel`. */
async function inLanes(count: number, lanes: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < count; at = next++) await work(at);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** The simple loop: read, add, write with the etag; after a conflict, wait longer and repeat. */
function readModifyWrite(emulator: Emulator): Grant {
  const url = `${emulator.url}/v1beta1/${JOB}`;
  const headers = { "content-type": "application/json" };
  return async (member) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await fetch(`${url}:getIamPolicy?options.requestedPolicyVersion=3`);
      const read = (await answer.json()) as Policy;
      const policy = policyToSend(read, addGrant(read, { role: ROLE, member }));
      const written = await fetch(`${url}:setIamPolicy`, { method: "POST", headers, body: JSON.stringify({ policy }) });
      await written.arrayBuffer();
      if (written.ok) return;
      if (written.status !== 409) throw new Error(`HTTP ${written.status}`);
      await new Promise((resolve) => setTimeout(resolve, backoff(attempt, Math.random)));
    }
  };
}

function locked(emulator: Emulator): Grant {
  const grant = readModifyWrite(emulator);
  let last: Promise<unknown> = Promise.resolve();
  return (member, at) => (last = last.then(() => grant(member, at)));
}
