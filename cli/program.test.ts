import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { COMMAND_FORMS, commandOf, type CommandForm } from "../tests/support/command";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { casesHere } from "../tests/support/test-all";
import { run } from "./program";

const root = join(__dirname, "..");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "perimeter-cli-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Running {
  output: () => string;
  errors: () => string;
  /** Waits for the address in the banner. */
  url: Promise<string>;
  stop: () => void;
  code: Promise<number>;
}

function start(...args: string[]): Running {
  let output = "";
  let errors = "";
  const controller = new AbortController();
  let listening: (url: string) => void = () => undefined;
  const url = new Promise<string>((resolve) => (listening = resolve));
  const code = run(["node", "perimeter", ...args], {
    stop: controller.signal,
    write: (text) => {
      output += text;
      const found = /listening on (http:\S+?),?\s/.exec(output)?.[1];
      if (found !== undefined) {
        listening(found);
      }
    },
    writeError: (text) => (errors += text),
  });
  return { output: () => output, errors: () => errors, url, stop: () => controller.abort(), code };
}

test("--version prints the version of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const command = start("--version");
  expect(await command.code).toBe(0);
  expect(command.output()).toBe(`${version}\n`);
});

test("the emulator prints its usage, serves the demo project and stops", async () => {
  const command = start("emulator", "--port", "0");
  const url = await command.url;
  expect(command.output()).toContain(`export PERIMETER_EMULATOR_HOST=${url.slice("http://".length)}\n`);
  const scope = await fetch(`${url}/v1beta/projects/demo-project/locations/global/scopes/team-a`);
  expect(scope.status).toBe(200);
  command.stop();
  expect(await command.code).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

test.each([
  ["the demo seed", [], true],
  ["an empty emulator", ["--empty"], false],
  ["another seed", ["--seed", "seed.yaml"], false],
])("the emulator names the demo project for %s: %j, %p", async (_seed, options, isNamed) => {
  writeFileSync(join(folder, "seed.yaml"), "- {service: gkehub, name: projects/p/locations/global/scopes/s}");
  const command = start(
    "emulator",
    "--port",
    "0",
    ...options.map((each) => (each.endsWith(".yaml") ? join(folder, each) : each)),
  );
  await command.url;
  command.stop();
  expect(await command.code).toBe(0);
  expect(command.output().includes("config set perimeter:project demo-project")).toBe(isNamed);
});

test("the emulator takes seed, faults, switches and operation time from the command line, and logs requests", async () => {
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const command = start(
    ...["emulator", "--port", "0", "--verbose", "--operation-ms", "250"],
    ...["--seed", file("seed.yaml", "- {service: gkehub, name: projects/p/locations/global/scopes/s}")],
    ...["--faults", file("faults.json", '[{"fault": {"status": 503}}]')],
    ...["--config", file("config.yaml", "immutableFields: [network]")],
  );
  const url = await command.url;
  const scope = `${url}/v1beta/projects/p/locations/global/scopes/s`;
  const statuses = [await fetch(scope), await fetch(`${scope}?access_token=canary`)].map(({ status }) => status);
  expect(statuses).toEqual([503, 200]);
  const config: unknown = await (await fetch(`${url}/_emulator/config`)).json();
  expect(config).toMatchObject({ operationMs: 250, immutableFields: ["network"] });
  command.stop();
  await command.code;
  expect(command.output()).toMatch(/ 503 GET \S+scopes\/s gkehub\.projects\.locations\.scopes\.get \[fault: status\]/);
  expect(command.output()).not.toContain("canary");
});

test.each([
  [["--operation-ms", "0"], 0],
  [[], 700],
])("with %j and 700 ms in the configuration file, operations take %i ms", async (args, expected) => {
  writeFileSync(join(folder, "config.yaml"), "operationMs: 700");
  const command = start("emulator", "--port", "0", "--config", join(folder, "config.yaml"), ...args);
  const config: unknown = await (await fetch(`${await command.url}/_emulator/config`)).json();
  expect(config).toMatchObject({ operationMs: expected });
  command.stop();
  await command.code;
});

test("merges several seeds, the last one wins for a name, and the export at the end is a seed", async () => {
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const scope = (id: string, team: string) =>
    `- {service: gkehub, name: projects/p/locations/global/scopes/${id}, body: {labels: {team: ${team}}}}\n`;
  const seeds = [
    "--seed",
    file("one.yaml", scope("a", "x") + scope("b", "x")),
    "--seed",
    file("two.yaml", scope("b", "y")),
  ];
  const exported = join(folder, "end.yaml");
  const command = start("emulator", "--port", "0", ...seeds, "--export", exported);
  const labels = async (url: string, id: string) =>
    ((await (await fetch(`${url}/v1beta/projects/p/locations/global/scopes/${id}`)).json()) as { labels: object })
      .labels;
  const url = await command.url;
  expect([await labels(url, "a"), await labels(url, "b")]).toEqual([{ team: "x" }, { team: "y" }]);
  command.stop();
  expect(await command.code).toBe(0);
  expect(command.output()).toContain(`Resources written to ${exported}.`);
  const again = start("emulator", "--port", "0", "--seed", exported);
  expect(await labels(await again.url, "b")).toEqual({ team: "y" });
  again.stop();
  await again.code;
});

test("--permissions-used writes which permissions the requests needed, by resource", async () => {
  const file = join(folder, "permissions.json");
  const command = start("emulator", "--port", "0", "--permissions-used", file);
  const scope = "projects/demo-project/locations/global/scopes/team-a";
  const get = async () => fetch(`${await command.url}/v1beta/${scope}`);
  await get();
  await fetch(`${await command.url}/_emulator/config`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: '{"allow": ["gkehub.scopes.list"]}',
  });
  expect((await get()).status).toBe(403);
  command.stop();
  expect(await command.code).toBe(0);
  expect(command.output()).toContain(`Permissions written to ${file}.`);
  const used: unknown = JSON.parse(readFileSync(file, "utf8"));
  expect(used).toEqual([{ permission: "gkehub.scopes.get", resource: scope, uses: 2, denied: 1 }]);
});

test("the error for a mistake in one of several seeds names the file", async () => {
  const path = join(folder, "wrong.yaml");
  writeFileSync(path, "- {service: gkehub, name: nothing}");
  const command = start("emulator", "--seed", path);
  expect(await command.code).toBe(1);
  expect(command.errors()).toContain(`seed ${path}: [0].name: 'nothing' is not of the form`);
});

test.each([
  ["[requireAuth]", "it must be a map of switches"],
  ["clock: 5\nmaxBodyBytes: 1", 'Unrecognized keys: "clock", "maxBodyBytes" (the keys are operationMs,'],
  ["port: 5", 'Unrecognized key: "port"'],
])("a configuration file with %j is refused, with its name", async (text, words) => {
  const path = join(folder, "config.yaml");
  writeFileSync(path, text);
  const command = start("emulator", "--port", "0", "--config", path);
  expect(await command.code).toBe(1);
  expect(command.errors()).toContain(`configuration ${path}: ${words}`);
});

test.each([["--seed"], ["--faults"], ["--config"]])(
  "%s: a file that is not there is told by its name",
  async (option) => {
    const command = start("emulator", option, join(folder, "none.yaml"));
    expect(await command.code).toBe(1);
    expect(command.errors()).toMatch(/^error: \S+none\.yaml cannot be read: ENOENT/);
  },
);

test.each([
  ["in a folder that does not exist", () => join(folder, "none", "end.yaml"), "ENOENT"],
  ["to a folder", () => folder, "it is a folder; name a file in it"],
])("an export %s is refused before the emulator starts", async (_where, pathOf, reason) => {
  const path = pathOf();
  const command = start("emulator", "--port", "0", "--export", path);
  expect(await command.code).toBe(1);
  expect(command.errors()).toContain(`${path} cannot be written: ${reason}`);
  expect(command.output()).toBe("");
});

test("the errors for a port in use and for an address of another machine have a remedy", async () => {
  const first = start("emulator", "--port", "0");
  const { port } = new URL(await first.url);
  const second = start("emulator", "--port", port);
  expect(await second.code).toBe(1);
  expect(second.errors()).toMatch(new RegExp(`^error: Port ${port} of 127\\.0\\.0\\.1 is in use.*--port 0`));
  first.stop();
  await first.code;
  const elsewhere = start("emulator", "--port", "0", "--host", "203.0.113.9");
  expect(await elsewhere.code).toBe(1);
  expect(elsewhere.errors()).toContain("--host 203.0.113.9 is not an address of this machine");
});

test("logs an unknown path also without --verbose", async () => {
  const command = start("emulator", "--port", "0", "--empty");
  const url = await command.url;
  await fetch(`${url}/v9/nothing`);
  await fetch(`${url}/v1beta/projects/p/locations/global/scopes/s`);
  command.stop();
  await command.code;
  expect(command.output()).toContain("404 GET /v9/nothing (unknown path)");
  expect(command.output()).not.toContain("/v1beta/");
});

test("warns about an address that is not loopback", async () => {
  const command = start("emulator", "--port", "0", "--host", "0.0.0.0");
  await command.url;
  command.stop();
  await command.code;
  expect(command.errors()).toContain("warning: listening on 0.0.0.0");
});

const hasIPv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === "::1"));
(hasIPv6 ? test : test.skip)(
  "an IPv6 address to listen on may stand in brackets, and is printed as the provider takes it (skipped where this machine has no ::1)",
  async () => {
    const command = start("emulator", "--port", "0", "--host", "[::1]");
    const { port } = new URL(await command.url);
    command.stop();
    expect(await command.code).toBe(0);
    expect(command.output()).toContain(`export PERIMETER_EMULATOR_HOST=[::1]:${port}`);
    expect(command.errors()).toBe("");
  },
);

