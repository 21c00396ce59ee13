import { grantsIn } from "../result/grants";
import { byResource, compareBy } from "../result/order";
import {
  hasNoAccessLeft,
  isIncomplete,
  isWithoutEffect,
  type AccessChanged,
  type Answer,
  type Expiry,
  type ReviewedGrant,
  type ReviewedResource,
} from "../result/result";
import { principalText } from "../result/sentences";
import { nameAmong } from "../result/stacks";
import { stackLabel } from "../result/urn";
import { capitalized, counted, visible } from "../result/visible";
import { basisOf, settingsOf, type Placed } from "./basis";
import { conditionChangeText, conditionText } from "./condition";
import { leftOf, noAccessLeftOn, type Left } from "./access-left";
import { endInWords, endsOf } from "./expiry";
import { headline, isQuiet, verdictText } from "./headline";
import { picturedGrants, type PicturedGrants } from "./pictured-grants";
import { sectionsOf, stepOf, unknownEntry, type Entry, type Section, type Step, type Tone } from "./sections";

/**
 * What a review says, for its three text forms: the sentences, their words and their order. The forms only render it: they
 * escape, style, wrap, fold and shorten. Every text is one line of visible characters.
 */
export interface Report {
  operation: Answer["operation"];
  title: string;
  /** The known names of the project and the stack. */
  stack: string[];
  headline: string;
  /** Absent for a list of access without a violation. */
  verdict: string | undefined;
  tone: Tone;
  /** The settings that all resources share, and the source of the rules. Clauses. */
  basis: string[];
  /** Whether the review is sure that no access changes. */
  isQuiet: boolean;
  /** All changes of access: losses first, then by resource, principal and role. */
  changes: ReportedChange[];
  /** By name. */
  resources: ReportedResource[];
  sections: ReturnType<typeof sectionsOf>;
  /** For `access`: what has expired, what expires soon or at an unknown time, and what never expires. */
  ends: Section[];
}

export interface ReportedResource {
  name: string;
  stack: string | undefined;
  kind: string;
  api: string;
  endpoint: string | undefined;
  /** The settings that other resources of the review do not share. Clauses. */
  settings: string[];
  changes: ReportedChange[];
  counts: Record<Kind, number>;
  /** The principals without access left that no loss above mentions. */
  othersWithoutAccess: string[];
  /** `no access left`, with what the review did not read. */
  noAccessLeft: string;
  unknown: Entry[];
  unchanged: number;
  unmanaged: ReportedGrant[];
  /** The grants of the policies above, by where they come from and by principal. */
  inherited: ReportedGrant[];
  /** The grants after the plan; for `access`, of now. */
  grants: (ReportedGrant & { isManaged: boolean })[];
  /** Null if the policy is unknown. */
  picture: PicturedGrants | null;
}

/** The kinds of entries that a resource counts. */
export type Kind = AccessChanged["change"] | "unknown";

export interface ReportedGrant {
  /** In words for people: `allUsers (everyone on the internet)`. */
  principal: string;
  /** As in policies. */
  member: string;
  role: string;
  /** For a change of the condition: the conditions before and after. */
  condition?: string;
  /** The resource above whose policy has the grant: `project demo-project`. */
  from?: string;
}

export interface ReportedChange extends ReportedGrant {
  kind: AccessChanged["change"];
  /** `− loses` */
  words: string;
  /** Name of the resource. */
  resource: string;
  /** In a review of several stacks: `network/prod`. */
  stack: string | undefined;
  noAccessLeft: boolean;
  /** For a loss: the access that the principal keeps from above, or that it has none left. */
  left?: Left | undefined;
  /** The steps that cause the change. */
  steps: Step[];
  /** Whether the stack managed the grant before. */
  wasManaged: boolean;
}

export const FROM_ABOVE = "from above";
export const UNMANAGED = "not managed by the stack";
/** The hint after a shortened list. */
export const ALL_IN_JSON = "all are in --format json";

/** The line at the end of a shortened list: `… and 3 more grants (all are in --format json)`. */
export function moreText(count: number, noun: string, plural = `${noun}s`): string {
  return `… and ${counted(count, `more ${noun}`, `more ${plural}`)} (${ALL_IN_JSON})`;
}

const TITLES = {
  update: "Access review of an update",
  destroy: "Access review of a destroy",
  access: "Access",
} as const;
const TONES = { 0: "good", 2: "bad", 3: "warn" } as const;

export function reportOf(answer: Answer): Report {
  const { operation, stacks } = answer;
  const placed = stacks
    .flatMap((of) => of.resources.map((resource): Placed => ({ resource, of, name: nameAmong(answer, of) })))
    .sort(byPlace);
  const changes = placed
    .flatMap((at) => at.resource.changes.map((change) => ({ at, change, shown: changeOf(answer, at, change) })))
    .sort(
      (a, b) =>
        ORDER[a.change.change] - ORDER[b.change.change] ||
        byPlace(a.at, b.at) ||
        byGrant(a.change, b.change) ||
        byAllFields(a.change, b.change),
    );
  const ofResource = new Map(placed.map((at) => [at, [] as ReportedChange[]]));
  for (const { at, shown } of changes) ofResource.get(at)?.push(shown);
  const ends = operation === "access" ? endsOf(answer) : { sections: [] };
  const isCut = stacks.some((each) => isIncomplete(operation, each));
  return {
    operation,
    title: TITLES[operation],
    stack: stackNames(answer),
    headline: `${isCut ? "Incomplete: " : ""}${headline(answer, ends.headline)}`,
    verdict: verdictText(answer),
    tone: TONES[answer.exitCode],
    basis: basisOf(answer, placed),
    isQuiet: isQuiet(answer),
    changes: changes.map(({ shown }) => shown),
    resources: [...ofResource].map(([at, shown]) => ({
      ...resourceOf(answer, at, shown),
      settings: settingsOf(at, placed),
    })),
    sections: sectionsOf(answer),
    ends: ends.sections,
  };
}

