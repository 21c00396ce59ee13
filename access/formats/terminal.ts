import type { Answer } from "../result/result";
import { counted } from "../result/visible";
import {
  basisSentence,
  conditionClause,
  FROM_ABOVE,
  moreText,
  reportOf,
  UNMANAGED,
  type Report,
  type ReportedChange,
  type ReportedGrant,
  type ReportedResource,
} from "./report";
import { byClause, plainText, type Entry, type Section } from "./sections";
import { columnsOf, TerminalPage, type Style, type TerminalOptions } from "./terminal-page";

/** The largest number of lines of one kind. The JSON has all. */
const MOST_CHANGES = 400;
const MOST_ENTRIES = 50;
const UNMANAGED_SHOWN = 10;
const INHERITED_SHOWN = 50;
const WIDEST_LEFT = 60;
const HANGING = 2;

/**
 * Formats a review for a terminal, with losses before gains. When nothing changes and nothing is unknown, the text has the
 * headline, the settings and the notes. The text ends with a line break.
 */
export function terminalText(answer: Answer, options: TerminalOptions): string {
  const report = reportOf(answer);
  const page = new TerminalPage(options);
  const { headline, verdict, tone, sections, ends } = report;
  page.add("", `${headline}.`, "strong");
  const basis = basisSentence(report);
  if (basis !== "") page.add("", `${basis}.`, "soft", HANGING);
  if (report.isQuiet) {
    addSection(page, sections.notes, "·");
    return page.toString();
  }
  addResources(page, report);
  for (const section of ends) addSection(page, section, "·");
  addSection(page, sections.refused, "x");
  addSection(page, sections.rules, "!");
  addSection(page, sections.warnings, "!");
  addSection(page, sections.unknown, "?");
  addSection(page, sections.allowed, "·");
  addSection(page, sections.notes, "·");
  if (verdict !== undefined) {
    page.blank();
    page.add("", `${verdict}.`, tone);
  }
  return page.toString();
}

const SIGNS = { lost: "-", condition: "~", gained: "+" } as const;
const STYLES = { lost: "bad", condition: "warn", gained: "good" } as const;

function addResources(page: TerminalPage, { operation, changes, resources }: Report): void {
  const shown = new Set(changes.slice(0, MOST_CHANGES));
  const isAccess = operation === "access";
  let grantsLeft = MOST_CHANGES;
  const wanted = resources.filter(
    ({ changes: own, unknown, othersWithoutAccess: others }) =>
      isAccess || unknown.length + others.length > 0 || own.some((each) => shown.has(each)),
  );
  for (const resource of wanted.slice(0, MOST_CHANGES)) {
    const { name, kind, api, endpoint, settings } = resource;
    page.blank();
    page.add("", name, "strong", HANGING);
    const facts = [api, ...(endpoint === undefined ? [] : [`at ${endpoint}`]), ...settings];
    page.add("  ", `${kind} (${facts.join(", ")})`, "soft");
    addChanges(page, resource.changes, shown);
    if (isAccess) {
      addGrants(page, "    ", resource.grants, Math.max(0, grantsLeft));
      grantsLeft -= resource.grants.length;
    }
    addRest(page, resource, isAccess);
  }
  if (wanted.length > MOST_CHANGES) page.blank();
  addMore(page, "", wanted.length - MOST_CHANGES, "resource");
}

function addChanges(page: TerminalPage, changes: readonly ReportedChange[], all: ReadonlySet<ReportedChange>): void {
  const shown = changes.filter((each) => all.has(each));
  const leftWidth = leftWidthOf(shown);
  for (const change of shown) {
    const { kind, principal, role, steps, wasManaged } = change;
    page.addPair(`  ${SIGNS[kind]} `, [principal, role], leftWidth, STYLES[kind]);
    if (change.left) page.add("      ", change.left.text, change.left.tone);
    const condition = conditionClause(change);
    if (condition !== undefined) page.add("      ", condition);
    const origin = [...byClause(steps.map(plainText)), ...(wasManaged ? [] : [UNMANAGED])];
    if (origin.length > 0) page.add("      ", origin.join("; "), "soft");
  }
  addMore(page, "    ", changes.length - shown.length, "change");
}

/** Writes all facts of a resource that come after its changes. */
function addRest(page: TerminalPage, resource: ReportedResource, isAccess: boolean): void {
  const { othersWithoutAccess: others, noAccessLeft, unknown, unmanaged, inherited, unchanged } = resource;
  if (others.length > 0) page.add("  - ", `${noAccessLeft}: ${others.join(", ")}`, "bad");
  addEntries(page, unknown, "?", "warn");
  if (!isAccess && unchanged > 0) page.add("    ", `${counted(unchanged, "grant")} unchanged`, "soft");
  if (unmanaged.length > 0) page.add("    ", `${counted(unmanaged.length, "grant")} ${UNMANAGED}:`, "soft");
  addGrants(page, "      ", unmanaged, UNMANAGED_SHOWN, "soft");
  if (inherited.length > 0) page.add("    ", `${counted(inherited.length, "grant")} ${FROM_ABOVE}:`, "soft");
  addGrants(page, "      ", inherited, INHERITED_SHOWN, "soft");
}

function addGrants(
  page: TerminalPage,
  lead: string,
  grants: readonly ReportedGrant[],
  most: number,
  style?: Style,
): void {
  const shown = grants.slice(0, most);
  const leftWidth = leftWidthOf(shown);
  for (const grant of shown) {
    page.addPair(lead, [grant.principal, grant.role], leftWidth, style);
    const condition = conditionClause(grant);
    if (condition !== undefined) page.add(`${lead}  `, condition, "soft");
    if (grant.from !== undefined) page.add(`${lead}  `, grant.from, "soft");
  }
  addMore(page, lead, grants.length - shown.length, "grant");
}

function addSection(page: TerminalPage, { title, tone, entries }: Section, sign: string): void {
  if (entries.length === 0) return;
  page.blank();
  page.add("", title, "strong");
  addEntries(page, entries, sign, tone);
}

function addEntries(page: TerminalPage, entries: readonly Entry[], sign: string, tone: Style | undefined): void {
  for (const { text, details, steps } of entries.slice(0, MOST_ENTRIES)) {
    page.add(`  ${sign} `, plainText(text), tone);
    for (const detail of details) page.add("      ", detail);
    for (const by of byClause(steps.map(plainText))) page.add("      ", by, "soft");
  }
  addMore(page, "      ", entries.length - MOST_ENTRIES, "entry", "entries");
}

function addMore(page: TerminalPage, lead: string, count: number, noun: string, plural?: string): void {
  if (count > 0) page.add(lead, moreText(count, noun, plural), "warn");
}

function leftWidthOf(grants: ReadonlyArray<{ principal: string }>): number {
  return Math.min(WIDEST_LEFT, Math.max(0, ...grants.map(({ principal }) => columnsOf(principal))));
}
