import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platformOf } from "./executable";

const folder = mkdtempSync(join(tmpdir(), "perimeter-executable-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file of zeros, but for 4-byte little-endian numbers at these places. */
function fileOf(words: Record<number, number>): string {
  const bytes = Buffer.alloc(256);
  for (const [at, word] of Object.entries(words)) bytes.writeUInt32LE(word, Number(at));
  const file = join(folder, "executable");
  writeFileSync(file, bytes);
  return file;
}

const ELF = 0x464c457f;
const MACHO = 0xfeedfacf;
const [MZ, PE] = [0x5a4d, 0x4550];
const ARM = 0x0100000c;
/** One load command: at 32 its kind, at 36 its length. */
const signedBy = (command: number) => ({ 16: 1, 32: command, 36: 16 });

test.each([
  ["linux-x64", { 0: ELF, 18: 0x3e }],
  ["linux-arm64", { 0: ELF, 18: 0xb7 }],
  ["darwin-x64", { 0: MACHO, 4: 0x01000007 }],
  ["darwin-arm64", { 0: MACHO, 4: ARM, ...signedBy(0x1d) }],
  ["windows-x64", { 0: MZ, 0x3c: 128, 128: PE, 132: 0x8664 }],
])("an executable for %s", (platform, words) => {
  expect(platformOf(fileOf(words))).toBe(platform);
});

test.each([
  ["32-bit ARM", { 0: ELF, 18: 0x28 }],
  ["Windows on ARM", { 0: MZ, 0x3c: 128, 128: PE, 132: 0xaa64 }],
  ["DOS", { 0: MZ, 0x3c: 128 }],
  ["a script", { 0: 0x752f2123 }],
])("%s is refused", (_, words) => {
  expect(() => platformOf(fileOf(words))).toThrow("is no executable of a platform that is released");
});

test("an executable for Apple's processors that is not signed is refused", () => {
  expect(() => platformOf(fileOf({ 0: MACHO, 4: ARM, ...signedBy(0x19) }))).toThrow("macOS would not run it");
});
