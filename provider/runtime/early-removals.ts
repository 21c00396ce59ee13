import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../core/environment";
import type { EarlyRemovals, Fact } from "../core/facts";
import { isProjectNumber } from "../core/reference";
import { existingPrivateFolder, LEFT_BEHIND_MS, privateFolder } from "./private-folder";

const FOLDER = "removals";

type Removed = Pick<Fact, "object" | "project">;

/**
 * Early removals as empty files of the user, one for each object. A run that is killed cannot write anything at its end, so the
 * file is created before the removal, and deleted when a resource has made the object again.
 *
 * Where no file can be created, a killed run leaves no trace. The run itself does not need them.
 */
export class EarlyRemovalFiles implements EarlyRemovals {
  /** The files of earlier runs, read at the first use. */
  private known: Set<string> | undefined;

  constructor(private readonly environment: Environment) {}

  note(removed: Removed): void {
    const name = nameOf(removed);
    this.all.add(name);
    attempt(() => {
      const folder = join(privateFolder(this.environment), FOLDER);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, name), "", { mode: 0o600 });
    });
  }

  has(removed: Removed): boolean {
    return this.namesOf(removed).length > 0;
  }

  settle(removed: Removed): void {
    for (const name of this.namesOf(removed)) {
      this.all.delete(name);
      const folder = existingPrivateFolder(this.environment);
      if (folder !== undefined) attempt(() => rmSync(join(folder, FOLDER, name), { force: true }));
    }
  }

  /** The removals of an object whose project has this spelling, or the other one: its id or its number. */
  private namesOf(removed: Removed): string[] {
    if (this.all.size === 0) return [];
    const own = nameOf(removed);
    const other = prefixOf(removed.object, !isProjectNumber(removed.project));
    return [...this.all].filter((name) => name === own || name.startsWith(other));
  }

  private get all(): Set<string> {
    this.known ??= new Set(attempt(() => this.read()));
    return this.known;
  }

  /** The names of the files. Removes those that no run has used for a long time. */
  private read(): string[] {
    const base = existingPrivateFolder(this.environment);
    if (base === undefined) return [];
    const folder = join(base, FOLDER);
    return readdirSync(folder).filter((name) => {
      const path = join(folder, name);
      if (Date.now() - statSync(path).mtimeMs <= LEFT_BEHIND_MS) return true;
      rmSync(path, { force: true });
      return false;
    });
  }
}

/** The name consists of hashes, because the program may keep the object and the project secret. */
function nameOf({ object, project }: Removed): string {
  return prefixOf(object, isProjectNumber(project)) + hash(project).slice(0, 16);
}

/** The beginning of the names of an object's removals under a project's number, or under its id. */
function prefixOf(object: string, isNumber: boolean): string {
  return `${hash(object)}-${isNumber ? "number" : "id"}-`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns undefined after a failure. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
