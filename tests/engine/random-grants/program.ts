/** A program of grants and associations: what it declares, as a front gets it, and which grants its resources have. */
import { association, declaring, declaringInYaml, PROJECT, tokenOf, type Declared } from "../../support/programs";
import { CONDITIONS, grantText, keyOf, targetOf, type GrantText, type RoleOn } from "./grant-text";

export const NUMBER = "415104041262";
/** The time limit of each call for a resource with `isShort`. */
export const SHORT_LIMIT = "2s";
export type Mode = "merge" | "replace";
export type Front = "npm" | "the script for Node.js" | "the executable";

interface Options {
  /** The name that the resource had before. */
  alias?: string;
  deleteBeforeReplace?: boolean;
  protect?: boolean;
}

/** A grant of a member, or a binding of a role. */
export interface GrantDeclaration extends Options, RoleOn {
  kind: "member" | "binding";
  /** One for a member. */
  members: readonly string[];
  /** The member of a binding that the program marks as secret. No other resource has it. */
  secret?: string;
  /** The name of the target has the project's number in it, in place of its id. */
  byNumber?: boolean;
  provider?: string;
  /** A resource that is declared before this one. */
  dependsOn?: string;
  retainOnDelete?: boolean;
  /** Its calls have little time (`SHORT_LIMIT`). Without effect in the npm front. */
  isShort?: boolean;
}

/** A firewall endpoint association. */
export interface AssociationDeclaration extends Options {
  kind: "association";
  id: string;
  network: string;
  /** The value of its only label. */
  label: string;
  /** Another label replaces the association (`replaceOnChanges`). Without effect in the npm front. */
  isReplacedForLabels?: boolean;
}

export type Declaration = GrantDeclaration | AssociationDeclaration;

/** Resources by name, in the order of their declaration. */
export type Program = Readonly<Record<string, Declaration>>;

export const isGrant = (declaration: Declaration): declaration is GrantDeclaration =>
  declaration.kind !== "association";

/** The grants and bindings of a program, by name. */
export function grantEntries(program: Program): [string, GrantDeclaration][] {
  return Object.entries(program).flatMap(([name, each]) => (isGrant(each) ? [[name, each]] : []));
}

export function associationsIn(program: Program): AssociationDeclaration[] {
  return Object.values(program).flatMap((each) => (isGrant(each) ? [] : [each]));
}

export function grantsOf(declaration: Declaration): GrantText[] {
  return isGrant(declaration) ? declaration.members.map((member) => grantText(declaration, member)) : [];
}

export function allGrants(program: Program): Set<GrantText> {
  return new Set(Object.values(program).flatMap(grantsOf));
}

/** The members that a program marks as secret. */
export function secretsIn(program: Program): string[] {
  return grantEntries(program).flatMap(([, { secret }]) => secret ?? []);
}

/** Why a provider must refuse the program; undefined if it must accept it. */
export function conflictIn(program: Program, mode: Mode): string | undefined {
  const entries = grantEntries(program);
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
  const token = tokenOf(declaredOf(declaration, front).type);
  return front === "npm" ? token.replace(/^perimeter:/, "pulumi-nodejs:dynamic/") : token;
}

/** The program's files for a front. */
export function filesOf(program: Program, front: Front, settings: object): Record<string, string> {
  const resources = Object.fromEntries(Object.entries(program).map(([name, each]) => [name, declaredOf(each, front)]));
  if (front === "npm") {
    return {
      "package.json": JSON.stringify({ name: "sample", private: true, main: "index.js" }),
      ...declaring(resources),
    };
  }
  const used = new Set(grantEntries(program).flatMap(([, { provider }]) => provider ?? []));
  return declaringInYaml(resources, { providers: Object.fromEntries([...used].map((name) => [name, settings])) });
}

function declaredOf(declaration: Declaration, front: Front): Declared {
  const { alias } = declaration;
  const aliases = alias === undefined ? {} : { aliases: [{ name: alias }] };
  if (!isGrant(declaration)) {
    const { kind: _kind, id, network, label, isReplacedForLabels, alias: _alias, ...options } = declaration;
    const replacing = isReplacedForLabels ? { replaceOnChanges: ["labels"] } : {};
    return { ...association(associationArgs({ id, network, label })), ...options, ...replacing, ...aliases };
  }
  const {
    kind,
    on,
    role,
    members,
    secret,
    condition,
    byNumber,
    dependsOn,
    isShort,
    alias: _,
    ...options
  } = declaration;
  const { type, name } = targetOf(on);
  const marked = members.map((member) => (member === secret ? asSecret(member, front) : member));
  return {
    type: `${type}Iam${kind === "member" ? "Member" : "Binding"}`,
    args: {
      name: byNumber ? name.replace(PROJECT, NUMBER) : name,
      role,
      ...(kind === "member" ? { member: marked[0] } : { members: marked }),
      ...(condition === undefined ? {} : { condition: CONDITIONS[condition] }),
    },
    ...options,
    ...aliases,
    ...(dependsOn === undefined ? {} : { dependsOn: [dependsOn] }),
    ...(isShort ? { customTimeouts: { create: SHORT_LIMIT, update: SHORT_LIMIT, delete: SHORT_LIMIT } } : {}),
  };
}

const asSecret = (text: string, front: Front): unknown => (front === "npm" ? `secret:${text}` : { "fn::secret": text });

function associationArgs({ id, network, label }: Pick<AssociationDeclaration, "id" | "network" | "label">) {
  return { firewallEndpointAssociationId: id, network: networkName(network), labels: { team: label } };
}

export const networkName = (short: string): string => `projects/${PROJECT}/global/networks/${short}`;

/** One line for each resource of the program. */
export function shown(program: Program): string {
  const lines = Object.entries(program).map(([name, declaration]) => {
    const [text, options] = isGrant(declaration) ? shownGrant(declaration) : shownAssociation(declaration);
    const more = Object.entries(options).map(([option, value]) =>
      value === true ? option : `${option} ${String(value)}`,
    );
    return [`  ${name}: ${text}`, ...more].join(", ");
  });
  return lines.length === 0 ? "  (nothing)" : lines.join("\n");
}

function shownGrant({ kind, on, role, condition, members, ...options }: GrantDeclaration): [string, object] {
  return [`${kind} ${keyOf({ on, role, condition })} [${members.join(", ")}]`, options];
}

function shownAssociation({ kind, id, network, label, ...options }: AssociationDeclaration): [string, object] {
  return [`${kind} ${id} of ${network}, label ${label}`, options];
}
