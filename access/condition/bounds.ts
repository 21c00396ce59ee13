import { once } from "../../provider/core/once";
import { loadParser } from "../../provider/iam/condition-syntax";
import {
  attributePath,
  children,
  DEEPEST,
  readExpression,
  textOf,
  timeLiteral,
  within,
  type Expression,
} from "./expression";
import { requestsFor, type Request } from "./requests";

/**
 * Whether conditions bound access. A condition does if it refuses a request that is still possible. An interpreter of the
 * expression language looks for such a request, so a request that it finds is a proof. A condition for which it finds no request may hold always.
 */

/** More requests are not tried. An ordinary condition refuses one of the first. */
const MOST_REQUESTS = 3000;
/** The number of parts of the expression that are read again for one request after another: a long one gets fewer requests. */
const MOST_PARTS = 300_000;

/**
 * Returns a function that says why it was not decided that a condition bounds access: a sentence, or undefined for a condition
 * that does. The function reads each expression once, because many grants share one.
 */
export function boundsFrom(now = Date.now()): (expression: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (expression) => {
    if (!known.has(expression)) known.set(expression, doubtOf(expression, now));
    return known.get(expression);
  };
}

function doubtOf(text: string, now: number): string | undefined {
  const expression = readExpression(text);
  if (expression === "too large")
    return `It cannot be decided whether this one does: it is nested more than ${DEEPEST} deep, or too long.`;
  if (expression === "invalid") return "It cannot be decided whether this one does: it cannot be read.";
  const unread = unreadIn(expression);
  if (unread) return `It cannot be decided whether this one does: ${textOf(unread)} cannot be read.`;
  const holds = language().parse(text);
  const most = Math.min(MOST_REQUESTS, MOST_PARTS / [...within(expression)].length);
  let tried = 0;
  for (const request of requestsFor(expression, now)) {
    if (refuses(holds, request)) return undefined;
    if (++tried >= most) break;
  }
  return "No request was found that this one refuses.";
}

/** An error proves nothing, because Google's interpreter may read what this one cannot. */
function refuses(holds: (request: Request) => unknown, request: Request): boolean {
  try {
    return holds(request) === false;
  } catch {
    return false;
  }
}

/** The attributes and functions of allow policies: https://cloud.google.com/iam/docs/conditions-attribute-reference */
const ATTRIBUTES: readonly string[] = [
  ...["resource.name", "resource.type", "resource.service", "request.time", "request.path", "request.host"],
  ...["request.auth.access_levels", "destination.ip", "destination.port"],
];
const METHODS: Readonly<Record<string, readonly string[]>> = {
  api: ["getAttribute"],
  resource: ["matchTag", "matchTagId", "hasTagKey", "hasTagKeyId"],
  compute: ["isForwardingRuleCreationOperation", "matchLoadBalancingSchemes"],
};
const METHODS_OF_VALUES =
  /^(?:startsWith|endsWith|contains|extract|size|lowerAscii|upperAscii|hasOnly|get(?:FullYear|Month|Date|DayOf(?:Week|Month|Year)|Hours|Minutes|Seconds|Milliseconds))$/;
const OPERATORS: readonly string[] = [
  ...["!_", "-_", "&&", "||", "?:", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "in", "list"],
];

/**
 * The first part that the interpreter does not know, or that it may take for something else. Macros are such parts, because
 * they can keep the interpreter busy for hours.
 */
function unreadIn(expression: Expression): Expression | undefined {
  const path = attributePath(expression);
  if (path !== undefined) return ATTRIBUTES.includes(path) ? undefined : expression;
  if (expression.op === "value") return undefined;
  if (expression.op === "call") return isExactTime(expression) ? undefined : expression;
  if (expression.op !== "rcall")
    return OPERATORS.includes(expression.op) ? firstUnread(children(expression)) : expression;
  const [method, of, values] = expression.args;
  const variable = of.op === "id" ? METHODS[of.args] : undefined;
  if (variable) return variable.includes(method) ? firstUnread(values) : expression;
  return METHODS_OF_VALUES.test(method) ? firstUnread([of, ...values]) : expression;
}

function firstUnread(expressions: readonly Expression[]): Expression | undefined {
  return expressions.map(unreadIn).find((each) => each !== undefined);
}

/** Whether it is a time or a length of time that the interpreter knows exactly. It counts milliseconds. */
function isExactTime(expression: Expression): boolean {
  const literal = timeLiteral(expression);
  return literal !== undefined && literal.value % 1_000_000n === 0n;
}

const language = once(() => {
  const { Environment } = loadParser();
  const found = new Environment({ unlistedVariablesAreDyn: true })
    .registerFunction("list.hasOnly(list): bool", (list: unknown[], allowed: unknown[]) =>
      list.every((each) => allowed.includes(each)),
    )
    .registerFunction("string.extract(string): string", extracted)
    .registerFunction(
      "map.getAttribute(string, dyn): dyn",
      ({ attributes }: Request["api"], name: string, other: unknown) =>
        attributes.has(name) ? attributes.get(name) : other,
    )
    .registerFunction(
      "map.isForwardingRuleCreationOperation(): bool",
      ({ scheme }: Request["compute"]) => scheme !== undefined,
    )
    .registerFunction(
      "map.matchLoadBalancingSchemes(list): bool",
      ({ scheme }: Request["compute"], schemes: unknown[]) => schemes.includes(scheme),
    );
  for (const method of ["matchTag", "matchTagId"]) {
    found.registerFunction(
      `map.${method}(string, string): bool`,
      ({ tags }: Request["resource"], key: string, value: string) =>
        tags.some((tag) => tag.key === key && tag.value === value),
    );
  }
  for (const method of ["hasTagKey", "hasTagKeyId"]) {
    found.registerFunction(`map.${method}(string): bool`, ({ tags }: Request["resource"], key: string) =>
      tags.some((tag) => tag.key === key),
    );
  }
  return found;
});

/** The text in the place of `{name}`, between the first of what is before it and the next of what is after it. */
function extracted(text: string, template: string): string {
  const [, before = "", after = ""] = /^([^{]*)\{\w*\}(.*)$/s.exec(template) ?? [];
  const found = text.indexOf(before);
  if (found < 0) return "";
  const from = found + before.length;
  const to = after === "" ? text.length : text.indexOf(after, from);
  return to < 0 ? "" : text.slice(from, to);
}
