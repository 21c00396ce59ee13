import type { Refusal, ReviewedGrant, ReviewedResource, ReviewResult, Violation } from "../result";
import { conditionChangeText, conditionText } from "./condition";
import { BoundedText, code, sentence } from "./markdown-text";
import {
  allUnknown,
  basisOf,
  basisOfResource,
  changesInOrder,
  changeWord,
  grantsInOrder,
  grantsOf,
  headline,
  isQuiet,
  othersWithoutAccess,
  remarks,
  resourcesInOrder,
  rulesToShow,
  stackPath,
  verdictText,
  type PlacedChange,
} from "./summary";
import { shortened, stepName } from "../visible";

/**
 * The limit of characters after each list. GitHub accepts comments of 65,536 characters. The limits leave room for refused
 * steps and unknown facts after a long list of losses.
 */
const LIMITS = { refused: 12_000, changes: 44_000, unknown: 50_000, rules: 54_000, allowed: 57_000, unmanaged: 60_000 };
const LIMIT = 64_500;
const LONGEST_CELL = 300;
/** The longest name of a project or stack that is shown. Pulumi's own limit is 100 characters. */
const LONGEST_NAME = 200;

/**
 * Formats a review as a comment on a pull request, with fewer than 65,536 characters. The first line identifies the stack, so
 * that a later review can replace the comment. The same review gives the same text.
 */
export function markdownText(result: ReviewResult): string {
  const text = new BoundedText();
  text.add(`${markerOf(result)}\n### Access review: ${headline(result)}\n\n`);
  const basis = basisOf(result).map((each) => sentence(shortened(each, LONGEST_CELL)));
  const facts = [verdictText(result), stackOf(result), ...basis].filter((fact) => fact !== undefined);
  text.add(facts.length > 0 ? `${facts.join("; ")}.\n` : "");
  if (isQuiet(result)) {
    return text.toString();
  }
  const changes = changesInOrder(result.resources);
  text.addList("\n**Refused by the provider**\n\n", result.refused.map(refusalLine), "", LIMITS.refused);
  text.addList(
    tableHead("Change"),
    [...changes.map((each) => changeLine(each, result.operation)), ...resourcesInOrder(result).flatMap(noAccessLines)],
    "",
    LIMITS.changes,
  );
  if (result.operation === "access") {
    text.addList(tableHead("Grant"), resourcesInOrder(result).flatMap(grantLines), "", LIMITS.changes);
  }
  const addFolded = (title: string, lines: readonly string[], limit: number): void =>
    text.addList(
      `\n<details><summary>${title} (${lines.length.toLocaleString("en-US")})</summary>\n\n`,
      lines,
      "\n</details>\n",
      limit,
    );
  addFolded("Unknown", allUnknown(result).map(unknownLine), LIMITS.unknown);
  addFolded(
    "Settings",
    resourcesInOrder(result).flatMap((each) => settingLines(result, each)),
    LIMITS.rules,
  );
  addFolded("Rules", rulesToShow(result).map(ruleLine), LIMITS.rules);
  addFolded(
    "Allowed losses",
    result.verdict.allowed.map((each) => `- ${sentence(each)}\n`),
    LIMITS.allowed,
  );
  addFolded("Not managed by the stack", resourcesInOrder(result).flatMap(unmanagedLines), LIMITS.unmanaged);
  addFolded("Where the changes come from", changes.map(originLine), LIMIT);
  addFolded(
    "Notes",
    result.notes.map((each) => `- ${sentence(each)}\n`),
    LIMIT,
  );
  return text.toString();
}

/** `<!-- perimeter-review: PROJECT/STACK -->`. Characters that could end the comment are percent-encoded. */
function markerOf(result: ReviewResult): string {
  return `<!-- perimeter-review: ${stackPath(result, markerName) || result.operation} -->`;
}

function markerName(name: string): string {
  return encodeURIComponent(shortened(name.toWellFormed(), LONGEST_NAME)).replace(
    /[!'()*~]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
}

function stackOf(result: ReviewResult): string | undefined {
  const path = stackPath(result, (name) => shortened(name, LONGEST_NAME));
  return path === "" ? undefined : `stack ${code(path)}`;
}

const tableHead = (first: string): string =>
  `\n| ${first} | Principal | Role | Resource | Condition |\n| --- | --- | --- | --- | --- |\n`;

function changeLine(placed: PlacedChange, operation: ReviewResult["operation"]): string {
  const { resource, change } = placed;
  const words = changeWord(change, operation);
  return row([
    remarks(placed).noAccessLeft ? `${words}, **no access left**` : words,
    ...grantCells(resource, change),
    change.change === "condition"
      ? cell(conditionChangeText(change.conditionBefore, change.condition))
      : conditionCell(change),
  ]);
}

function noAccessLines(resource: ReviewedResource): string[] {
  return othersWithoutAccess(resource).map((principal) =>
    row(["**no access left**", cell(principal), "", cell(resource.resource), ""]),
  );
}

function grantLines(resource: ReviewedResource): string[] {
  return grantsOf(resource).map((grant) =>
    row([grant.isManaged ? "" : "not managed", ...grantCells(resource, grant), conditionCell(grant)]),
  );
}

function grantCells({ resource }: ReviewedResource, { principal, role }: ReviewedGrant): string[] {
  return [cell(principal), cell(role), cell(resource)];
}

function conditionCell({ condition }: ReviewedGrant): string {
  return condition === undefined ? "" : cell(conditionText(condition));
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

function cell(text: string): string {
  return code(shortened(text, LONGEST_CELL), "table");
}

function refusalLine({ step, resource, reason }: Refusal): string {
  const place = resource === undefined ? "" : ` on ${code(resource)}`;
  return `- ${code(stepName(step))}${place}: ${sentence(reason)}\n`;
}

function unknownLine({ resource, unknown: { message, step } }: ReturnType<typeof allUnknown>[number]): string {
  const place = resource === undefined ? "" : `${code(resource.resource)}: `;
  return `- ${place}${sentence(message)}${step === undefined ? "" : ` (${code(stepName(step))})`}\n`;
}

function ruleLine({ rule, message, reason }: Violation): string {
  return `- ${code(rule)}: ${sentence(message)}${reason === undefined ? "" : ` Reason: ${sentence(reason)}`}\n`;
}

function settingLines(result: ReviewResult, resource: ReviewedResource): string[] {
  const facts = basisOfResource(result, resource);
  if (facts.length === 0) return [];
  const place = resource.endpoint === undefined ? "" : ` at ${code(resource.endpoint)}`;
  return [`- ${code(resource.resource)}${place}: ${facts.map((fact) => sentence(fact)).join(", ")}\n`];
}

function unmanagedLines({ resource, unmanaged }: ReviewedResource): string[] {
  return grantsInOrder(unmanaged).map(
    ({ principal, role, condition }) =>
      `- ${code(principal)} ${code(role)} on ${code(resource)}${condition ? ` if ${code(conditionText(condition))}` : ""}\n`,
  );
}

function originLine({ resource, change }: PlacedChange): string {
  const { origin } = remarks({ resource, change });
  const from = [...change.steps.map((step) => code(stepName(step))), ...(origin === undefined ? [] : [origin])];
  return `- ${code(change.principal)} ${code(change.role)} on ${code(resource.resource)}: ${from.join(", ") || "no step of the plan"}\n`;
}
