import { randomUUID } from "node:crypto";
import { chmodSync, closeSync, fstatSync, openSync, readSync, rmSync, writeSync, type Stats } from "node:fs";
import type { Environment } from "../core/environment";
import { FACT_KINDS, type Fact, type FactLog } from "../core/facts";
import { messageOf } from "../core/errors";
import { textOf } from "../core/unknown";
import { isAlive, runFile } from "./run-file";

/** The words of a process's first line, before its facts, and of its last line. */
const JOINED = "joined";
const ENDED = "ended";
const WRITABLE = 0o200;

const REMEDY =
  "Set XDG_RUNTIME_DIR, HOME, PULUMI_HOME or TMPDIR to a folder that belongs to you, that only you can open, and that " +
  "has free space";

/** A line of the file: its writer, with a fact or with the writer's part in the run. */
interface Line {
  /** Begins with the id of the process. */
  readonly writer: string;
  readonly word: string;
  /** Counts the lines of its writer. */
  readonly number: number;
  readonly fact?: Fact;
}

interface OpenedFile {
  readonly path: string;
  file: number;
}

/**
 * The facts of one run in a file. Each explicit provider runs in a separate process, and a grant that moves from one provider to
 * another is made by one process and deleted by the other.
 *
 * All processes append to one file, which gives the facts their order. The facts of a process that dies stay valid as long as
 * the engine lives. The last process to end removes the file, and the facts end with it: one engine may preview and then
 * update. An engine also ends the process of a provider that the program no longer has, and another process may just have opened
 * the file then: it writes the file again (`restore`). Lines have numbers, because several processes may restore the same ones.
 *
 * After a failed write or read, `problem` has the reason for the rest of the run, in the other processes too, because a delete
 * could then remove an object of another process.
 */
export class RunLog implements FactLog {
  /** Undefined before the first use. It has no file when no file can be created. */
  private opened: OpenedFile | "none" | undefined;
  private readonly known: Fact[] = [];
  private position = 0;
  private readonly writer = `${process.pid}-${randomUUID()}`;
  private readonly writers = new Set<string>();
  /** The removals that other processes began and have not ended. */
  private readonly removals = new Map<string, Line & { fact: Fact }>();
  /** The number of the last line that was read, by writer. */
  private readonly numbers = new Map<string, number>();
  private written = 0;
  private hasEnded = false;
  private failure: string | undefined;

  /**
   * @param address of the engine: what the processes of one run, and only they, have in common.
   * @param warn warns the user, once, that facts cannot be shared.
   * @param engine the id of the engine's process. Default: the one that started this process.
   */
  constructor(
    private readonly address: string,
    private readonly environment: Environment,
    private readonly warn: (message: string) => void,
    private readonly engine: number = process.ppid,
  ) {}

  get problem(): string | undefined {
    return this.failure;
  }

  append(fact: Fact): boolean {
    return this.write(fact.kind, fact);
  }

  facts(): readonly Fact[] {
    // This precedes the read, so that the read contains all lines of a process that died.
    const dead = [...this.removals.values()].filter((each) => !isWriting(each));
    for (const line of this.lines()) this.learn(line);
    for (const { fact } of dead) {
      // The result of this removal is unknown, so a resource that declares the object must check.
      if (this.removals.delete(fact.by)) this.known.push({ ...fact, kind: "removed" });
    }
    return this.known;
  }

  /** Call this when the process ends. The last process to end removes the run's file. */
  end(): void {
    const { opened } = this;
    if (opened === undefined || opened === "none" || this.hasEnded) return;
    this.write(ENDED);
    for (const line of this.lines()) this.learn(line);
    const isLast = ![...this.writers].some((writer) => isWriting({ writer }));
    if (isLast) {
      this.attempt(() => {
        rmSync(opened.path, { force: true });
        // Another process has joined since the read: its lines must be in the file that later processes open.
        if (fstatSync(opened.file).size > this.position) this.restore(opened);
      });
    }
    this.hasEnded = true;
    this.attempt(() => closeSync(opened.file));
  }

  private learn(line: Line): void {
    const { writer, word, fact } = line;
    if (word === ENDED) this.writers.delete(writer);
    else this.writers.add(writer);
    // All that precedes is of an earlier run: this process has not joined yet.
    if (this.writers.size === 0) this.forget();
    if (fact === undefined) return;
    this.known.push(fact);
    if (fact.kind === "removing" && writer !== this.writer) this.removals.set(fact.by, { ...line, fact });
    else if (fact.kind === "removed") this.removals.delete(fact.by);
  }

