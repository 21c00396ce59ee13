/** The parts of a member of a policy, for people. */
export interface MemberParts {
  /** Its kind, in one or two words, e.g. `service account`. */
  kind: string;
  /** Without its prefix, e.g. `ada@example.com`. */
  name: string;
  /** Whether it includes everybody. */
  isPublic: boolean;
  /** Whether it was deleted. Its grants stay until they are removed. */
  isDeleted: boolean;
  /** The position of its kind in a list, with the widest access first. */
  order: number;
}

const KINDS: ReadonlyArray<readonly [prefix: string, kind: string]> = [
  ["domain", "domain"],
  ["group", "group"],
  ["user", "user"],
  ["serviceAccount", "service account"],
  ["principalSet", "principal set"],
  ["principal", "principal"],
  ["projectOwner", "project owners"],
  ["projectEditor", "project editors"],
  ["projectViewer", "project viewers"],
];

const PUBLIC: Readonly<Record<string, string>> = {
  allUsers: "everyone on the internet",
  allAuthenticatedUsers: "everyone with a Google account",
};

export function memberParts(member: string): MemberParts {
  const everyone = Object.hasOwn(PUBLIC, member) ? PUBLIC[member] : undefined;
  if (everyone !== undefined) {
    return { kind: everyone, name: member, isPublic: true, isDeleted: false, order: 0 };
  }
  const isDeleted = member.startsWith("deleted:");
  const rest = isDeleted ? member.slice("deleted:".length) : member;
  const colon = rest.indexOf(":");
  const prefix = colon < 0 ? "" : rest.slice(0, colon);
  const place = KINDS.findIndex(([known]) => known === prefix);
  const kind = KINDS[place]?.[1] ?? "member";
  const name = place < 0 ? rest : rest.slice(colon + 1);
  return {
    kind: isDeleted ? `deleted ${kind}` : kind,
    name: isDeleted ? name.replace(/\?uid=\d+$/, "") : name,
    isPublic: false,
    isDeleted,
    order: isDeleted ? KINDS.length + 2 : place < 0 ? KINDS.length + 1 : place + 1,
  };
}

/** Compares members by kind, then by name, so that the order is the same in all versions. */
export function compareMembers(a: string, b: string): number {
  const [left, right] = [memberParts(a), memberParts(b)];
  return left.order - right.order || compareText(left.name, right.name) || compareText(a, b);
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
