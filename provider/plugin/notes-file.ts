import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { basename } from "node:path";
import type { Note } from "../core/note";
import { ENDED, noteOf } from "./note-line";
import { isAlive } from "./run-folder";

/** How the name of a file with notes ends. It begins with the id of the process that writes it. */
export const NOTES = ".notes";

/** The notes of another process, read on from where the last look ended. */
export class NotesFile {
  private read = 0;
  private rest = "";
  /** Deletes that the process has begun and not ended, by the key of their object. */
  private readonly removing = new Map<string, Note>();

  constructor(
    private readonly path: string,
    private readonly key: Buffer,
  ) {}

  /** The notes since the last call. */
  news(): Note[] {
    // This look comes before the read, so that the read has all that a dead process noted.
    const isDead = this.removing.size > 0 && !isAlive(writerOf(this.path));
    const notes = this.lines().flatMap((line) => noteOf(line, this.key) ?? []);
    for (const note of notes) {
      if (note.kind === "removing") this.removing.set(note.key, note);
      else if (note.kind === "removed" || note.kind === "kept") this.removing.delete(note.key);
    }
    if (!isDead) return notes;
    // Nobody knows how these deletes ended. Told that the object is gone, whoever wants it looks.
    const unfinished = [...this.removing.values()].map((note): Note => ({ ...note, kind: "removed" }));
    this.removing.clear();
    return [...notes, ...unfinished];
  }

  private lines(): string[] {
    const file = openSync(this.path, "r");
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
}

/** Whether the process that writes a file needs the run's folder no more. */
export function isOver(path: string): boolean {
  return readFileSync(path, "latin1").endsWith(`${ENDED}\n`) || !isAlive(writerOf(path));
}

/** The id of the process that writes a file. */
function writerOf(path: string): number {
  return Number.parseInt(basename(path), 10);
}