test.each([
  [["emulator", "--port", "x"], "whole number"],
  [["emulator", "--port", "70000"], "whole number from 0 to 65535"],
  [["emulator", "--host", "localhost:8790"], "such as 127.0.0.1 or ::1, without a port"],
  [["emulator", "--host", "http://[::1]"], "such as 127.0.0.1 or ::1, without http:// in front"],
  [["emulator", "--host", ""], "such as 127.0.0.1 or ::1, with a host name"],
  [["emulator", "--allow-host", "http://emulator"], "'--allow-host <name>' argument 'http://emulator' is invalid"],
  [["emulator", "--seed", "missing.yaml"], "missing.yaml"],
  [["nonsense"], "unknown command"],
])("explains the mistake in %j", async (args, words) => {
  const command = start(...args);
  expect(await command.code).toBe(1);
  expect(command.errors()).toContain(words);
});

/** The emulator in a process of this form of the command. */
async function emulatorOf(form: CommandForm) {
  const [program = "", ...args] = commandOf(form);
  const child = spawn(program, [...args, "emulator", "--port", "0"], { cwd: root });
  let output = "";
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const url = await new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const found = /listening on (http:\S+)\s/.exec(output)?.[1];
      if (found !== undefined) {
        resolve(found);
      }
    });
  });
  const stop = () => {
    child.kill("SIGINT");
    return ended;
  };
  return { url, stop, output: () => output };
}

