/** The programs of the model. */
import type { Values } from "../../provider/core/unknown";
import type { Random } from "./grants-random";
import type { Parent } from "./review-model-parents";

/** A grant of a program. */
export interface Declared {
  inputs: Values;
  /** The program reads this grant (`get`), and does not manage it. */
  isRead?: boolean;
  /** The program takes over what is in the cloud (`import`). */
  isImported?: boolean;
  /** Names of grants that it depends on. */
  dependsOn?: string[];
  /** Name of a grant or a parent that takes it along when it is deleted. */
  deletedWith?: string;
  deleteBeforeReplace?: boolean;
  retainOnDelete?: boolean;
  /** What it was called before. */
  alias?: string;
  /** An explicit provider's name. */
  provider?: string;
}

export interface ModelProgram {
  grants: Record<string, Declared>;
  /** Settings of the explicit providers by name. */
  providers: Record<string, Values>;
  /** Resources of another provider that grants are on, by name. */
  parents?: Record<string, Parent>;
  /** Explicit providers that this update replaces (`--replace`). */
  replaced?: string[];
  /** The program looks something up with the default provider, which no plan shows. */
  looksUp?: boolean;
}

/** Whether the engine makes or uses the stack's default provider. */
export function usesDefault({ grants, looksUp = false }: ModelProgram): boolean {
  return looksUp || Object.values(grants).some(({ provider }) => provider === undefined);
}

/** The program's grants, in a random order in which each comes after those that it depends on. */
export function randomOrder({ grants }: ModelProgram, random: Random): string[] {
  const left = new Map(Object.entries(grants));
  const order: string[] = [];
  while (left.size > 0) {
    const ready = [...left].filter(([, { dependsOn = [], deletedWith = "" }]) =>
      [...dependsOn, deletedWith].every((other) => !left.has(other)),
    );
    const [name] = random.pick(ready);
    order.push(name);
    left.delete(name);
  }
  return order;
}
