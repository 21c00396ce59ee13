/**
 * What encrypts the secrets of the tests' stacks: the part of Vault's HTTP API that the CLI asks (`transit/encrypt` and
 * `transit/decrypt`), on loopback. A passphrase would cost every start of the CLI a million rounds of SHA-256, half of all
 * that it does in these tests. Secrets in states are encrypted as anywhere; only the key to them is no secret here.
 */
import { ScriptedServer } from "./scripted-server";

const PREFIX = "vault:v1:";
const DATA_KEY = Buffer.from("the key of all stacks in tests!!").toString("base64");

/** What `pulumi stack init --secrets-provider=hashivault://tests` writes to Pulumi.<stack>.yaml. */
export const STACK_KEY = {
  secretsprovider: "hashivault://tests",
  encryptedkey: Buffer.from(PREFIX + DATA_KEY).toString("base64"),
};

let started: Promise<Record<string, string>> | undefined;

/** Starts the service on the first call. It ends with this process. @returns the CLI's environment for it */
export function keyService(): Promise<Record<string, string>> {
  started ??= ScriptedServer.start(({ path, json }) => {
    const { plaintext, ciphertext } = json() as { plaintext?: string; ciphertext?: string };
    const data =
      path === "/v1/transit/encrypt/tests"
        ? { ciphertext: `${PREFIX}${plaintext}` }
        : { plaintext: ciphertext?.slice(PREFIX.length) };
    return { body: { data } };
  }).then((server) => {
    server.http.unref();
    return { VAULT_SERVER_URL: server.url, VAULT_SERVER_TOKEN: "tests" };
  });
  return started;
}
