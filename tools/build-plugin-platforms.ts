import { readFileSync } from "node:fs";

/** The platforms of the plugin's executables, and the check of executables. */

export const PLUGIN = "pulumi-resource-perimeter";
/** Under this file name, an executable is the command (provider/command.ts). */
export const COMMAND = "perimeter";
export const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "windows-x64"] as const;
export type Platform = (typeof PLATFORMS)[number];

/** @throws Error if no executable can be built for this machine */
export function hostPlatform(): Platform {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const host = PLATFORMS.find((each) => each === `${system}-${process.arch}`);
  if (!host) throw new Error(`no executable can be built for ${system}-${process.arch}`);
  return host;
}

/** The name of the executable's file. */
export function executableName(platform: Platform, name = PLUGIN): string {
  return platform === "windows-x64" ? `${name}.exe` : name;
}

/**
 * @throws Error when an executable is for a wrong platform, is a Mach-O file for ARM without a signature, or reads files of
 * its start folder
 */
export function checkExecutable(file: string, platform: Platform): void {
  const bytes = readFileSync(file);
  const found = elf(bytes) ?? machO(bytes, file) ?? portable(bytes);
  if (found === undefined) throw new Error(`${file} is not an executable of a supported platform`);
  if (found !== platform) throw new Error(`the executable for ${platform} is an executable for ${found}`);
  checkAutoload(bytes, file);
}

/** The load command of a Mach-O file with the offset of its signature; macOS on Apple's processors kills unsigned programs. */
const MACHO_SIGNATURE = 0x1d;

/** The trailer after Bun's program in an executable. The 32 bits before it contain the flags below in their lowest bits. */
const BUN_MARK = "\n---- Bun! ----\n";
/** Bits that keep an executable from reading `.env*`, `bunfig.toml`, `tsconfig.json` and `package.json` in its start folder. */
const AUTOLOADS_NOTHING = 0b1111;

function checkAutoload(bytes: Buffer, file: string): void {
  const mark = bytes.lastIndexOf(BUN_MARK);
  if (mark < 4) throw new Error(`${file} contains no Bun program in the form that this check supports`);
  if ((bytes.readUInt32LE(mark - 4) & AUTOLOADS_NOTHING) !== AUTOLOADS_NOTHING) {
    throw new Error(
      `${file} would read .env or bunfig.toml in the folder of a Pulumi project: see AUTOLOAD in build-plugin.ts`,
    );
  }
}

/** https://refspecs.linuxfoundation.org/elf/elf.pdf: e_machine is at 18. */
function elf(header: Buffer): Platform | undefined {
  if (header.toString("latin1", 0, 4) !== "\x7fELF") return undefined;
  const machines: Record<number, Platform> = { 0x3e: "linux-x64", 0xb7: "linux-arm64" };
  return machines[header.readUInt16LE(18)];
}

/** mach-o/loader.h of macOS: cputype at 4, the number of load commands at 16, the commands from 32. */
function machO(header: Buffer, file: string): Platform | undefined {
  if (header.readUInt32LE(0) !== 0xfeedfacf) return undefined;
  const processor = header.readUInt32LE(4);
  if (processor === 0x01000007) return "darwin-x64";
  if (processor !== 0x0100000c) return undefined;
  if (!loadCommands(header).includes(MACHO_SIGNATURE)) throw new Error(`${file} is not signed: macOS would not run it`);
  return "darwin-arm64";
}

function loadCommands(header: Buffer): number[] {
  const commands: number[] = [];
  let at = 32;
  for (let left = header.readUInt32LE(16); left > 0; left--) {
    commands.push(header.readUInt32LE(at));
    at += header.readUInt32LE(at + 4);
  }
  return commands;
}

/** https://learn.microsoft.com/windows/win32/debug/pe-format: the offset of the PE header is at 0x3c, the machine after its mark. */
function portable(header: Buffer): Platform | undefined {
  if (header.toString("latin1", 0, 2) !== "MZ") return undefined;
  const at = header.readUInt32LE(0x3c);
  if (header.toString("latin1", at, at + 4) !== "PE\0\0") return undefined;
  return header.readUInt16LE(at + 4) === 0x8664 ? "windows-x64" : undefined;
}