function byPlace(left: Placed, right: Placed): number {
  return byResource(left.resource, right.resource) || byName(left, right);
}

const byName = compareBy(({ name = "" }: Placed) => [name]);

/** The project and the stack, or the names of several stacks. */
function stackNames({ stacks }: Answer): string[] {
  if (stacks.length > 1) return [stacks.map((each) => visible(stackLabel(each))).join(", ")];
  return stacks
    .flatMap(({ project, stack }) => [project, stack])
    .flatMap((name) => (name === undefined ? [] : visible(name)));
}

/** The title with the names of the project and the stack. */
export function fullTitle({ title, stack }: Report): string {
  return stack.length > 0 ? `${title}: ${stack.join("/")}` : title;
}

const ORDER = { lost: 0, condition: 1, gained: 2 } as const;

function resourceOf(
  answer: Answer,
  { resource, of, name }: Placed,
  changes: ReportedChange[],
): Omit<ReportedResource, "settings"> {
  const { endpoint, unknown, unchanged, unmanaged, noAccessLeft } = resource;
  const listed = new Set(
    resource.changes.filter((each) => hasNoAccessLeft(resource, each)).map((each) => each.principal),
  );
  const others = noAccessLeft.filter((principal) => !listed.has(principal));
  // A principal without access left counts as a loss, also when no change names it.
  const counts = { lost: others.length, condition: 0, gained: 0, unknown: unknown.length };
  for (const each of resource.changes) if (!isWithoutEffect(each)) counts[each.change] += 1;
  return {
    name: visible(resource.resource),
    stack: name && visible(name),
    kind: visible(resource.kind),
    api: visible(resource.api),
    endpoint: endpoint && visible(endpoint),
    changes,
    counts,
    noAccessLeft: noAccessLeftOn(resource),
    othersWithoutAccess: others.map((each) => visible(principalText(each))),
    unknown: unknown.map((each) => unknownEntry(answer, each, of)),
    unchanged,
    unmanaged: [...unmanaged].sort(byGrant).map(grantOf),
    inherited: inheritedOf(resource),
    grants: grantsOf(resource),
    picture: picturedGrants(resource, answer.operation === "access"),
  };
}

/** The nearest origin first: the result has them in this order. */
function inheritedOf({ inherited = [] }: ReviewedResource): ReportedResource["inherited"] {
  const origins = [...new Set(inherited.map(({ from }) => from))];
  return origins.flatMap((origin) =>
    inherited
      .filter(({ from }) => from === origin)
      .sort(byGrant)
      .map((each) => ({ ...grantOf(each), from: visible(origin) })),
  );
}

const CHANGE_WORDS = {
  plan: { lost: "− loses", gained: "+ gains", condition: "~ condition" },
  past: { lost: "− lost", gained: "+ gained", condition: "~ condition" },
} as const;

function changeOf(answer: Answer, { resource, of, name }: Placed, change: AccessChanged): ReportedChange {
  return {
    ...grantOf(change),
    ...(change.change === "condition" && {
      condition: conditionChangeText(change.conditionBefore, change.condition),
    }),
    kind: change.change,
    words: isWithoutEffect(change)
      ? "− removed"
      : CHANGE_WORDS[answer.operation === "access" ? "past" : "plan"][change.change],
    resource: visible(resource.resource),
    stack: name && visible(name),
    noAccessLeft: hasNoAccessLeft(resource, change),
    left: leftOf(resource, change),
    steps: change.steps.map((urn) => stepOf(answer, urn, of)),
    wasManaged: change.wasManaged !== false,
  };
}

function grantOf({ principal, role, condition, expires }: ReviewedGrant & { expires?: Expiry }): ReportedGrant {
  const clauses = [condition && conditionText(condition), endInWords(expires)].filter((each) => each !== undefined);
  return {
    principal: visible(principalText(principal)),
    member: visible(principal),
    role: visible(role),
    ...(clauses.length > 0 && { condition: clauses.join("; ") }),
  };
}

/** The clause about a grant's condition, if it has one: `if “until June”, before 2027-06-01`. */
export function conditionClause(grant: ReportedGrant | ReportedChange): string | undefined {
  const isChange = "kind" in grant && grant.kind === "condition";
  return grant.condition === undefined || isChange ? grant.condition : `if ${grant.condition}`;
}

/** Sorted by principal, because the order within a policy depends on its last writer. */
const byGrant = compareBy(grantKeys);
const byAllFields = compareBy((change: AccessChanged) => [JSON.stringify(change)]);

function grantKeys({ principal, role, condition }: ReviewedGrant): string[] {
  return [principal, role, condition?.title ?? "", condition?.description ?? "", condition?.expression ?? ""];
}

function grantsOf({ after, unmanaged }: ReviewedResource): ReportedResource["grants"] {
  const others = new Set(unmanaged.map((each) => JSON.stringify(grantKeys(each))));
  return grantsIn(after)
    .sort(byGrant)
    .map((grant) => ({ ...grantOf(grant), isManaged: !others.has(JSON.stringify(grantKeys(grant))) }));
}

/** The basis as one sentence without its full stop; empty without one. */
export function basisSentence({ basis }: Report): string {
  return capitalized(basis.join("; "));
}
