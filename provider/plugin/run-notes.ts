import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, randomUUID } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Environment } from "../core/config/resolve";
import type { Note, NoteKind, NoteSharing } from "../core/note";
import { notPrivate, privateFolder } from "./private-folder";

/**
 * How the provider processes of one run share what its resources hold and declare: each explicit provider is a process of
 * its own, and a grant that moves from one to another is made by the one and deleted by the other.
 *
 * Each run has a folder, named after its engine, and in it each process a file to which it appends. The notes of a process
 * that dies stay valid as long as the engine lives. The last process to end removes the folder; what a killed run left
 * behind, the next run removes. A file holds keyed hashes and sealed project names only, and the key goes with the folder.
 */
export class RunNotes implements NoteSharing {
  /** Undefined before the first use. */
  private place: { found: Place | undefined } | undefined;
  private readonly others = new Map<string, OtherProcess>();
  private hasEnded = false;
  private warned = false;

  /**
   * @param address of the engine: what the processes of one run, and only they, have in common.
   * @param warn tells the user, once, that notes cannot be shared.
   */
  constructor(
    private readonly address: string,
    private readonly environment: Environment,
    private readonly warn: (message: string) => void,
    private readonly engine: number = process.ppid,
  ) {}

  digest(text: string): string {
    const place = this.found();
    // Notes that stay in this process need no key.
    return place ? createHmac("sha256", place.key).update(text).digest("base64url") : text;
  }

  share(note: Note): void {
    const place = this.found();
    if (!place || this.hasEnded) return;
    const { kind, key, anyProject, identity, project } = note;
    this.attempt(() => {
      const line = [kind, key, anyProject, identity, seal(project, place.key)].join(" ");
      appendFileSync(place.file, `${line}\n`, { mode: 0o600 });
    });
  }

  news(): Note[] {
    const place = this.found();
    if (!place || this.hasEnded) return [];
    return (
      this.attempt(() =>
        readdirSync(place.folder)
          .filter((name) => name.endsWith(NOTES) && join(place.folder, name) !== place.file)
          .flatMap((name) => this.other(name, place).news()),
      ) ?? []
    );
  }

  /** To be called when the run ends. The last process to end leaves nothing behind. */
  end(): void {
    const { folder, file } = this.place?.found ?? {};
    if (folder === undefined || file === undefined || this.hasEnded) return;
    this.hasEnded = true;
    try {
      appendFileSync(file, `${ENDED}\n`, { mode: 0o600 });
      const files = readdirSync(folder).filter((name) => name.endsWith(NOTES));
      if (files.every((name) => isOver(folder, name))) rmSync(folder, { recursive: true, force: true });
    } catch {
      // The next run removes it.
    }
  }

  private other(name: string, { folder, key }: Place): OtherProcess {
    const known = this.others.get(name) ?? new OtherProcess(folder, name, key);
    this.others.set(name, known);
    return known;
  }

  private found(): Place | undefined {
    this.place ??= { found: this.attempt(() => this.find()) };
    return this.place.found;
  }

  private find(): Place {
    const found = privateFolder(this.environment);
    if ("problem" in found) throw new Error(found.problem);
    removeOldRuns(found.path);
    const folder = join(found.path, folderName(this.engine, this.address));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const problem = notPrivate(folder);
    if (problem !== undefined) throw new Error(`${folder} ${problem}`);
    return { folder, key: keyOf(folder), file: join(folder, `${process.pid}.${randomUUID()}${NOTES}`) };
  }

  /** What a full disk or another user's folder costs is the sharing, and the user hears of it. */
  private attempt<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      if (!this.warned) {
        this.warned = true;
        this.warn(
          "The provider processes of this run cannot tell each other which grants and associations the program declares " +
            `(${(error as Error).message}). What moves from one explicit provider to another in this run, or is renamed on ` +
            "the way, can be removed by the delete of its old resource: run pulumi refresh and pulumi up after it",
        );
      }
      return undefined;
    }
  }
}

