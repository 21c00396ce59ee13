import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { parseInput } from "../base/input";
import { lockFolder } from "./folder-lock";
import { resourceKey } from "./stored";
import { SaveError, type Persistence, type State, type StateChange } from "./persistence";

const FORMAT = 2;
/** The journal is folded into the snapshot when it has outgrown both this and the snapshot. */
const MIN_COMPACTION_BYTES = 1024 * 1024;

const snapshotSchema = z.looseObject({
  format: z.literal(FORMAT),
  resources: z.array(z.looseObject({ name: z.string(), service: z.string(), body: z.looseObject({}) })),
  operations: z.array(z.looseObject({ name: z.string(), target: z.string(), dueMs: z.number() })),
  requestIds: z.array(z.looseObject({ key: z.string(), operation: z.string(), atMs: z.number() })),
  clockOffsetMs: z.number().default(0),
});

/**
 * Keeps the state in a folder: `state.json`, a snapshot, and `state.journal`, a line of JSON for each change since.
 *
 * A change is one appended line, synced before it counts. A line that a crash has torn was never answered, so reading
 * drops it; a line that the disk had no room for is cut off again at once. Changes can be applied twice, so a crash
 * between a new snapshot and the emptied journal does no harm.
 *
 * @throws Error when the folder cannot be used, is another emulator's, or holds something else; nothing is changed then
 */
export class Journal implements Persistence {
  private readonly snapshotPath: string;
  private readonly journalPath: string;
  private readonly unlock: () => void;
  private descriptor = -1;
  /** Length of the journal, up to the last change that counts. */
  private bytes = 0;
  private compactAt = MIN_COMPACTION_BYTES;
  private broken: unknown;

