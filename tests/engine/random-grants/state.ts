/** What the state of a stack says about its grants. */
import type { StackState, StepState } from "../../support/state";
import { PROJECT } from "../../support/programs";
import { conditionName, grantText, JOB, type GrantText } from "./grant-text";
import { NUMBER } from "./program";

/** The grants that the state has for a resource. */
export interface HeldGrants {
  name: string;
  grants: readonly GrantText[];
  /** False if a create or an update has not ended, or the resource was deleted before its replacement. */
  isComplete: boolean;
}

const GRANT = /Iam(Member|Binding)$/;
const ASSOCIATION = /:FirewallEndpointAssociation$/;

/** The grants, the bindings and the associations of a state, with what it has to delete. */
export function ownResources({ deployment }: StackState): StepState[] {
  return (deployment.resources ?? []).filter(({ type }) => GRANT.test(type) || ASSOCIATION.test(type));
}

export const nameOf = ({ urn }: StepState): string => urn.slice(urn.lastIndexOf("::") + 2);

/** @param state with its secrets in plain text */
export function heldGrants(state: StackState): HeldGrants[] {
  const grants = ownResources(state).filter(({ type }) => GRANT.test(type));
  return grants.map((resource) => {
    const { initErrors = [], pendingReplacement = false } = resource as { initErrors?: unknown[] } & StepState;
    const isComplete = initErrors.length === 0 && pendingReplacement !== true;
    return { name: nameOf(resource), grants: grantsIn(resource), isComplete };
  });
}

function grantsIn({ outputs = {} }: StepState): GrantText[] {
  const {
    name,
    role,
    member,
    members = [member],
    condition,
  } = revealed(outputs) as {
    name: string;
    role: string;
    member?: string;
    members?: string[];
    condition?: object;
  };
  const on = name.split("/").at(-1) ?? JOB;
  return members.map((each) => grantText({ on, role, condition: condition && conditionName(condition) }, each ?? ""));
}

/** The value without the engine's marks of secrets. */
function revealed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revealed);
  if (value === null || typeof value !== "object") return value;
  const { plaintext } = value as { plaintext?: string };
  if (SECRET_SIGN in value && plaintext !== undefined) return JSON.parse(plaintext);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, revealed(each)]));
}

const SECRET_SIGN = "4dabf18193072939515e22adb298388d";

/**
 * The resources of a state by name, for comparison. The etag is that of the whole policy, which other resources change. After an
 * update that changes only the spelling or the order of members, inputs and outputs differ, and a refresh makes them equal.
 *
 * @param state with its secrets in plain text: each encryption differs.
 */
export function comparableResources(state: StackState): Map<string, string> {
  return new Map(
    ownResources(state).map((resource) => {
      const { inputs, outputs = {}, id } = resource;
      const { etag: _etag, ...rest } = revealed(outputs) as Record<string, unknown>;
      const text = JSON.stringify({ id, inputs: sorted(revealed(inputs)), outputs: sorted(rest) });
      return [nameOf(resource), text.replaceAll(NUMBER, PROJECT).toLowerCase()];
    }),
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => String(each).toLowerCase()).sort();
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}
