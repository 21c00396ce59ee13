import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare, counts, type Measured } from "./framework/measure";
import { rows, type Bench, type Row, type Table } from "./framework/result";

/** How fast does the emulator start, how many requests does it answer in a second, and does its memory stay bounded? */

const MAIN = join(__dirname, "..", "dist", "cli", "main.js");
const LISTENING = "perimeter emulator: listening";
const ALLOWED_START_MS = 250;
const LANES = 8;
const SCOPE = "/v1beta/projects/demo-project/locations/global/scopes/team-a";
const GATEWAY = "/v1beta/projects/demo-project/locations/us-central1/gateways/edge";
const ASSOCIATIONS = "/v1beta1/projects/p/locations/us-central1-a/firewallEndpointAssociations";

/** Without NODE_EXTRA_CA_CERTS, because reading certificates costs Node about 40 ms at each start. */
const environment = { ...process.env, NODE_EXTRA_CA_CERTS: undefined };

export const emulator: Bench = {
  name: "emulator",
  async run({ quick }) {
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run make build first`);
    return {
      title: "The emulator's start, its requests a second, and the memory of its process",
      tables: [await starting(quick ? 2 : 9), await serving(quick ? 500 : 100_000)],
      plots: [],
      notes: [],
    };
  },
};

async function starting(rounds: number): Promise<Table> {
  const subjects = [
    {
      name: "node -e 0",
      run: () => ended(spawn(process.execPath, ["-e", "0"], { env: environment, stdio: "ignore" })),
    },
    { name: LISTENING, run: listening },
  ];
  const inMs = async (run: () => Promise<unknown>) => {
    const began = performance.now();
    await run();
    return { ms: performance.now() - began };
  };
  const contenders = subjects.map(({ name, run }) => ({ name, run: () => inMs(run) }));
  return {
    title: `Start, medians of ${rounds}`,
    of: "what",
    columns: [{ key: "ms", title: "ms from spawn" }],
    rows: rows(await compare(contenders, rounds), { [LISTENING]: `${ALLOWED_START_MS} ms` }),
  };
}

async function serving(requests: number): Promise<Table> {
  const folder = mkdtempSync(join(tmpdir(), "perimeter-bench-"));
  const rows: Row[] = [];
  try {
    for (const each of [
      { name: "reads", args: [], work: read, requests },
      { name: "policies: read, write", args: [], work: writePolicy, requests },
      { name: "lifecycles: create, get, delete, get", args: [], work: liveAndDie, requests },
      { name: "the same, --data", args: ["--data", folder], work: liveAndDie, requests: requests / 25 },
    ]) {
      rows.push({ name: each.name, figures: await load(each.args, each.work, each.requests) });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    title: `Requests of ${LANES} clients at a time`,
    of: "requests",
    columns: [
      { key: "requests", title: "number" },
      { key: "perSecond", title: "per second" },
      { key: "first", title: "MB at first" },
      { key: "half", title: "MB half-way" },
      { key: "end", title: "MB at the end" },
    ],
    rows,
  };
}

/** The requests of one client in a round. @returns how many requests it sent */
type Work = (call: Call, id: string) => Promise<number>;
type Call = (method: string, path: string, body?: object) => Promise<number>;

const read: Work = async (call) => {
  expect(await call("GET", SCOPE), 200);
  return 1;
};

const writePolicy: Work = async (call, id) => {
  expect(await call("GET", `${GATEWAY}:getIamPolicy`), 200);
  const bindings = [{ role: "roles/viewer", members: [`user:${id}@example.com`] }];
  expect(await call("POST", `${GATEWAY}:setIamPolicy`, { policy: { bindings } }), 200);
  return 2;
};

const liveAndDie: Work = async (call, id) => {
  const body = {
    network: `projects/p/global/networks/${id}`,
    firewallEndpoint: `organizations/1/locations/us-central1-a/firewallEndpoints/${id}`,
  };
  expect(await call("POST", `${ASSOCIATIONS}?firewallEndpointAssociationId=${id}`, body), 200);
  expect(await call("GET", `${ASSOCIATIONS}/${id}`), 200);
  expect(await call("DELETE", `${ASSOCIATIONS}/${id}`), 200);
  expect(await call("GET", `${ASSOCIATIONS}/${id}`), 404);
  return 4;
};

async function load(args: readonly string[], work: Work, requests: number): Promise<Measured> {
  const { child, port } = await start(args);
  const agent = new Agent({ keepAlive: true });
  try {
    const call = caller(agent, port);
    const first = memoryOf(child);
    const began = performance.now();
    await run(call, work, requests / 2, "a");
    const half = memoryOf(child);
    await run(call, work, requests / 2, "b");
    const seconds = (performance.now() - began) / 1000;
    return counts({ requests, perSecond: requests / seconds, first, half, end: memoryOf(child) });
  } finally {
    agent.destroy();
    child.kill("SIGKILL");
  }
}

async function run(call: Call, work: Work, requests: number, prefix: string): Promise<void> {
  let sent = 0;
  let round = 0;
  const lane = async (): Promise<void> => {
    while (sent < requests) {
      round += 1;
      // Read `sent` after the wait: `sent += await …` would lose requests of other lanes.
      const more = await work(call, `${prefix}${round}`);
      sent += more;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function caller(agent: Agent, port: number): Call {
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { "content-type": "application/json" };
      const sent = request({ host: "127.0.0.1", port, method, path, agent, headers }, (response) => {
        response.resume().once("end", () => resolve(response.statusCode ?? 0));
      });
      sent.once("error", reject).end(body && JSON.stringify(body));
    });
}

function expect(actual: number, wanted: number): void {
  if (actual !== wanted) throw new Error(`answered ${actual} instead of ${wanted}`);
}

async function listening(): Promise<Record<string, number>> {
  const { child } = await start([]);
  child.kill("SIGKILL");
  return {};
}

function start(args: readonly string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [MAIN, "emulator", "--port", "0", ...args], {
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const port = /listening on http:\/\/[^:]+:(\d+)/.exec(output)?.[1];
      if (port !== undefined) resolve({ child, port: Number(port) });
    });
    child.once("error", reject).once("exit", (code) => reject(new Error(`the emulator ended with ${code}`)));
  });
}

function ended(child: ChildProcess): Promise<Record<string, number>> {
  return new Promise((resolve, reject) => child.once("error", reject).once("exit", () => resolve({})));
}

function memoryOf({ pid }: ChildProcess): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
}