interface Place {
  folder: string;
  /** This process's own. */
  file: string;
  key: Buffer;
}

const NOTES = ".notes";
const KEY = "key";
const KEY_BYTES = 32;
const ENDED = "ended";
/** After so long, what a run on another machine or in another container left behind counts as left behind. */
const FORGOTTEN_MS = 7 * 24 * 60 * 60_000;

/** The notes of another process, read on from where the last look ended. */
class OtherProcess {
  private read = 0;
  private rest = "";
  /** Deletes that it has begun, should it die before they end. */
  private readonly removing = new Map<string, Note>();

  constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly key: Buffer,
  ) {}

  news(): Note[] {
    // In this order: what it noted before it died is read after it is seen to be dead.
    const dead = this.removing.size > 0 && !isAlive(pidOf(this.name));
    const notes = this.lines().flatMap((line) => this.noteOf(line));
    for (const note of notes) {
      if (note.kind === "removing") this.removing.set(note.key, note);
      else if (note.kind === "removed" || note.kind === "kept") this.removing.delete(note.key);
    }
    if (!dead) return notes;
    // Nobody knows what became of them, so that whoever wants the object looks.
    const unfinished = [...this.removing.values()].map((note): Note => ({ ...note, kind: "removed" }));
    this.removing.clear();
    return [...notes, ...unfinished];
  }

  private lines(): string[] {
    const file = openSync(join(this.folder, this.name), "r");
    try {
      const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - this.read));
      const length = readSync(file, bytes, 0, bytes.length, this.read);
      this.read += length;
      const lines = (this.rest + bytes.toString("latin1", 0, length)).split("\n");
      this.rest = lines.pop() ?? "";
      return lines;
    } finally {
      closeSync(file);
    }
  }

  private noteOf(line: string): Note[] {
    const [kind, key = "", anyProject = "", identity = "", project = ""] = line.split(" ");
    if (kind === undefined || kind === ENDED) return [];
    return [{ kind: kind as NoteKind, key, anyProject, identity, project: unseal(project, this.key) }];
  }
}

/** The key of a run: whichever process comes first makes it, whole before it has its name. */
function keyOf(folder: string): Buffer {
  const path = join(folder, KEY);
  const draft = join(folder, `${randomUUID()}.draft`);
  writeFileSync(draft, randomBytes(KEY_BYTES), { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path);
}

/** AES-256-GCM: the processes must read a project's name, and nobody else. */
function seal(text: string, key: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

function unseal(text: string, key: Buffer): string {
  const bytes = Buffer.from(text, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
}

/** `{engine's process}-{its start}-{machine}-{address}`: no two runs have one name, and it shows whether the run is over. */
function folderName(engine: number, address: string): string {
  return [engine, startOf(engine) ?? "0", machine(), short(address)].join("-");
}

/** Clock ticks from the start of the machine to that of the process (proc_pid_stat(5), field 22); undefined elsewhere. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in parentheses, which may hold blanks.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** Process ids mean something on one machine and in one container: homes may be shared by several. */
function machine(): string {
  let namespace = "";
  try {
    namespace = readlinkSync("/proc/self/ns/pid");
  } catch {
    // Not Linux.
  }
  return short(`${hostname()} ${namespace}`);
}

function short(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function removeOldRuns(base: string): void {
  for (const name of readdirSync(base)) {
    const [engine = "", start = "", where] = name.split("-");
    const folder = join(base, name);
    const isHere = where === machine();
    if (isHere ? isAlive(Number(engine)) && (startOf(Number(engine)) ?? "0") === start : !isForgotten(folder)) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}

function isForgotten(folder: string): boolean {
  try {
    return Date.now() - statSync(folder).mtimeMs > FORGOTTEN_MS;
  } catch {
    return false;
  }
}

function pidOf(name: string): number {
  return Number.parseInt(name, 10);
}

/** Whether a process needs the folder no more. */
function isOver(folder: string, name: string): boolean {
  return readFileSync(join(folder, name), "latin1").endsWith(`${ENDED}\n`) || !isAlive(pidOf(name));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
