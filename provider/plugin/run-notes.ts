import { createHmac, randomUUID } from "node:crypto";
import { appendFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../core/config/environment";
import { messageOf } from "../core/errors";
import type { Note, NoteSharing } from "../core/note";
import { ENDED, lineOf } from "./note-line";
import { isOver, NOTES, NotesFile } from "./notes-file";
import { runFolder, type RunFolder } from "./run-folder";

/**
 * How the provider processes of one run share what its resources declare and hold. Each explicit provider is a process of
 * its own, and a grant that moves from one provider to another is made by one process and deleted by the other.
 *
 * A run has a folder, and in it each process has a file to which it appends its notes. They contain keyed hashes and sealed
 * project names only, and the key is removed with the folder. The notes of a process that dies stay valid as long as the
 * engine lives. The last process to end removes the folder; the next run removes what a killed run left behind.
 */
export class RunNotes implements NoteSharing {
  /** Undefined before the first use. */
  private found: { place: Place | undefined } | undefined;
  private readonly others = new Map<string, NotesFile>();
  private hasEnded = false;
  private hasWarned = false;

  /**
   * @param address of the engine: what the processes of one run, and only they, have in common.
   * @param warn tells the user, once, that notes cannot be shared.
   * @param engine the id of the engine's process. Default: the one that started this process.
   */
  constructor(
    private readonly address: string,
    private readonly environment: Environment,
    private readonly warn: (message: string) => void,
    private readonly engine: number = process.ppid,
  ) {}

  digest(text: string): string {
    const { place } = this;
    // Notes that stay in this process need no hashes.
    return place ? createHmac("sha256", place.key).update(text).digest("base64url") : text;
  }

  share(note: Note): void {
    const { place } = this;
    if (!place || this.hasEnded) return;
    this.attempt(() => appendFileSync(place.file, `${lineOf(note, place.key)}\n`, { mode: 0o600 }));
  }

  news(): Note[] {
    const { place } = this;
    if (!place || this.hasEnded) return [];
    return (
      this.attempt(() =>
        filesIn(place.path)
          .filter((path) => path !== place.file)
          .flatMap((path) => this.other(path, place.key).news()),
      ) ?? []
    );
  }

  /** To be called when the run ends. The last process to end removes the run's folder. */
  end(): void {
    const place = this.found?.place;
    if (!place || this.hasEnded) return;
    this.hasEnded = true;
    try {
      appendFileSync(place.file, `${ENDED}\n`, { mode: 0o600 });
      if (filesIn(place.path).every(isOver)) rmSync(place.path, { recursive: true, force: true });
    } catch {
      // The next run removes it.
    }
  }

  private other(path: string, key: Buffer): NotesFile {
    const known = this.others.get(path) ?? new NotesFile(path, key);
    this.others.set(path, known);
    return known;
  }

  /** Where this process keeps its notes; undefined where they cannot be shared. */
  private get place(): Place | undefined {
    this.found ??= { place: this.attempt(() => this.makePlace()) };
    return this.found.place;
  }

  private makePlace(): Place {
    const folder = runFolder(this.environment, this.engine, this.address);
    return { ...folder, file: join(folder.path, `${process.pid}.${randomUUID()}${NOTES}`) };
  }

  /** Returns undefined after a failure: a full disk or a folder of another user must not fail the run, only warn of it. */
  private attempt<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      if (!this.hasWarned) {
        this.hasWarned = true;
        this.warn(
          "The provider processes of this run cannot tell each other which grants and associations the program declares " +
            `(${messageOf(error)}). What moves from one explicit provider to another in this run, or is renamed on ` +
            "the way, can be removed by the delete of its old resource: run pulumi refresh and pulumi up after it",
        );
      }
      return undefined;
    }
  }
}

interface Place extends RunFolder {
  /** This process's own notes. */
  file: string;
}

/** The files with notes in a run's folder, one for each process. */
function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(NOTES))
    .map((name) => join(folder, name));
}
