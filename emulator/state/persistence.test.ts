import { spawnSync } from "node:child_process";
import fs, {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { demoSeed } from "../index";
import { countHere } from "../../tests/support/test-all";
import { ASSOCIATIONS, associationBody, startTest, stopAll, uuid } from "../testing/client";
import { startProcess, type EmulatorProcess } from "../testing/process";

const ROOT = join(__dirname, "..", "..");

let data: string;
const children: EmulatorProcess[] = [];
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "perimeter-emulator-"));
});
afterEach(async () => {
  await stopAll();
  await Promise.all(children.splice(0).map((child) => child.kill()));
  rmSync(data, { recursive: true, force: true });
});

const SCOPE = "projects/p/locations/global/scopes/s";
const scope = { service: "gkehub", name: SCOPE, body: { labels: { a: "b" } } };
const POLICY = { bindings: [{ role: "roles/viewer", members: ["user:a@b.c"] }] };

async function start(maxFileKiB?: number): Promise<EmulatorProcess> {
  const child = await startProcess(["--empty", "--data", data], maxFileKiB);
  children.push(child);
  return child;
}

const send = (url: string, method: string, path: string, body?: unknown) =>
  fetch(`${url}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

test("a change is on the disk before its response", async () => {
  const client = await startTest({ data, operationMs: 1000 });
  const synced = jest.spyOn(fs, "fdatasyncSync");
  try {
    await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
    expect(synced).toHaveBeenCalledTimes(1);
    await client.get(`${ASSOCIATIONS}/a`);
    expect(synced).toHaveBeenCalledTimes(1);
  } finally {
    synced.mockRestore();
  }
});

test("only the user of the emulator can read its state", async () => {
  const client = await startTest({ data: join(data, "own") });
  await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
  await stopAll();
  const modes = readdirSync(join(data, "own")).map((name) => [name, statSync(join(data, "own", name)).mode & 0o777]);
  expect(modes).toEqual([
    ["state.journal", 0o600],
    ["state.json", 0o600],
  ]);
  expect(statSync(join(data, "own")).mode & 0o777).toBe(0o700);
});

describe("a restart", () => {
  test("keeps resources, policies, running operations and requestIds", async () => {
    const first = await startTest({ data, seed: demoSeed, operationMs: 1000 });
    const path = "/v1beta1/projects/demo-project/locations/us-central1/migrationJobs/orders-to-sql";
    const { body: written } = await first.post(`${path}:setIamPolicy`, { policy: POLICY });
    const create = `${ASSOCIATIONS}?firewallEndpointAssociationId=a&requestId=${uuid(1)}`;
    const { body: operation } = await first.post(create, associationBody());
    await first.emulator.stop();

    const second = await startTest({ data, seed: demoSeed, operationMs: 1000 });
    expect((await second.get(`${path}:getIamPolicy`)).body).toEqual(written);
    expect((await second.post(create, associationBody())).body.name).toBe(operation.name);
    expect((await second.get(`${ASSOCIATIONS}/a`)).body.state).toBe("CREATING");
    second.emulator.advance(1000);
    expect((await second.get(`${ASSOCIATIONS}/a`)).body.state).toBe("ACTIVE");
  });

  test("keeps the offset of the clock", async () => {
    const first = await startTest({ data, operationMs: 1000 });
    const create = `${ASSOCIATIONS}?firewallEndpointAssociationId=a&requestId=${uuid(1)}`;
    const { body: operation } = await first.post(create, associationBody());
    first.emulator.advance(2 * 60 * 60 * 1000);
    const now = first.emulator.now();
    expect((await first.get(`/v1beta1/${operation.name}`)).body.done).toBe(true);
    await first.emulator.stop();

    const second = await startTest({ data, operationMs: 1000 });
    expect(second.emulator.now()).toBe(now);
    expect((await second.get(`/v1beta1/${operation.name}`)).body.done).toBe(true);
    // A requestId is remembered for an hour, which has passed, so this create is new.
    expect((await second.post(create, associationBody())).body.error.status).toBe("ALREADY_EXISTS");
  });

  test("does not restore deleted resources of the seed", async () => {
    const first = await startTest({ data, seed: [scope] });
    first.emulator.remove(SCOPE);
    await first.emulator.stop();
    const second = await startTest({ data, seed: [scope] });
    expect(second.emulator.resources()).toEqual([]);
  });

  test("after a reset has the state of the reset", async () => {
    const first = await startTest({ data, seed: [scope] });
    await first.post(ASSOCIATIONS, associationBody());
    first.emulator.advance(5);
    first.emulator.reset();
    const now = first.emulator.now();
    await first.emulator.stop();
    const second = await startTest({ data, seed: [scope] });
    expect(second.emulator.resources().map(({ name }) => name)).toEqual([SCOPE]);
    expect(second.emulator.now()).toBe(now);
  });
});

describe("the files", () => {
  test.each(["{", '{"format": 99}'])("of other programs are refused by name and not changed: %s", async (content) => {
    const file = join(data, "state.json");
    writeFileSync(file, content);
    await expect(startTest({ data })).rejects.toThrow(file);
    expect(readFileSync(file, "utf8")).toBe(content);
    expect(existsSync(join(data, "emulator.lock"))).toBe(false);
  });

  test("without a journal are read", async () => {
    const resource = { service: "gkehub", name: SCOPE, body: { name: SCOPE, labels: { a: "old" } } };
    const state = { format: 2, resources: [resource], operations: [], requestIds: [] };
    writeFileSync(join(data, "state.json"), JSON.stringify(state));
    const client = await startTest({ data });
    expect((await client.get(`/v1beta/${SCOPE}`)).body.labels).toEqual({ a: "old" });
  });

  test("lose only an incomplete last line after a crash", async () => {
    const first = await startTest({ data });
    await first.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody(1));
    const journal = readFileSync(join(data, "state.journal"), "utf8");
    await first.emulator.stop();
    rmSync(join(data, "state.json"));
    writeFileSync(join(data, "state.journal"), `${journal}{"resources":[["projects/p/loca`);

    const second = await startTest({ data });
    expect((await second.get(`${ASSOCIATIONS}/a`)).status).toBe(200);
    await second.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=b`, associationBody(2));
    await second.emulator.stop();
    const third = await startTest({ data });
    expect((await third.get(`${ASSOCIATIONS}/b`)).status).toBe(200);
  });

  test("in a folder that cannot be created are refused at once", () => {
    // Runs in a separate process, because a hang would also stop this one. In /dev/null no folder can be created either.
    const folder = existsSync("/proc") ? "/proc/perimeter" : "/dev/null/perimeter";
    const args = ["-r", "./tools/register.cjs", "cli/main.ts", "emulator", "--port", "0", "--data", folder];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8", timeout: 60_000 });
    expect([status, stderr]).toEqual([1, expect.stringContaining(folder)]);
  }, 90_000);

  test("with damage before the last line are refused", async () => {
    const journal = join(data, "state.journal");
    writeFileSync(journal, '{"resources":\n{"resources":[],"operations":[],"requestIds":[]}\n');
    await expect(startTest({ data })).rejects.toThrow(`${journal} is damaged in line 1`);
  });

  test("are never written through a malicious link", async () => {
    const victim = join(data, "victim");
    writeFileSync(victim, "precious");
    symlinkSync(victim, join(data, "state.json.tmp"));
    const client = await startTest({ data, seed: [scope] });
    await client.emulator.stop();
    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(readFileSync(join(data, "state.json"), "utf8")).toContain(SCOPE);

    rmSync(join(data, "state.journal"));
    symlinkSync(victim, join(data, "state.journal"));
    await expect(startTest({ data, seed: [scope] })).rejects.toThrow("state.journal");
    expect(readFileSync(victim, "utf8")).toBe("precious");
  });

  test("stay small after many writes of a resource", async () => {
    const client = await startTest({ data, seed: [scope] });
    const labels = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, "v".repeat(60)]));
    for (let count = 0; count < 400; count++) {
      client.emulator.mutate(SCOPE, { patch: { labels: { ...labels, count: String(count) } } });
    }
    expect(readFileSync(join(data, "state.journal")).length).toBeLessThan(1.1 * 1024 * 1024);
    await client.emulator.stop();
    expect(readdirSync(data).sort()).toEqual(["state.journal", "state.json"]);
    expect((await startTest({ data })).emulator.resource(SCOPE)?.body.labels).toMatchObject({ count: "399" });
  });
});

describe("the folder", () => {
  test("belongs to one emulator at a time", async () => {
    const first = await startTest({ data });
    await expect(startTest({ data })).rejects.toThrow(`${data} is in use by the emulator of process ${process.pid}`);
    await first.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
    await first.emulator.stop();
    const second = await startTest({ data });
    expect((await second.get(`${ASSOCIATIONS}/a`)).status).toBe(200);
  });

  test("is unlocked after its emulator has ended, even if another process has the same id", async () => {
    const lock = join(data, "emulator.lock");
    const child = await start();
    const held = readFileSync(lock, "utf8");
    await expect(startTest({ data })).rejects.toThrow("is in use");
    await child.kill();
    expect(existsSync(lock)).toBe(true);
    const again = await startTest({ data });
    await again.emulator.stop();
    if (process.platform === "linux") {
      writeFileSync(lock, JSON.stringify({ ...(JSON.parse(held) as object), pid: process.pid }));
      await (await startTest({ data })).emulator.stop();
    }
  });

  test.each([
    ["of another machine", JSON.stringify({ pid: 1, host: `not-${hostname()}`, started: "1" })],
    ["that nobody can read", "?"],
  ])("is not taken from a lock %s; the message says what to do", async (_, content) => {
    const lock = join(data, "emulator.lock");
    writeFileSync(lock, content);
    await expect(startTest({ data })).rejects.toThrow(`remove ${lock}`);
    expect(readFileSync(lock, "utf8")).toBe(content);
  });

  test("is unlocked after an emulator failed to start", async () => {
    const other = await startTest();
    await expect(startTest({ data, port: other.emulator.port })).rejects.toThrow("EADDRINUSE");
    await expect(startTest({ data, seed: [{}] })).rejects.toThrow("seed");
    await expect(startTest({ data, operationMs: -1 })).rejects.toThrow("operationMs");
    const full = jest.spyOn(fs, "writeFileSync").mockImplementationOnce((file) => {
      // A full disk has room for the name of a file.
      if (typeof file === "string") fs.closeSync(fs.openSync(file, "wx"));
      throw new Error("ENOSPC");
    });
    await expect(startTest({ data })).rejects.toThrow("ENOSPC");
    full.mockRestore();
    expect(readdirSync(data)).not.toContain("emulator.lock");
    await startTest({ data });
  });
});

const KILLS = countHere("kills of an emulator", 2, 3);

test("a killed emulator loses no acknowledged change", async () => {
  const acknowledged: string[] = [];
  for (let round = 1; round <= KILLS; round++) {
    const child = await start();
    let count = 0;
    const writer = async (lane: number): Promise<void> => {
      for (let number = 0; ; number++) {
        const id = `r${round}-l${lane}-n${number}`;
        const body = associationBody(1, { network: `projects/p/global/networks/${id}` });
        const endpoint = { firewallEndpoint: `organizations/1/locations/z/firewallEndpoints/${id}` };
        const path = `${ASSOCIATIONS}?firewallEndpointAssociationId=${id}`;
        const { status } = await send(child.url, "POST", path, { ...body, ...endpoint });
        expect(status).toBe(200);
        acknowledged.push(id);
        count += 1;
        if (count === 40) {
          child.child.kill("SIGKILL");
        }
      }
    };
    const lanes = await Promise.allSettled([1, 2, 3, 4].map(writer));
    // The loops end with the broken connection, never with a refused write.
    lanes.forEach((lane) => expect(lane).toMatchObject({ status: "rejected", reason: { message: "fetch failed" } }));
    await child.kill();
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS * 40);
  const after = await startTest({ data });
  const held = new Set(after.emulator.resources().map(({ name }) => name.split("/").pop()));
  expect(acknowledged.filter((id) => !held.has(id))).toEqual([]);
}, 120_000);

// Windows has no limit of file sizes that could simulate a full disk.
const describeFullDisk = process.platform === "win32" ? describe.skip : describe;

describeFullDisk("a full disk", () => {
  test("refuses writes with 500 and loses no acknowledged one, now or after a restart", async () => {
    const child = await start(64);
    const acknowledged: string[] = [];
    const refused: string[] = [];
    for (let number = 0; number < 120; number++) {
      const id = `a${number}`;
      const path = `${ASSOCIATIONS}?firewallEndpointAssociationId=${id}`;
      const body = associationBody(number, {
        firewallEndpoint: `organizations/1/locations/z/firewallEndpoints/e${number}`,
      });
      const response = await send(child.url, "POST", path, body);
      const text = await response.text();
      if (response.status === 200) {
        acknowledged.push(id);
      } else {
        expect(response.status).toBe(500);
        expect(text).toContain("could not save its state, so nothing was changed");
        refused.push(id);
      }
    }
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(refused.length).toBeGreaterThan(10);
    const { resources } = (await (await send(child.url, "GET", "/_emulator/resources")).json()) as {
      resources: Array<{ name: string }>;
    };
    const ids = (list: ReadonlyArray<{ name: string }>) => list.map(({ name }) => name.split("/").pop()).sort();
    expect(ids(resources)).toEqual([...acknowledged].sort());
    await child.kill();
    const after = await startTest({ data });
    expect(ids(after.emulator.resources())).toEqual([...acknowledged].sort());
  }, 120_000);

  test("keeps the old snapshot and the journal when there is no room for a new snapshot", async () => {
    const child = await start(1300);
    const acknowledged: string[] = [];
    let refused = 0;
    for (let number = 0; number < 60; number++) {
      const name = `projects/p/locations/us/datasets/d/fhirStores/f${number}`;
      const members = Array.from({ length: 1000 }, (_, index) => `user:u${index}-${number}@a-rather-long.example.com`);
      const policy = { bindings: [{ role: "roles/viewer", members }] };
      const { status } = await send(child.url, "POST", "/_emulator/seed", [{ service: "healthcare", name, policy }]);
      acknowledged.push(...(status === 200 ? [name] : []));
      refused += status === 500 ? 1 : 0;
    }
    expect(refused).toBeGreaterThan(0);
    expect(existsSync(join(data, "state.json.tmp"))).toBe(false);
    await child.kill();
    const after = await startTest({ data });
    expect(
      after.emulator
        .resources()
        .map(({ name }) => name)
        .filter((name) => name.includes("/fhirStores/"))
        .sort(),
    ).toEqual([...acknowledged].sort());
  }, 120_000);
});
