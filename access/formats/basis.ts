import type { Answer, ReviewedResource, StackAnswer, Verdict } from "../result/result";
import { stackLabel } from "../result/urn";
import { visible } from "../result/visible";

/** What an answer is based on: the settings of its resources, and the source of its rules. */

/** A resource, and the stack whose answer has it. */
export interface Placed {
  resource: ReviewedResource;
  of: StackAnswer;
  /** The name of the stack, if there are several. */
  name: string | undefined;
}

/** The clauses about what all resources share, and about the rules. */
export function basisOf({ operation, stacks }: Answer, placed: readonly Placed[]): string[] {
  const shared = FACTS.flatMap((fact) => (isShared(placed, fact) ? ((placed[0] && fact(placed[0])) ?? []) : []));
  const [one] = stacks;
  if (!one) return shared;
  if (new Set(stacks.map(({ verdict }) => JSON.stringify([filesOf(verdict), verdict.rulesRevision]))).size > 1) {
    const each = stacks.map((stack) => {
      const files = filesOf(stack.verdict) ?? [];
      const named = files.length === 0 ? "no file" : files.map(visible).join(" and ");
      return `rules of ${visible(stackLabel(stack))}: ${named}`;
    });
    return [...shared, ...each];
  }
  const { rulesRevision } = one.verdict;
  const files = filesOf(one.verdict)?.map(visible);
  const of = (word: string) => (rulesRevision === undefined ? "" : ` ${word} ${visible(rulesRevision)}`);
  const judgements = stacks.flatMap(({ verdict }) => verdict.judgements);
  const differ = judgements.some(({ rule }) => rule === "rules") ? ["the rules of this folder differ"] : [];
  if (files && files.length > 0) {
    return [...shared, `rules ${files.length === 1 ? "file" : "files"} ${files.join(" and ")}${of("of")}`, ...differ];
  }
  if (files && rulesRevision !== undefined) return [...shared, `no rules file${of("in")}`, ...differ];
  if (operation === "access") return shared;
  return [...shared, files ? "no rules file" : "rules of the calling program"];
}

/** The policy files of a verdict, that of the root first; undefined if a program passed the rules. */
function filesOf({ rules, rulesAbove = [] }: Verdict): string[] | undefined {
  return rules === undefined ? undefined : [...rulesAbove, ...(rules === null ? [] : [rules])];
}

type Fact = (at: Placed) => string | undefined;

const FACTS: readonly Fact[] = [
  ({ name }) => (name === undefined ? undefined : `stack ${visible(name)}`),
  ({ resource: { grantModes = [] } }) => {
    const modes = grantModes.map(({ mode, variable }) => `${mode}${fromProcess(variable)}`);
    return modes.length === 0 ? undefined : `grant mode ${modes.join(" and ")}`;
  },
  ({ resource: { endpointVariable } }) =>
    endpointVariable === undefined ? undefined : `endpoint${fromProcess(endpointVariable)}`,
];

function fromProcess(variable: string | undefined): string {
  return variable === undefined ? "" : ` set by ${visible(variable)}`;
}

/** The clauses about a resource that others do not share. */
export function settingsOf(at: Placed, all: readonly Placed[]): string[] {
  return FACTS.filter((fact) => !isShared(all, fact)).flatMap((fact) => fact(at) ?? []);
}

function isShared(placed: readonly Placed[], fact: Fact): boolean {
  return new Set(placed.map(fact)).size <= 1;
}
