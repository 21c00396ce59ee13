import { randomUUID } from "node:crypto";

export function newUid(): string {
  return randomUUID();
}

/** The last segment of a resource name. */
export function idOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
