import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare, machine, table } from "./timer";

/** How fast does the emulator start, how many requests does it answer in a second, and does its memory stay bounded? */

const MAIN = join(__dirname, "..", "dist", "cli", "main.js");
const STARTS = 9;
const ALLOWED_START_MS = 250;
const REQUESTS = 100_000;
const LANES = 8;
const SCOPE = "/v1beta/projects/demo-project/locations/global/scopes/team-a";
const GATEWAY = "/v1beta/projects/demo-project/locations/us-central1/gateways/edge";
const ASSOCIATIONS = "/v1beta1/projects/p/locations/us-central1-a/firewallEndpointAssociations";

/** Without the certificates of the environment, which cost Node some 40 ms at each start. */
const environment = { ...process.env, NODE_EXTRA_CA_CERTS: undefined };

export async function benchEmulator(): Promise<void> {
  if (!existsSync(MAIN)) {
    throw new Error(`${MAIN} is missing: run make build first`);
  }
  await starting();
  await serving();
}

async function starting(): Promise<void> {
  const subjects = [
    {
      name: "node -e 0",
      run: () => ended(spawn(process.execPath, ["-e", "0"], { env: environment, stdio: "ignore" })),
    },
    { name: "perimeter emulator: listening", run: listening },
  ];
  const measured = await compare(subjects, STARTS);
  const rows = [...measured].map(([name, { seconds = NaN }]) => [
    name,
    (seconds * 1000).toFixed(0),
    ((seconds * 1000) / ALLOWED_START_MS).toFixed(2),
  ]);
  console.log(`Start of the emulator: ms from spawn, median of ${STARTS} (${machine()})\n`);
  console.log(table(["what", "ms", `× allowed (${ALLOWED_START_MS} ms)`], rows));
}

async function serving(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "perimeter-bench-"));
  const rows: string[][] = [];
  try {
    for (const { name, args, work, requests } of [
      { name: "reads", args: [], work: read, requests: REQUESTS },
      { name: "policies: read, write", args: [], work: writePolicy, requests: REQUESTS },
      { name: "lifecycles: create, get, delete, get", args: [], work: liveAndDie, requests: REQUESTS },
      { name: "the same, --data", args: ["--data", folder], work: liveAndDie, requests: REQUESTS / 25 },
    ]) {
      rows.push([name, ...(await load(args, work, requests))]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`\nRequests of ${LANES} clients at a time, and memory of the emulator's process (${machine()})\n`);
  console.log(table(["requests", "number", "per second", "MB at first", "MB half-way", "MB at the end"], rows));
}

/** What one client does in a round. @returns how many requests it sent */
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

async function load(args: readonly string[], work: Work, requests: number): Promise<string[]> {
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
    return [String(requests), (requests / seconds).toFixed(0), first, half, memoryOf(child)];
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
      // Read `sent` after the wait: `sent += await …` would forget what the other lanes sent meanwhile.
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

function memoryOf({ pid }: ChildProcess): string {
  return (Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024).toFixed(0);
}

if (require.main === module) {
  benchEmulator().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
