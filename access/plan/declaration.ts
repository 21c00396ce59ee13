import type { ownershipOf } from "./grant-steps";

/** What a resource of a stack declares in an access policy after the update. */
export interface Declaration {
  urn: string;
  /** Identifies the policy. */
  policy: string;
  /** The name of the resource with the policy, in answers. */
  resource: string;
  owns: ReturnType<typeof ownershipOf>;
  /** Whether it belongs to another provider. */
  isOther: boolean;
  /** The roles with their conditions. */
  roles: ReadonlyMap<string, string>;
  grants: ReadonlySet<string>;
  /** Whether the update writes it. */
  isWritten: boolean;
}
