import {
  attributeName,
  comparisonOf,
  exchanged,
  joinedBy,
  literalOf,
  parsedExpression,
  textLiteral,
  type ComparisonOperator,
  type Expression,
} from "../condition/expression";
import type { Condition } from "../result/result";
import { shortened, visible } from "../result/visible";

/** Characters of an expression that a line shows. */
const SHOWN = 300;

const TIME_WORDS: Readonly<Partial<Record<ComparisonOperator, string>>> = {
  "<": "before",
  "<=": "up to",
  ">": "after",
  ">=": "from",
};

/**
 * Describes a condition for people: its title, and its meaning. Limits of time or names are in words; other expressions are
 * shown as they are, and long ones are marked as cut.
 */
export function conditionText(condition: Condition, limit = SHOWN): string {
  // Policies treat a condition without an expression as no condition.
  const meaning =
    condition.expression === ""
      ? "always"
      : (inWords(condition.expression) ?? shortened(visible(condition.expression), limit));
  return condition.title === "" ? meaning : `“${visible(condition.title)}”, ${meaning}`;
}

/** Describes the conditions before and after so that the difference is visible. A title that both have appears once. */
export function conditionChangeText(before: Condition | null | undefined, after: Condition | undefined): string {
  const isSameTitle = before && after && before.title !== "" && before.title === after.title;
  const meaning = (condition: Condition): string => conditionText({ ...condition, title: "" });
  const pair = (text: (condition: Condition) => string): [string, string] => [
    before ? text(before) : "always",
    after ? text(after) : "always",
  ];
  if (isSameTitle && meaning(before) !== meaning(after)) {
    return `“${visible(before.title)}”, ${pair(meaning).join(" → ")}`;
  }
  const forms = [conditionText, whole, exact].map((form) => pair((condition) => form(condition)));
  return (forms.find(([from, to]) => from !== to) ?? pair(exact)).join(" → ");
}

function whole(condition: Condition): string {
  const description = condition.description === undefined ? "" : ` (${visible(condition.description)})`;
  return `${conditionText(condition, Infinity)}${description}`;
}

function exact({ title, description, expression }: Condition): string {
  return visible(JSON.stringify({ title, ...(description !== undefined && { description }), expression }));
}

/**
 * Returns undefined when a part of the expression has another form: a partial translation would promise more access than there
 * is.
 */
function inWords(expression: string): string | undefined {
  const parsed = parsedExpression(expression);
  const parts = parsed && joinedBy("&&", parsed).map((part) => timeInWords(part) ?? prefixInWords(part));
  return parts?.every((part) => part !== undefined) ? parts.join(" and ") : undefined;
}

/** `request.time < timestamp("…")`, or the other way around. */
function timeInWords(expression: Expression): string | undefined {
  const comparison = comparisonOf(expression);
  const forms = comparison ? [comparison, exchanged(comparison)] : [];
  const ofTime = forms.find(({ left }) => attributeName(left) === "request.time");
  const words = ofTime && TIME_WORDS[ofTime.operator];
  const time = ofTime && literalOf("timestamp", ofTime.right);
  return words === undefined || time === undefined ? undefined : `${words} ${timeText(visible(time))}`;
}

/** `resource.name.startsWith("…")` */
function prefixInWords({ op, args }: Expression): string | undefined {
  if (op !== "rcall") return undefined;
  const [method, of, values] = args;
  if (method !== "startsWith" || attributeName(of) !== "resource.name" || values.length !== 1) return undefined;
  const prefix = textLiteral(values[0]);
  return prefix === undefined ? undefined : `names that start with ${visible(prefix)}`;
}

/** `2027-01-01T00:00:00Z` as `2027-01-01 00:00 UTC`; other forms as they are. */
function timeText(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::00(?:\.0+)?|(:\d\d))Z$/, "$1 $2$3 UTC");
}
