import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseInput } from "../control/input";
import type { Persistence, State } from "./store";

const FORMAT = 1;

const snapshot = z.looseObject({
  format: z.literal(FORMAT),
  resources: z.array(z.looseObject({ name: z.string(), service: z.string(), body: z.looseObject({}) })),
  operations: z.array(z.looseObject({ name: z.string(), target: z.string(), dueMs: z.number() })),
  requestIds: z.array(z.looseObject({ key: z.string(), operation: z.string(), atMs: z.number() })),
});

/**
 * Keeps the state in `<dir>/state.json`. Each save writes a new file, syncs it and renames it over the old one, so that a
 * crash at any moment leaves the old state or the new one.
 *
 * @throws Error when the folder cannot be used or the file is not a state of this format; the file is left alone
 */
export function filePersistence(dir: string): Persistence {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, "state.json");
  const next = join(dir, "state.json.tmp");
  return {
    load: () => load(path),
    save: (state) => {
      const file = openSync(next, "w", 0o600);
      try {
        writeSync(file, JSON.stringify({ format: FORMAT, ...state }));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(next, path);
    },
  };
}

function load(path: string): State | undefined {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    throw new Error(`${path} is not JSON; move it away to start empty`);
  }
  return parseInput(`${path} is not a state of this emulator`, snapshot, parsed) as unknown as State;
}
