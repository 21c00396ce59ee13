import { closeSync, openSync, readSync } from "node:fs";
import type { Platform } from "../build-plugin";

/** Enough for the headers below. */
const HEADER_BYTES = 64 * 1024;

/** The load command of a Mach-O file that tells where its signature is; macOS on Apple's processors ends what has none. */
const MACHO_SIGNATURE = 0x1d;

/**
 * Which of our platforms an executable file is for, from its header: ELF, Mach-O or PE.
 *
 * @throws Error when it is none of them, or a Mach-O file for ARM without a signature
 */
export function platformOf(file: string): Platform {
  const header = firstBytes(file);
  const platform = elf(header) ?? machO(header, file) ?? portable(header);
  if (platform === undefined) throw new Error(`${file} is no executable of a platform that is released`);
  return platform;
}

function firstBytes(file: string): Buffer {
  const buffer = Buffer.alloc(HEADER_BYTES);
  const handle = openSync(file, "r");
  try {
    readSync(handle, buffer, 0, HEADER_BYTES, 0);
    return buffer;
  } finally {
    closeSync(handle);
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
