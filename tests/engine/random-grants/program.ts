/** A program of grants: what it declares, as a front gets it, and which grants its resources have. */
import { createHash } from "node:crypto";
import { declaring, declaringInYaml, PROJECT, tokenOf, type Declared } from "../../support/programs";

export const NUMBER = "415104041262";
export type Mode = "merge" | "replace";
export type Front = "npm" | "the script for Node.js" | "the executable";

const LOCATION = `projects/${PROJECT}/locations/us-central1`;

/** A resource of the cloud whose policy the programs change. */
interface Target {
  service: "healthcare" | "datamigration";
  name: string;
  type: string;
  roles: readonly string[];
}

/** The short name of a migration job. All other short names are those of FHIR stores. */
export const JOB = "job";

export function targetOf(short: string): Target {
  if (short === JOB) {
    return {
      service: "datamigration",
      name: `${LOCATION}/migrationJobs/${short}`,
      type: "datamigration.v1beta1.MigrationJob",
      roles: ["roles/viewer", "roles/datamigration.viewer"],
    };
  }
  return {
    service: "healthcare",
    name: `${LOCATION}/datasets/clinic/fhirStores/${short}`,
    type: "healthcare.v1beta1.DatasetFhirStore",
    roles: ["roles/viewer", "roles/healthcare.fhirResourceReader"],
  };
}

/** The seed of an emulator that has these targets. */
export function seedOf(targets: readonly string[]): object[] {
  const resources = targets.map(targetOf).map(({ service, name }) => ({ service, name }));
  return [{ service: "healthcare", name: `${LOCATION}/datasets/clinic` }, ...resources];
}

/** Conditions that differ in one of their fields each. */
const CONDITIONS: Record<string, { title: string; description?: string; expression: string }> = {
  day: { title: "shift", expression: "true" },
  night: { title: "shift", description: "night", expression: "true" },
};
export const CONDITION_NAMES = Object.keys(CONDITIONS);

export interface Declaration {
  kind: "member" | "binding";
  /** The short name of the target. */
  on: string;
  role: string;
  /** One for a member. */
  members: readonly string[];
  condition?: string;
  /** The name of the target has the project's number in it, in place of its id. */
  byNumber?: boolean;
  provider?: string;
  /** The name that the resource had before. */
  alias?: string;
  /** A resource that is declared before this one. */
  dependsOn?: string;
  deleteBeforeReplace?: boolean;
  protect?: boolean;
  retainOnDelete?: boolean;
}

/** Resources by name, in the order of their declaration. */
export type Program = Readonly<Record<string, Declaration>>;

/** A role with its condition on a target: "east roles/viewer if day". */
export function keyOf({ on, role, condition }: Pick<Declaration, "on" | "role" | "condition">): string {
  return `${on} ${role}${condition === undefined ? "" : ` if ${condition}`}`;
}

/** A member in a role: "east roles/viewer if day user:a@example.com". The case of letters in a member has no meaning. */
export type GrantText = string;

export const keyOfGrant = (grant: GrantText): string => grant.slice(0, grant.lastIndexOf(" "));
export const memberOfGrant = (grant: GrantText): string => grant.slice(grant.lastIndexOf(" ") + 1);

export function grantsOf(declaration: Declaration): GrantText[] {
  return declaration.members.map((member) => `${keyOf(declaration)} ${member.toLowerCase()}`);
}

export function allGrants(program: Program): Set<GrantText> {
  return new Set(Object.values(program).flatMap(grantsOf));
}

/** Why a provider must refuse the program; undefined if it must accept it. */
export function conflictIn(program: Program, mode: Mode): string | undefined {
  const entries = Object.entries(program);
  for (const [at, [name, left]] of entries.entries()) {
    for (const [other, right] of entries.slice(at + 1)) {
      if (left.on !== right.on) continue;
      const areMembers = left.kind === "member" && right.kind === "member";
      const areBindings = left.kind === "binding" && right.kind === "binding";
      const isAsOne = areMembers && mode === "merge";
      if (!isAsOne && keyOf(left) === keyOf(right)) return `${name} and ${other} undo each other in ${keyOf(left)}`;
      if (mode === "replace" && !areBindings) return `${name} or ${other} replaces the whole policy`;
    }
  }
  return undefined;
}

