import type { ASTNode } from "@marcbachmann/cel-js";
import { loadParser } from "../../provider/iam/condition-syntax";
import { duration, moment } from "./times";

/**
 * Conditions of policies are expressions of the Common Expression Language (https://github.com/google/cel-spec). A library parses
 * them; the functions of this file inspect the result.
 */

export type Expression = ASTNode;

/** The attributes that conditions can use: https://cloud.google.com/iam/docs/conditions-attribute-reference */
const ATTRIBUTES: readonly string[] = ["request", "resource", "destination", "origin", "principal", "api", "compute"];

/** A raw text, which ends at the next quote. The parser does not end it where a backslash is before the quote. */
const RAW_TEXT = /\b[bB]?[rR][bB]?["']/;
const ESCAPED_QUOTE = /\\["']/;

/**
 * How deep an expression may be nested. This is also the parser's own limit, which does not count operators in a row, such as
 * `!!!` and `a && b && c`. IAM takes 12 logical operators: https://cloud.google.com/iam/quotas
 */
export const DEEPEST = 250;

/** Returns undefined for a text that is not an expression, that the parser may misread, or that is too large. */
export function parsedExpression(text: string): Expression | undefined {
  const read = readExpression(text);
  return typeof read === "string" ? undefined : read;
}

/** Reads an expression. Every function that walks through it may rely on its limited depth. */
export function readExpression(text: string): Expression | "invalid" | "too large" {
  if (RAW_TEXT.test(text) && ESCAPED_QUOTE.test(text)) return "invalid";
  const { parse, ParseError } = loadParser();
  try {
    const expression = parse(text).ast;
    return depthOf(expression) > DEEPEST ? "too large" : expression;
  } catch (error) {
    // Thousands of `!` in a row exceed the stack of the parser.
    const isTooLarge = error instanceof RangeError || (error instanceof ParseError && error.code === "limit_exceeded");
    return isTooLarge ? "too large" : "invalid";
  }
}

/** The number of levels. It is counted level by level, because a recursion would exceed the stack, too. */
function depthOf(expression: Expression): number {
  let depth = 0;
  for (let level = [expression]; level.length > 0; level = level.flatMap(children)) depth += 1;
  return depth;
}

/** The expression and all expressions in it. */
export function* within(expression: Expression): Generator<Expression> {
  yield expression;
  for (const child of children(expression)) yield* within(child);
}

/** Whether each name of a variable in the expression is an attribute. */
export function usesOnlyAttributes(expression: Expression): boolean {
  return [...within(expression)].every((each) => each.op !== "id" || ATTRIBUTES.includes(each.args));
}

/** Whether an attribute is in the expression. */
export function usesAttribute(expression: Expression): boolean {
  return [...within(expression)].some((each) => each.op === "id" && ATTRIBUTES.includes(each.args));
}

/**
 * The part of the condition's text that an expression was read from. The parser's places leave out the outer parenthesis of a
 * first or last operand: `a < b) == true`.
 */
export function textOf({ input, start, end }: Expression): string {
  const text = input.slice(start, end);
  let [open, closed] = [0, 0];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()]/gs)) {
    if (token === "(") open += 1;
    else if (token === ")" && open > 0) open -= 1;
    else if (token === ")") closed += 1;
  }
  const [before = ""] = new RegExp(`(?:\\(\\s*){${closed}}$`).exec(input.slice(0, start)) ?? [];
  const [after = ""] = new RegExp(`^(?:\\s*\\)){${open}}`).exec(input.slice(end)) ?? [];
  return before + text + after;
}

/** The expressions that `&&` or `||` joins. */
export function joinedBy(operator: "&&" | "||", expression: Expression): Expression[] {
  return expression.op === operator ? expression.args.flatMap((each) => joinedBy(operator, each)) : [expression];
}

/** The value of a text literal. */
export function textLiteral(expression: Expression | undefined): string | undefined {
  return expression?.op === "value" && typeof expression.args === "string" ? expression.args : undefined;
}

/** The value of `true` and `false`. */
export function booleanLiteral({ op, args }: Expression): boolean | undefined {
  return op === "value" && typeof args === "boolean" ? args : undefined;
}

/** The value of an integer literal. */
export function integerLiteral(expression: Expression | undefined): bigint | undefined {
  if (expression?.op === "-_") {
    const value = integerLiteral(expression.args);
    return value === undefined ? undefined : -value;
  }
  return expression?.op === "value" && typeof expression.args === "bigint" ? expression.args : undefined;
}

/** The name of an attribute, such as `request.time`, also in the form `request["time"]`. */
export function attributeName(expression: Expression): string | undefined {
  if (expression.op === ".") return nameOf(expression.args[0], expression.args[1]);
  if (expression.op === "[]") return nameOf(expression.args[0], textLiteral(expression.args[1]));
  return undefined;
}

function nameOf(of: Expression, key: string | undefined): string | undefined {
  return of.op === "id" && key !== undefined ? `${of.args}.${key}` : undefined;
}

/** The value of `timestamp("…")` or `duration("…")` in nanoseconds, if its argument is a literal that can be read. */
export function timeLiteral(expression: Expression): { isTime: boolean; value: bigint } | undefined {
  const [time, length] = [literalOf("timestamp", expression), literalOf("duration", expression)];
  const value = time === undefined ? length && duration(length) : moment(time);
  return typeof value === "bigint" ? { isTime: time !== undefined, value } : undefined;
}

/** The argument of `timestamp("…")` or `duration("…")`, if it is a text literal. */
export function literalOf(name: "timestamp" | "duration", expression: Expression): string | undefined {
  if (expression.op !== "call" || expression.args[0] !== name || expression.args[1].length !== 1) return undefined;
  return textLiteral(expression.args[1][0]);
}

/** The operators of comparisons, with the operator that means the same when both sides are exchanged. */
const EXCHANGED = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!=" } as const;
export type ComparisonOperator = keyof typeof EXCHANGED;

interface Comparison {
  operator: ComparisonOperator;
  left: Expression;
  right: Expression;
}

/** The expression as a comparison; undefined if it is something else. */
export function comparisonOf(expression: Expression): Comparison | undefined {
  const { op } = expression;
  if (!isComparisonOperator(op)) return undefined;
  const [left, right] = expression.args as [Expression, Expression];
  return { operator: op, left, right };
}

/** The same comparison with its sides exchanged. */
export function exchanged({ operator, left, right }: Comparison): Comparison {
  return { operator: EXCHANGED[operator], left: right, right: left };
}

function isComparisonOperator(operator: string): operator is ComparisonOperator {
  return operator in EXCHANGED;
}

/** The expressions that an expression is made of. */
export function children({ op, args }: Expression): Expression[] {
  switch (op) {
    case "value":
    case "id":
      return [];
    case ".":
    case ".?":
      return [args[0]];
    case "!_":
    case "-_":
      return [args];
    case "call":
      return args[1];
    case "rcall":
      return [args[1], ...args[2]];
    case "map":
      return args.flat();
    default:
      return [...args];
  }
}