  private forget(): void {
    this.known.length = 0;
    this.removals.clear();
  }

  /** @returns whether all processes of the run can read it. */
  private write(word: string, { by, object, project }: Partial<Fact> = {}): boolean {
    const opened = this.open();
    if (!opened) return false;
    // This ends a line that another process wrote only in part.
    const line = [this.writer, word, by, object, project, ++this.written];
    const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
    const isWritten = this.attempt(() => {
      // One write, so that lines of several processes do not mix.
      if (writeSync(opened.file, bytes) < bytes.length) throw new Error("the disk is full");
      if (this.statsOf(opened).nlink === 0) this.restore(opened);
      return true;
    });
    // The mode of the file shows the other processes that a fact is missing. A mode can be changed even on a full disk.
    if (!isWritten) this.attempt(() => chmodSync(opened.path, 0o400));
    return isWritten ?? false;
  }

  /** The lines of all processes since the last call. */
  private lines(): Line[] {
    const opened = this.open();
    const texts = opened && this.attempt(() => this.news(opened));
    const lines = (texts ?? []).flatMap((text) => this.attempt(() => lineOf(text)) ?? []);
    return lines.filter(({ writer, number }) => {
      if (number <= (this.numbers.get(writer) ?? 0)) return false;
      this.numbers.set(writer, number);
      return true;
    });
  }

  /** The texts since the last call. An incomplete line stays for the next call. */
  private news(opened: OpenedFile): string[] {
    if (this.statsOf(opened).nlink === 0) this.restore(opened);
    const bytes = read(opened.file, this.position);
    this.position += bytes.length;
    return bytes
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "");
  }

  private statsOf({ file }: OpenedFile): Stats {
    const stats = fstatSync(file);
    if ((stats.mode & WRITABLE) === 0) {
      this.fail("another provider process could not write what its resources declare");
    }
    return stats;
  }

  /** Writes the removed file of the run again. @throws Error if that is not possible */
  private restore(opened: OpenedFile): void {
    const { file: removed, path } = opened;
    const bytes = read(removed, 0);
    try {
      opened.file = openSync(path, "a+", 0o600);
    } catch {
      throw new Error("the file that they share was removed");
    }
    closeSync(removed);
    this.position = 0;
    if (writeSync(opened.file, bytes) < bytes.length) throw new Error("the disk is full");
  }

  /** The file of the run; undefined when there is none, or when this process has ended. */
  private open(): OpenedFile | undefined {
    if (this.hasEnded) return undefined;
    if (this.opened === undefined) {
      this.opened =
        this.attempt(() => {
          const path = runFile(this.environment, this.engine, this.address);
          return { path, file: openSync(path, "a+", 0o600) };
        }) ?? "none";
      this.write(JOINED);
    }
    return this.opened === "none" ? undefined : this.opened;
  }

  /** Returns undefined after a failure: a full disk or a folder of another user fails no create, only deletes. */
  private attempt<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      this.fail(messageOf(error));
      return undefined;
    }
  }

  private fail(why: string): void {
    if (this.failure !== undefined) return;
    this.failure = `${why}. ${REMEDY}`;
    this.warn(
      "The provider processes of this run cannot share which grants and associations the program declares, so this " +
        `run deletes none of them: ${this.failure}`,
    );
  }
}

function isWriting({ writer }: Pick<Line, "writer">): boolean {
  return isAlive(Number.parseInt(writer, 10));
}

/** The complete lines of a file from a position on. */
function read(file: number, position: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - position));
  const count = readSync(file, bytes, 0, bytes.length, position);
  return bytes.subarray(0, bytes.lastIndexOf("\n", count - 1) + 1);
}

/** @throws SyntaxError for a line that was not written as a whole. */
function lineOf(text: string): Line {
  const [writer, word, by, object, project, number] = JSON.parse(text) as unknown[];
  const kind = FACT_KINDS.find((each) => each === word);
  const fact = kind && { kind, by: textOf(by), object: textOf(object), project: textOf(project) };
  return { writer: textOf(writer), word: textOf(word), number: Number(number), ...(fact ? { fact } : {}) };
}
