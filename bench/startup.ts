import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { ConfigureRequest, ProviderHandshakeRequest } from "@pulumi/pulumi/proto/provider_pb";
import { compare, machine, table, type Contender } from "./timer";

/** How long until the plugin answers Configure, against a Node that starts and does nothing? */

const ROOT = join(__dirname, "..");
const ROUNDS = 15;

export async function benchStartup(): Promise<void> {
  // The plugin ends where no engine listens.
  const server = createServer().listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  const engine = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bundle = join(ROOT, "bin", "pulumi-resource-perimeter");
  const executable = join(ROOT, "bin", `${process.platform}-${process.arch}`, "pulumi-resource-perimeter");
  const contenders: Contender[] = [
    { name: "node -e 0", run: () => ended(process.execPath, ["-e", "0"]) },
    { name: "the same again (noise)", run: () => ended(process.execPath, ["-e", "0"]) },
    ...[
      { name: "plugin on Node: Configure answered", path: bundle },
      { name: "plugin without Node: Configure answered", path: executable },
    ]
      .filter(({ path }) => existsSync(path))
      .map(({ name, path }) => ({ name, run: () => configured(path, engine) })),
  ];
  const measured = await compare(contenders, ROUNDS);
  const base = measured.get("node -e 0")?.seconds as number;
  const rows = [...measured].map(([name, { seconds, port }]) => [
    name,
    port === undefined ? "" : (port * 1000).toFixed(0),
    ((seconds as number) * 1000).toFixed(0),
    ((seconds as number) / base).toFixed(2),
  ]);
  console.log(`Start of the plugin: ms from spawn, median of ${ROUNDS} (${machine()})\n`);
  console.log(table(["what", "port known", "done", "× node -e 0"], rows));
}

/** Without NODE_EXTRA_CA_CERTS: reading certificates costs Node some 40 ms at each start. */
const environment = { ...process.env, NODE_EXTRA_CA_CERTS: undefined };

function ended(command: string, args: readonly string[]): Promise<Record<string, number>> {
  return new Promise((resolve, reject) => {
    spawn(command, args, { env: environment, stdio: "ignore" })
      .once("error", reject)
      .once("exit", () => resolve({}));
  });
}

async function configured(path: string, engine: string): Promise<Record<string, number>> {
  const began = performance.now();
  const plugin = spawn(path, [engine], { env: environment, stdio: ["pipe", "pipe", "ignore"] });
  try {
    const line = await new Promise<string>((resolve, reject) => {
      plugin.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()));
      plugin.once("error", reject).once("exit", (code) => reject(new Error(`${path} ended with ${code}`)));
    });
    const port = (performance.now() - began) / 1000;
    const client = new ResourceProviderClient(`127.0.0.1:${line.trim()}`, credentials.createInsecure());
    await answered((done) => client.handshake(new ProviderHandshakeRequest(), done));
    await answered((done) => client.configure(new ConfigureRequest(), done));
    client.close();
    return { port };
  } finally {
    plugin.removeAllListeners("exit");
    plugin.kill("SIGKILL");
  }
}

function answered(call: (done: (error: ServiceError | null) => void) => unknown): Promise<void> {
  return new Promise((resolve, reject) => void call((error) => (error ? reject(error) : resolve())));
}
