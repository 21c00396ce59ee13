/** Resources of another provider that the model's grants are on. They take their access policies along when they are deleted. */

export interface Parent {
  /** Its relative name in the cloud. */
  id: string;
  /** A change replaces it. */
  version: number;
  deleteBeforeReplace: boolean;
  retainOnDelete: boolean;
}

/** A step of another provider. */
export interface ParentStep {
  op: "create" | "same" | "replace" | "delete" | "left out";
  name: string;
  old?: Parent;
  next?: Parent;
}

export class ModelParents {
  private held = new Map<string, Parent>();

  /** @param takeAway deletes the access policies of the resource and of those inside it. */
  constructor(private readonly takeAway: (id: string) => void) {}

  get all(): ReadonlyMap<string, Parent> {
    return this.held;
  }

  /** The steps of an update. */
  steps(program: Readonly<Record<string, Parent>> = {}): ParentStep[] {
    const goes = [...this.held].filter(([name]) => !(name in program));
    return [
      ...Object.entries(program).map(([name, next]): ParentStep => {
        const old = this.held.get(name);
        if (!old) return { op: "create", name, next };
        return { op: old.version === next.version ? "same" : "replace", name, old, next };
      }),
      ...goes.map(([name, old]): ParentStep => ({ op: "delete", name, old })),
    ];
  }

  /** The steps of a destroy. */
  destroySteps(isTargeted: boolean): ParentStep[] {
    return [...this.held].map(([name, old]) =>
      isTargeted ? { op: "left out", name, old, next: old } : { op: "delete", name, old },
    );
  }

  /** Makes what the program has, and deletes before that what it makes again. */
  make(steps: readonly ParentStep[]): void {
    for (const { op, name, old, next } of steps) {
      if (op === "replace" && old && next?.deleteBeforeReplace && !old.retainOnDelete) this.takeAway(old.id);
      if (next) this.held.set(name, next);
    }
  }

  /** Carries out steps that the engine makes last. */
  remove(steps: readonly ParentStep[]): void {
    for (const { op, name, old } of steps) {
      if (old && !old.retainOnDelete) this.takeAway(old.id);
      if (op === "delete") this.held.delete(name);
    }
  }
}

/** Whether the engine deletes it after all that it makes. */
export function goesLast({ op, next }: ParentStep): boolean {
  return op === "delete" || (op === "replace" && next?.deleteBeforeReplace === false);
}
