import { keyOfGrant } from "../result/grants";
import type { Found } from "../result/result";
import { principalText } from "../result/sentences";
import { onChanges, type ChangeFinding, type Rule, type Said } from "./rule";

/**
 * Every change is unexpected that the approved review does not have.
 *
 * @param isOfPlan whether the review of a plan is compared. Then an unknown fact decides about a change that is not comparable.
 */
export function expectation(operation: Found["operation"], isOfPlan: boolean): Rule[] {
  return [
    {
      question: "expectation",
      effect: "allows",
      says: onChanges(({ change }) => change.approval === "approved" && APPROVED),
    },
    {
      question: "expectation",
      effect: "limits",
      says: onChanges((finding) => {
        if (isOfPlan && finding.change.approval === "not comparable") return undefined;
        const message =
          operation === "access"
            ? unexpectedSentence(finding)
            : `${finding.sentence} The approved review does not have this change.`;
        return { rule: "expected", message };
      }),
    },
  ];
}

/** The sentence about a difference from what a review expected, with who may have made it. */
function unexpectedSentence({ subject, change }: ChangeFinding): string {
  const { principal, role, resource } = subject;
  if (change.change === "lost") {
    return (
      `${principalText(principal)} does not have ${role} on ${resource}, and the review expected it. The update did not make this grant, ` +
      "or somebody removed it after the review."
    );
  }
  const what = change.change === "gained" ? "" : " under another condition";
  const key = keyOfGrant(change);
  const by = change.on.unmanaged.some((each) => keyOfGrant(each) === key)
    ? "The stack does not manage this grant: somebody else made it after the review, or the update did not remove it."
    : "The stack manages this grant: the program made it where no preview shows it, such as in `apply` or behind " +
      "`isDryRun()`, or it has changed since the review.";
  return `${principalText(principal)} has ${role} on ${resource}${what}, and the review did not expect it. ${by}`;
}

const APPROVED: Said = { rule: "the approved review" };
