import type { ReviewedResource, ReviewResult, Uncertainty } from "../result";
import { conditionChangeText, conditionText } from "./condition";
import { TerminalPage, type Style, type TerminalOptions } from "./terminal-page";
import {
  basisOfResource,
  basisText,
  byResource,
  changesInOrder,
  grantsInOrder,
  grantsOf,
  headline,
  isQuiet,
  othersWithoutAccess,
  remarks,
  resourcesInOrder,
  rulesToShow,
  verdictText,
  type PlacedChange,
} from "./summary";
import { counted, oneLine, stepName, visible, visibleLines } from "../visible";
import { columnsOf } from "./wrap";

/** The largest number of lines of one kind. The JSON has all. */
const MOST_CHANGES = 400;
const MOST_ENTRIES = 50;
const UNMANAGED_SHOWN = 10;
const WIDEST_LEFT = 60;

/**
 * Formats a review for a terminal, with losses before gains. The text has two lines when nothing changes and nothing is
 * unknown. Control characters in names are shown as numbers. The text ends with a line break.
 */
export function terminalText(result: ReviewResult, options: TerminalOptions): string {
  const page = new TerminalPage(options);
  page.add("", `${headline(result)}.`, "strong");
  const basis = basisText(result);
  if (basis !== "") page.add("", `${visible(basis)}.`, "soft");
  if (isQuiet(result)) {
    return page.toString();
  }
  addResources(page, result);
  addRefusals(page, result);
  const unknown = result.unknown;
  addSection(page, "Unknown", unknown, (each) => addUnknown(page, each));
  addSection(page, "Rules", rulesToShow(result), ({ rule, message, reason }) => {
    page.add("  ! ", `${visible(rule)}: ${oneLine(message)}`, "bad");
    if (reason !== undefined) {
      page.add("      ", `Reason: ${oneLine(reason)}`);
    }
  });
  addSection(page, "Allowed losses", result.verdict.allowed, (each) => page.add("  · ", oneLine(each)));
  addSection(page, "Notes", result.notes, (each) => page.add("  · ", oneLine(each), "soft"));
  const verdict = verdictText(result);
  if (verdict !== undefined) {
    page.blank();
    page.add("", `${verdict}.`, VERDICT_STYLES[result.verdict.exitCode]);
  }
  return page.toString();
}

const VERDICT_STYLES = { 0: "good", 2: "bad", 3: "warn" } as const;
const SIGNS = { lost: "-", condition: "~", gained: "+" } as const;
const STYLES = { lost: "bad", condition: "warn", gained: "good" } as const;

function addResources(page: TerminalPage, result: ReviewResult): void {
  const shown = byResource(changesInOrder(result.resources).slice(0, MOST_CHANGES));
  let grantsLeft = MOST_CHANGES;
  const resources = resourcesInOrder(result).filter(
    (each) => result.operation === "access" || shown.has(each) || each.unknown.length + each.noAccessLeft.length > 0,
  );
  for (const resource of resources.slice(0, MOST_CHANGES)) {
    page.blank();
    page.add("", visible(resource.resource), "strong");
    const place = resource.endpoint === undefined ? [] : [`at ${resource.endpoint}`];
    const facts = [resource.api, ...place, ...basisOfResource(result, resource)].map(visible);
    page.add("  ", `${visible(resource.kind)} (${facts.join(", ")})`, "soft");
    addChanges(page, shown.get(resource) ?? []);
    if (result.operation === "access") {
      grantsLeft -= addGrants(page, resource, grantsLeft);
    }
    addRestOf(page, resource, shown.get(resource)?.length ?? 0, result.operation === "access");
  }
  if (resources.length > MOST_CHANGES) {
    page.blank();
    page.add(
      "",
      `… and ${counted(resources.length - MOST_CHANGES, "more resource")} (all are in --format json)`,
      "warn",
    );
  }
}