const forms = casesHere(COMMAND_FORMS, (form) => form === "the npm package");
test.each(forms)(
  "Ctrl-C stops the process of %s, also with an open connection",
  async (form) => {
    const { url, stop, output } = await emulatorOf(form);
    await (await fetch(`${url}/_emulator/health`)).text();
    expect(await stop()).toEqual({ code: 0, signal: null });
    expect(output()).toContain("Stopped.");
  },
  30_000,
);

// The two runtimes close a connection with an unread body in different ways.
test.each(COMMAND_FORMS)(
  "a client of the emulator of %s that first sends all of a body above the limit gets 413",
  async (form) => {
    const { url, stop } = await emulatorOf(form);
    const body = Buffer.alloc(11 * 1024 * 1024, "x");
    const answers = ["/_emulator/seed", "/v1/projects/p/locations/us-central1/triggers"].map(async (path) => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname).pause();
      const head = ["Host: localhost", "Content-Type: application/json", `Content-Length: ${body.length}`];
      socket.write(`POST ${path} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`);
      await new Promise<void>((resolve, reject) => {
        socket.write(body, (error) => (error ? reject(error) : resolve()));
      });
      return (await text(socket)).split("\r\n", 1)[0];
    });
    expect(await Promise.all(answers)).toEqual(Array(2).fill("HTTP/1.1 413 Payload Too Large"));
    await stop();
  },
  30_000,
);

test("access takes one stack, and says so if there are two", async () => {
  const command = start("access", "--stack", "dev", "--stack", "prod");
  expect(await command.code).toBe(1);
  expect(command.errors()).toMatch(/--stack <name>.*It can be given only once, got dev and prod\./);
});
