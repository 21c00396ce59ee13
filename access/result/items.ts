import type { AccessChanged, Found, Judgement, ReviewedResource, Uncertainty } from "./result";
import { changeSentence, refusalSentence } from "./sentences";

/** A change of access, a refused step or an unknown fact: what was found about a stack, for readers that take all alike. */
export interface Item {
  /** Its number among the findings of the stack. A result has them after the verdict. */
  number: number | undefined;
  kind: NonNullable<Judgement["finding"]>["kind"];
  sentence: string;
  /** The name of the resource that it is about, if any, and what the result says about that. */
  resource?: string | undefined;
  on?: ReviewedResource | undefined;
  /** URNs. */
  steps: string[];
  change?: AccessChanged;
  fact?: Uncertainty;
}

/** The changes in the order of the result, then refused steps, then unknown facts: those about a resource first. */
export function itemsOf({ resources, refused, unknown }: Pick<Found, "resources" | "refused" | "unknown">): Item[] {
  const byName = new Map(resources.map((each) => [each.resource, each]));
  return [
    ...resources.flatMap((on) => on.changes.map((change) => itemOfChange(on, change))),
    ...refused.map(({ finding: number, step, resource, reason }): Item => {
      const on = byName.get(resource ?? "");
      return { number, kind: "refused", sentence: refusalSentence(reason), resource, on, steps: [step] };
    }),
    ...resources.flatMap((on) => on.unknown.map((fact) => itemOfFact(fact, on))),
    ...unknown.map((fact) => itemOfFact(fact)),
  ];
}

function itemOfChange(on: ReviewedResource, change: AccessChanged): Item {
  const { resource } = on;
  const { finding: number, change: kind, steps } = change;
  return { number, kind, sentence: changeSentence({ ...change, resource }, change), resource, on, steps, change };
}

function itemOfFact(fact: Uncertainty, on?: ReviewedResource): Item {
  const { finding: number, message: sentence, step } = fact;
  const steps = step === undefined ? [] : [step];
  return { number, kind: "unknown", sentence, resource: on?.resource, on, steps, fact };
}