function addChanges(page: TerminalPage, changes: readonly PlacedChange[]): void {
  const leftWidth = leftWidthOf(changes.map(({ change }) => change));
  for (const placed of changes) {
    const { change } = placed;
    const style = STYLES[change.change];
    page.addPair(`  ${SIGNS[change.change]} `, [visible(change.principal), visible(change.role)], leftWidth, style);
    const { noAccessLeft, origin } = remarks(placed);
    if (noAccessLeft) {
      page.add("      ", "no access left", "bad");
    }
    if (change.change === "condition") {
      page.add("      ", conditionChangeText(change.conditionBefore, change.condition));
    } else if (change.condition) {
      page.add("      ", `if ${conditionText(change.condition)}`);
    }
    const by = change.steps.length > 0 ? [`by ${change.steps.map(stepName).join(", ")}`] : [];
    const notes = [...by, ...(origin === undefined ? [] : [origin])];
    if (notes.length > 0) {
      page.add("      ", notes.join("; "), "soft");
    }
  }
}

/** Writes the current grants, for `perimeter access`. @returns the number of grants */
function addGrants(page: TerminalPage, resource: ReviewedResource, limit: number): number {
  const grants = grantsOf(resource);
  const shown = grants.slice(0, Math.max(0, limit));
  const leftWidth = leftWidthOf(shown);
  for (const { principal, role, condition } of shown) {
    page.addPair("    ", [visible(principal), visible(role)], leftWidth);
    if (condition) {
      page.add("      ", `if ${conditionText(condition)}`, "soft");
    }
  }
  if (grants.length > shown.length) {
    page.add("    ", `… and ${counted(grants.length - shown.length, "more grant")} (all are in --format json)`, "warn");
  }
  return shown.length;
}

/** Writes all facts of a resource that come after its changes. */
function addRestOf(page: TerminalPage, resource: ReviewedResource, shown: number, isAccess: boolean): void {
  const { changes, unknown, unmanaged, unchanged } = resource;
  if (changes.length > shown) {
    page.add("    ", `… and ${counted(changes.length - shown, "more change")} (all are in --format json)`, "warn");
  }
  const others = othersWithoutAccess(resource);
  if (others.length > 0) {
    page.add("  - ", `no access left: ${others.map(visible).join(", ")}`, "bad");
  }
  addFolded(page, unknown, (each) => addUnknown(page, each));
  if (!isAccess && unchanged > 0) {
    page.add("    ", `${counted(unchanged, "grant")} unchanged`, "soft");
  }
  if (unmanaged.length > 0) {
    page.add("    ", `${counted(unmanaged.length, "grant")} not managed by the stack:`, "soft");
    const leftWidth = leftWidthOf(grantsInOrder(unmanaged).slice(0, UNMANAGED_SHOWN));
    addFolded(
      page,
      grantsInOrder(unmanaged),
      ({ principal, role, condition }) => {
        page.addPair("      ", [visible(principal), visible(role)], leftWidth, "soft");
        if (condition) page.add("        ", `if ${conditionText(condition)}`, "soft");
      },
      UNMANAGED_SHOWN,
    );
  }
}

function addRefusals(page: TerminalPage, { refused }: ReviewResult): void {
  addSection(page, "Refused", refused, ({ step, resource, reason }) => {
    const place = resource === undefined ? "" : ` on ${visible(resource)}`;
    page.add("  x ", `${stepName(step)}${place}`, "bad");
    for (const line of visibleLines(reason)) {
      page.add("      ", line);
    }
  });
}

function addUnknown(page: TerminalPage, { message, step }: Uncertainty): void {
  page.add("  ? ", oneLine(message), "warn");
  if (step !== undefined) {
    page.add("      ", `by ${stepName(step)}`, "soft");
  }
}

function addSection<T>(page: TerminalPage, title: string, entries: readonly T[], add: (entry: T) => void): void {
  if (entries.length > 0) {
    page.blank();
    page.add("", title, "strong");
    addFolded(page, entries, add);
  }
}

function addFolded<T>(page: TerminalPage, entries: readonly T[], add: (entry: T) => void, most = MOST_ENTRIES): void {
  const style: Style = "soft";
  entries.slice(0, most).forEach(add);
  if (entries.length > most) {
    page.add(
      "      ",
      `… and ${(entries.length - most).toLocaleString("en-US")} more (all are in --format json)`,
      style,
    );
  }
}

function leftWidthOf(grants: ReadonlyArray<{ principal: string }>): number {
  return Math.min(WIDEST_LEFT, Math.max(0, ...grants.map(({ principal }) => columnsOf(visible(principal)))));
}