/** The type of a resource, as its URN has it. */
export function typeOf(declaration: Declaration, front: Front): string {
  const token = tokenOf(declaredOf(declaration).type);
  return front === "npm" ? token.replace(/^perimeter:/, "pulumi-nodejs:dynamic/") : token;
}

/** The program's files for a front. */
export function filesOf(program: Program, front: Front, settings: object): Record<string, string> {
  const resources = Object.fromEntries(Object.entries(program).map(([name, each]) => [name, declaredOf(each)]));
  if (front === "npm") {
    return {
      "package.json": JSON.stringify({ name: "sample", private: true, main: "index.js" }),
      ...declaring(resources),
    };
  }
  const used = new Set(Object.values(program).flatMap(({ provider }) => provider ?? []));
  return declaringInYaml(resources, { providers: Object.fromEntries([...used].map((name) => [name, settings])) });
}

function declaredOf(declaration: Declaration): Declared {
  const { kind, on, role, members, condition, byNumber, alias, dependsOn, ...options } = declaration;
  const { type, name } = targetOf(on);
  return {
    type: `${type}Iam${kind === "member" ? "Member" : "Binding"}`,
    args: {
      name: byNumber ? name.replace(PROJECT, NUMBER) : name,
      role,
      ...(kind === "member" ? { member: members[0] } : { members }),
      ...(condition === undefined ? {} : { condition: CONDITIONS[condition] }),
    },
    ...options,
    ...(alias === undefined ? {} : { aliases: [{ name: alias }] }),
    ...(dependsOn === undefined ? {} : { dependsOn: [dependsOn] }),
  };
}

export interface Binding {
  role: string;
  members: string[];
  condition?: object;
}

/** The grants of a policy. */
export function grantsInPolicy(short: string, bindings: readonly Binding[]): GrantText[] {
  return bindings.flatMap(({ role, members, condition }) => {
    const suffix = condition === undefined ? "" : ` if ${conditionName(condition)}`;
    return members.map((member) => `${short} ${role}${suffix} ${member.toLowerCase()}`);
  });
}

function conditionName(condition: object): string {
  const given = sorted(condition);
  const known = CONDITION_NAMES.find((name) => sorted(CONDITIONS[name] ?? {}) === given);
  return known ?? createHash("sha256").update(given).digest("hex").slice(0, 8);
}

const sorted = (value: object): string => JSON.stringify(Object.entries(value).sort());

/** The bindings of a policy with these grants, which are all of one target. */
export function bindingsOf(grants: readonly GrantText[]): Binding[] {
  return [...new Set(grants.map(keyOfGrant))].map((key) => {
    const all = grants.filter((grant) => keyOfGrant(grant) === key);
    const [, role = "", , condition] = key.split(" ");
    return {
      role,
      members: all.map(memberOfGrant),
      ...(condition === undefined ? {} : { condition: CONDITIONS[condition] ?? {} }),
    };
  });
}

/** One line for each resource of the program. */
export function shown(program: Program): string {
  const lines = Object.entries(program).map(([name, declaration]) => {
    const { kind, on: _on, role: _role, condition: _condition, members, ...options } = declaration;
    const more = Object.entries(options).map(([option, value]) =>
      value === true ? option : `${option} ${String(value)}`,
    );
    const text = `  ${name}: ${kind} ${keyOf(declaration)} [${members.join(", ")}]`;
    return [text, ...more].join(", ");
  });
  return lines.length === 0 ? "  (nothing)" : lines.join("\n");
}
