import { randomUUID } from "node:crypto";
import { chmodSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import type { Environment } from "../core/environment";
import { FACT_KINDS, type Fact, type FactLog } from "../core/facts";
import { messageOf } from "../core/errors";
import { textOf } from "../core/unknown";
import { isAlive, runFile } from "./run-file";

const WRITABLE = 0o200;

const RUN_AGAIN = "Run it again";
const REMEDY =
  "Set XDG_RUNTIME_DIR, HOME, PULUMI_HOME or TMPDIR to a folder that belongs to you, that only you can open, and that " +
  "has free space";

/** A line of the file: a fact and its writer, which begins with the id of the process. */
interface Line {
  readonly writer: string;
  readonly fact: Fact;
}

interface OpenedFile {
  readonly path: string;
  readonly file: number;
}

/**
 * The facts of one run in a file. Each explicit provider runs in a separate process, and a grant that moves from one provider to
 * another is made by one process and deleted by the other.
 *
 * All processes append to one file, which gives the facts their order. The facts of a process that dies stay valid as long as
 * the engine lives. A later run removes the file.
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
  /** The removals that other processes began and have not ended. */
  private readonly removals = new Map<string, Line>();
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

  /** @returns whether all processes of the run can read it. */
  append(fact: Fact): boolean {
    const opened = this.open();
    if (!opened) return false;
    const { kind, by, object, project } = fact;
    // The first line break ends a line that another process wrote only in part.
    const bytes = Buffer.from(`\n${JSON.stringify([this.writer, kind, by, object, project])}\n`);
    const isWritten = this.attempt(() => {
      // One write, so that lines of several processes do not mix.
      if (writeSync(opened.file, bytes) < bytes.length) throw new Error("the disk is full");
      const size = sharedSize(opened);
      if (size === this.position + bytes.length) {
        // Since the last read, only this process wrote: there is nothing to read.
        this.position = size;
        this.learn({ writer: this.writer, fact });
      }
      return true;
    });
    // The mode of the file shows the other processes that a fact is missing. A mode can be changed even on a full disk.
    if (!isWritten) this.attempt(() => chmodSync(opened.path, 0o400));
    return isWritten ?? false;
  }

  facts(): readonly Fact[] {
    // This precedes the read, so that the read contains all lines of a process that died.
    const dead = [...this.removals.values()].filter(({ writer }) => !isAlive(Number.parseInt(writer, 10)));
    for (const line of this.lines()) this.learn(line);
    for (const { fact } of dead) {
      // The result of this removal is unknown, so a resource that declares the object must check.
      if (this.removals.delete(fact.by)) this.known.push({ ...fact, kind: "removed" });
    }
    return this.known;
  }

  private learn(line: Line): void {
    const { writer, fact } = line;
    this.known.push(fact);
    if (fact.kind === "removing" && writer !== this.writer) this.removals.set(fact.by, line);
    else if (fact.kind === "removed" || fact.kind === "kept") this.removals.delete(fact.by);
  }

  /** The lines of all processes since the last call. An incomplete line stays for the next call. */
  private lines(): Line[] {
    const opened = this.open();
    const bytes = opened && this.attempt(() => this.read(opened));
    const texts = bytes?.toString("utf8").split("\n") ?? [];
    return texts.flatMap((text) => (text === "" ? [] : (this.attempt(() => lineOf(text)) ?? [])));
  }

  /** The complete lines since the last call. @throws Error when a fact of another process is missing */
  private read(opened: OpenedFile): Buffer {
    const size = sharedSize(opened);
    if (size <= this.position) return Buffer.alloc(0);
    const bytes = Buffer.alloc(size - this.position);
    const count = readSync(opened.file, bytes, 0, bytes.length, this.position);
    const complete = bytes.subarray(0, bytes.lastIndexOf("\n", count - 1) + 1);
    this.position += complete.length;
    return complete;
  }

  /** The file of the run; undefined when there is none. */
  private open(): OpenedFile | undefined {
    this.opened ??=
      this.attempt(() => {
        const path = runFile(this.environment, this.engine, this.address);
        return { path, file: openSync(path, "a+", 0o600) };
      }) ?? "none";
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
    this.failure = why.endsWith(RUN_AGAIN) ? why : `${why}. ${REMEDY}`;
    this.warn(
      "The provider processes of this run cannot share which grants and associations the program declares, so this " +
        `run deletes none of them: ${this.failure}`,
    );
  }
}

/** The size of the file in bytes. @throws Error when another process cannot write or read the facts in it. */
function sharedSize({ file }: OpenedFile): number {
  const { mode, nlink, size } = fstatSync(file);
  if ((mode & WRITABLE) === 0) throw new Error("another provider process could not write what its resources declare");
  if (nlink === 0) throw new Error(`the file that they share was removed. ${RUN_AGAIN}`);
  return size;
}

/** @throws SyntaxError for a line that was not written as a whole. */
function lineOf(text: string): Line | undefined {
  const [writer, word, by, object, project] = JSON.parse(text) as unknown[];
  const kind = FACT_KINDS.find((each) => each === word);
  const fact = kind && { kind, by: textOf(by), object: textOf(object), project: textOf(project) };
  return fact && { writer: textOf(writer), fact };
}
