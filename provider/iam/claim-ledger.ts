import { createHash, randomUUID } from "node:crypto";
import { appendFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Claims that several provider processes of one run share: each explicit provider is a process of its own, and a grant
 * that moves from one to another is made by the one and deleted by the other. Only hashes are written.
 *
 * Each process has a file of its own, named after it: one that ends takes only its own claims away, and what one that was
 * killed left behind says nothing to a later run at the same address.
 */
export class ClaimLedger {
  private readonly folder: string;
  private readonly file: string;

  /** @param run what the processes of one run, and only they, have in common: the engine's address. */
  constructor(run: string) {
    this.folder = join(tmpdir(), `perimeter-run-${hash(run).slice(0, 16)}`);
    this.file = join(this.folder, `${process.pid}.${randomUUID()}`);
  }

  add(key: string): void {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      if (this.isOurs()) appendFileSync(this.file, `${hash(key)}\n`, { mode: 0o600 });
    } catch {
      // Without a writable temporary folder, claims protect within this process only.
    }
  }

  has(key: string): boolean {
    try {
      if (!this.isOurs()) return false;
      const line = `${hash(key)}\n`;
      return readdirSync(this.folder).some(
        (name) => isAlive(Number.parseInt(name, 10)) && readFileSync(join(this.folder, name), "utf8").includes(line),
      );
    } catch {
      return false;
    }
  }

  /** To be called when the run ends; the last process to go leaves nothing behind. */
  remove(): void {
    try {
      rmSync(this.file, { force: true });
      for (const name of readdirSync(this.folder)) {
        if (!isAlive(Number.parseInt(name, 10))) rmSync(join(this.folder, name), { force: true });
      }
      rmdirSync(this.folder);
    } catch {
      // Others still need it, or it was never made.
    }
  }

  /** The temporary folder is everybody's: another user of this machine must not be able to claim. */
  private isOurs(): boolean {
    const stats = lstatSync(this.folder);
    return stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid());
  }
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