  constructor(folder: string) {
    makeFolder(resolve(folder));
    this.snapshotPath = join(folder, "state.json");
    this.journalPath = join(folder, "state.journal");
    this.unlock = lockFolder(folder);
    try {
      const { O_RDWR, O_CREAT, O_NOFOLLOW = 0 } = constants;
      this.descriptor = openSync(this.journalPath, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
      syncFolder(folder);
    } catch (error) {
      this.unlock();
      throw error;
    }
  }

  load(): State | undefined {
    try {
      const snapshot = readSnapshot(this.snapshotPath);
      const journal = readFileSync(this.descriptor, "utf8");
      const { changes, validBytes } = readChanges(this.journalPath, journal);
      this.bytes = validBytes;
      if (validBytes < Buffer.byteLength(journal)) {
        this.truncate(validBytes);
      }
      return snapshot === undefined && changes.length === 0 ? undefined : replay(snapshot ?? EMPTY, changes);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  append(change: StateChange, state: () => State): void {
    if (this.broken !== undefined) {
      throw new SaveError(
        `the rest of an earlier failed write could not be removed (${reason(this.broken)}); restart the emulator`,
      );
    }
    const line = Buffer.from(`${JSON.stringify(change)}\n`);
    try {
      writeWhole(this.descriptor, line, this.bytes);
      fdatasyncSync(this.descriptor);
    } catch (error) {
      this.cutOff();
      throw new SaveError(reason(error), { cause: error });
    }
    this.bytes += line.length;
    if (this.bytes >= this.compactAt) {
      this.compact(state);
    }
  }

  close(state: () => State): void {
    if (this.descriptor < 0) {
      return;
    }
    if (this.bytes > 0 && this.broken === undefined) {
      this.compact(state);
    }
    this.release();
  }

  private release(): void {
    closeSync(this.descriptor);
    this.descriptor = -1;
    this.unlock();
  }

  /** Removes what a failed append has left. */
  private cutOff(): void {
    try {
      this.truncate(this.bytes);
    } catch (error) {
      this.broken = error;
    }
  }

  private truncate(bytes: number): void {
    ftruncateSync(this.descriptor, bytes);
    fdatasyncSync(this.descriptor);
  }

  /** A failure leaves the old snapshot and the journal, which hold everything; it is tried again later. */
  private compact(state: () => State): void {
    try {
      const content = JSON.stringify({ format: FORMAT, ...state() });
      replaceFile(this.snapshotPath, content);
      this.truncate(0);
      this.bytes = 0;
      this.compactAt = Math.max(MIN_COMPACTION_BYTES, content.length);
    } catch {
      this.bytes = fstatSync(this.descriptor).size;
      this.compactAt = this.bytes + MIN_COMPACTION_BYTES;
    }
  }
}

const EMPTY: State = { resources: [], operations: [], requestIds: [], clockOffsetMs: 0 };

function readSnapshot(path: string): State | undefined {
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
  // The schema looks at what a foreign file would lack; the rest is as this emulator has written it.
  return parseInput(`${path} is not a state of this emulator`, snapshotSchema, parsed) as unknown as State;
}

/** Only the last line can be torn; a broken one before it means that something else wrote to the file. */
function readChanges(path: string, journal: string): { changes: StateChange[]; validBytes: number } {
  const lines = journal.split("\n");
  const changes: StateChange[] = [];
  let validBytes = 0;
  for (const [index, line] of lines.entries()) {
    const isWhole = index < lines.length - 1;
    const change = isWhole ? parseChange(line) : undefined;
    if (change === undefined) {
      if (index < lines.length - 2) {
        throw new Error(`${path} is damaged in line ${index + 1}; move it away to start from the last snapshot`);
      }
      break;
    }
    changes.push(change);
    validBytes += Buffer.byteLength(line) + 1;
  }
  return { changes, validBytes };
}

function parseChange(line: string): StateChange | undefined {
  try {
    const parsed = JSON.parse(line) as Partial<StateChange> | null;
    const isChange = [parsed?.resources, parsed?.operations, parsed?.requestIds].every(Array.isArray);
    return isChange ? (parsed as StateChange) : undefined;
  } catch {
    return undefined;
  }
}

function replay(snapshot: State, changes: readonly StateChange[]): State {
  const resources = new Map(snapshot.resources.map((resource) => [resourceKey(resource), resource]));
  const operations = new Map(snapshot.operations.map((operation) => [operation.name, operation]));
  const requestIds = new Map(snapshot.requestIds.map(({ key, ...remembered }) => [key, remembered]));
  let { clockOffsetMs } = snapshot;
  for (const change of changes) {
    if (change.cleared) {
      [resources, operations, requestIds].forEach((map) => map.clear());
      clockOffsetMs = 0;
    }
    apply(resources, change.resources);
    apply(operations, change.operations);
    apply(requestIds, change.requestIds);
    clockOffsetMs = change.clockOffsetMs ?? clockOffsetMs;
  }
  return {
    resources: [...resources.values()],
    operations: [...operations.values()],
    requestIds: [...requestIds].map(([key, remembered]) => ({ key, ...remembered })),
    clockOffsetMs,
  };
}

function apply<T>(map: Map<string, T>, entries: ReadonlyArray<[string, T | null]>): void {
  for (const [key, value] of entries) {
    if (value === null) {
      map.delete(key);
    } else {
      map.set(key, value);
    }
  }
}

/** A full disk takes a part of a write without an error; the next write then says why. */
function writeWhole(descriptor: number, content: Buffer, position: number): void {
  for (let written = 0; written < content.length;) {
    written += writeSync(descriptor, content, written, content.length - written, position + written);
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Replaces a file as a whole: a crash or a full disk at any moment leaves the old content or the new one.
 *
 * Not by a library: `write-file-atomic` (8.0) and `atomically` (2.1) take a short write of a full disk for a whole one in
 * their synchronous form, follow a symbolic link in the place of their temporary file, and do not sync the folder.
 */
function replaceFile(path: string, content: string): void {
  const next = `${path}.tmp`;
  // Removes the leftover of a crash, or a link that somebody planted; "wx" follows no link and opens nothing that exists.
  rmSync(next, { force: true });
  try {
    writeFileSync(next, content, { flag: "wx", mode: 0o600, flush: true });
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Makes new and renamed files of a folder last. */
function syncFolder(folder: string): void {
  // Windows cannot open a folder, and needs no such call.
  if (process.platform === "win32") {
    return;
  }
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a folder and those above it. Not by `recursive`, which never returns where nothing can be made, as in /proc. */
function makeFolder(path: string): void {
  if (!existsSync(path)) {
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}
