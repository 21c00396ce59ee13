/** What has changed since the last commit, by name. */
export interface Changes {
  resources: Set<string>;
  operations: Set<string>;
  requestIds: Set<string>;
  clock: boolean;
  cleared: boolean;
}

export function noChanges(): Changes {
  return { resources: new Set(), operations: new Set(), requestIds: new Set(), clock: false, cleared: false };
}

/** The present values of some keys; null stands for an entry that is gone. */
export function entries<T>(map: ReadonlyMap<string, T>, keys: ReadonlySet<string>): Array<[string, T | null]> {
  return [...keys].map((key) => [key, map.get(key) ?? null]);
}

/** Sets an entry or, with undefined, deletes it. */
export function assign<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) {
    map.delete(key);
  } else {
    map.set(key, value);
  }
}
