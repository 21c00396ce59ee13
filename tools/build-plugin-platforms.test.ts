import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkExecutable, PLATFORMS, type Platform } from "./build-plugin-platforms";

const folder = mkdtempSync(join(tmpdir(), "perimeter-executable-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MARK_AT = 256;
/** What bun 1.4.5 writes before its mark with the options of the build, and without them. */
const [CLOSED, OPEN] = [0x1ff, 0x1fc];

/** A file of zeros with 4-byte little-endian numbers at these places, and Bun's mark behind them. */
function fileOf(words: Record<number, number>, flags = CLOSED): string {
  const bytes = Buffer.alloc(MARK_AT);
  for (const [at, word] of Object.entries({ ...words, [MARK_AT - 4]: flags })) bytes.writeUInt32LE(word, Number(at));
  const file = join(folder, "executable");
  writeFileSync(file, Buffer.concat([bytes, Buffer.from("\n---- Bun! ----\n"), Buffer.alloc(64)]));
  return file;
}

const ELF = 0x464c457f;
const MACHO = 0xfeedfacf;
const [MZ, PE] = [0x5a4d, 0x4550];
const ARM = 0x0100000c;
/** One load command: at 32 its kind, at 36 its length. */
const signedBy = (command: number) => ({ 16: 1, 32: command, 36: 16 });

const BUILT: Record<Platform, Record<number, number>> = {
  "linux-x64": { 0: ELF, 18: 0x3e },
  "linux-arm64": { 0: ELF, 18: 0xb7 },
  "darwin-x64": { 0: MACHO, 4: 0x01000007 },
  "darwin-arm64": { 0: MACHO, 4: ARM, ...signedBy(0x1d) },
  "windows-x64": { 0: MZ, 0x3c: 128, 128: PE, 132: 0x8664 },
};

test.each(PLATFORMS)("an executable for %s is accepted for its platform, and refused for another", (platform) => {
  expect(() => checkExecutable(fileOf(BUILT[platform]), platform)).not.toThrow();
  const other = platform === "linux-x64" ? "linux-arm64" : "linux-x64";
  expect(() => checkExecutable(fileOf(BUILT[platform]), other)).toThrow(
    `the executable for ${other} is an executable for ${platform}`,
  );
});

test.each([
  ["32-bit ARM", { 0: ELF, 18: 0x28 }],
  ["Windows on ARM", { 0: MZ, 0x3c: 128, 128: PE, 132: 0xaa64 }],
  ["DOS", { 0: MZ, 0x3c: 128 }],
  ["a script", { 0: 0x752f2123 }],
])("a file for %s is refused", (_, words) => {
  expect(() => checkExecutable(fileOf(words), "linux-x64")).toThrow("is not an executable of a supported platform");
});

test("an executable for Apple's processors that is not signed is refused", () => {
  const unsigned = fileOf({ 0: MACHO, 4: ARM, ...signedBy(0x19) });
  expect(() => checkExecutable(unsigned, "darwin-arm64")).toThrow("macOS would not run it");
});

test.each(PLATFORMS)(
  "an executable for %s that would read .env or bunfig.toml where it starts is refused",
  (platform) => {
    expect(() => checkExecutable(fileOf(BUILT[platform], OPEN), platform)).toThrow("would read .env or bunfig.toml");
  },
);

test("an executable of a Bun with another trailer is refused, because it is unknown which files it reads", () => {
  const file = fileOf(BUILT["linux-x64"]);
  writeFileSync(file, readFileSync(file).subarray(0, MARK_AT));
  expect(() => checkExecutable(file, "linux-x64")).toThrow(
    "contains no Bun program in the form that this check supports",
  );
});
