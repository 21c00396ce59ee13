import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archive, repackArchive, sha256 } from "./archive";

const work = mkdtempSync(join(tmpdir(), "perimeter-archive-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const TIME = new Date("2026-11-22T06:00:00Z");

/** A folder with two files of this age, written in this order. */
function folderOf(name: string, files: readonly string[], age: number): string {
  const folder = join(work, name);
  for (const file of files) {
    mkdirSync(join(folder, file, ".."), { recursive: true });
    writeFileSync(join(folder, file), `text of ${file}`, { mode: age > 100 ? 0o600 : 0o664 });
    utimesSync(join(folder, file), age, age);
  }
  return folder;
}

test("the same files give the same archive, for any age and order of the files", async () => {
  await archive(folderOf("one", ["b/c", "a"], 100), join(work, "one.tar.gz"), TIME);
  await archive(folderOf("two", ["a", "b/c"], 200), join(work, "two.tar.gz"), TIME);
  // Modes of the group and of others follow the umask, and say nothing of the file.
  mkdirSync(join(work, "again"));
  await repackArchive(join(work, "two.tar.gz"), join(work, "again"), TIME);
  expect(sha256(join(work, "two.tar.gz"))).toBe(sha256(join(work, "one.tar.gz")));
  await archive(folderOf("three", ["a"], 100), join(work, "three.tar.gz"), TIME);
  expect(sha256(join(work, "three.tar.gz"))).not.toBe(sha256(join(work, "one.tar.gz")));
  expect(readFileSync(join(work, "again/b/c"), "utf8")).toBe("text of b/c");
});
