/**
 * What encrypts the secrets of the tests' stacks: the part of Vault's HTTP API that the CLI asks (`transit/encrypt` and
 * `transit/decrypt`), on loopback. A passphrase would cost every start of the CLI a million rounds of SHA-256, half of all
 * that it does in these tests. Secrets in states are encrypted as anywhere; only the key to them is no secret here.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

const PREFIX = "vault:v1:";
const DATA_KEY = Buffer.from("the key of all stacks in tests!!").toString("base64");

/** What `pulumi stack init --secrets-provider=hashivault://tests` writes to Pulumi.<stack>.yaml. */
export const STACK_KEY = {
  secretsprovider: "hashivault://tests",
  encryptedkey: Buffer.from(PREFIX + DATA_KEY).toString("base64"),
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { plaintext, ciphertext } = (await json(request)) as { plaintext?: string; ciphertext?: string };
  const data =
    request.url === "/v1/transit/encrypt/tests"
      ? { ciphertext: `${PREFIX}${plaintext}` }
      : { plaintext: ciphertext?.slice(PREFIX.length) };
  response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
}

let started: Promise<Record<string, string>> | undefined;

/** Starts the service on the first call. It ends with this process. @returns the CLI's environment for it */
export function keyService(): Promise<Record<string, string>> {
  started ??= new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      answer(request, response).catch((error: unknown) => response.writeHead(400).end(String(error)));
    });
    server.on("error", reject).unref();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      resolve({ VAULT_SERVER_URL: `http://127.0.0.1:${port}`, VAULT_SERVER_TOKEN: "tests" });
    });
  });
  return started;
}
