import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClaimLedger } from "./claim-ledger";
import { Claims } from "./claims";

const ada = { role: "roles/viewer", member: "user:ada@example.com" };
const run = () => `127.0.0.1:${randomUUID()}`;
const sha = (text: string) => createHash("sha256").update(text).digest("hex");
const folderOf = (address: string) => join(tmpdir(), `perimeter-run-${sha(address).slice(0, 16)}`);

describe("claims of one run in several processes", () => {
  test("what one process claims, the others know; other runs do not", () => {
    const address = run();
    const [one, two, other] = [new ClaimLedger(address), new ClaimLedger(address), new ClaimLedger(run())];
    new Claims(one).claim("store", ada);
    expect(new Claims(two).isClaimed("store", { ...ada, member: "user:ADA@example.com" })).toBe(true);
    expect(new Claims(two).isClaimed("other", ada)).toBe(false);
    expect(new Claims(other).isClaimed("store", ada)).toBe(false);
    for (const each of [one, two, other]) each.remove();
  });

  test("only hashes are written, for this user alone", () => {
    const address = run();
    const ledger = new ClaimLedger(address);
    new Claims(ledger).claim("projects/p/stores/s", ada);
    const folder = folderOf(address);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const [name = ""] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, name), "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
    ledger.remove();
  });

  test("a process that ends takes its own claims away, and the last one the folder", () => {
    const address = run();
    const [one, two] = [new ClaimLedger(address), new ClaimLedger(address)];
    one.add("a");
    two.add("b");
    one.remove();
    expect([two.has("a"), two.has("b")]).toEqual([false, true]);
    two.remove();
    expect(existsSync(folderOf(address))).toBe(false);
  });

  test("what a killed process left behind protects nothing, and goes with the next run at that address", () => {
    const address = run();
    const folder = folderOf(address);
    mkdirSync(folder, { mode: 0o700 });
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    writeFileSync(join(folder, `${pid}.left`), `${sha("a")}\n`);
    const ledger = new ClaimLedger(address);
    expect(ledger.has("a")).toBe(false);
    ledger.remove();
    expect(existsSync(folder)).toBe(false);
  });

  test("one that was never used leaves nothing, and nothing is there to remove", () => {
    const address = run();
    const ledger = new ClaimLedger(address);
    expect(ledger.has("a")).toBe(false);
    ledger.remove();
    expect(existsSync(folderOf(address))).toBe(false);
  });

  test("a folder that is none costs the sharing and nothing else", () => {
    const address = run();
    writeFileSync(folderOf(address), "");
    const ledger = new ClaimLedger(address);
    const claims = new Claims(ledger);
    claims.claim("store", ada);
    expect([claims.isClaimed("store", ada), ledger.has("store")]).toEqual([true, false]);
    ledger.remove();
    rmSync(folderOf(address));
  });
});
