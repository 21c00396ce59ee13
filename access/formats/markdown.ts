import type { Answer } from "../result/result";
import { capitalized, counted, inHtmlComment, shortened, visible } from "../result/visible";
import {
  FROM_ABOVE,
  reportOf,
  UNMANAGED,
  type ReportedChange,
  type ReportedGrant,
  type ReportedResource,
} from "./report";
import type { Entry, Piece } from "./sections";

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
 * Formats a review as a comment on a pull request, with fewer than 65,536 characters. The first line identifies the stack, or says
 * that there are several, so that a later review can replace the comment. The same review gives the same text.
 */
export function markdownText(answer: Answer): string {
  const report = reportOf(answer);
  const { headline, verdict, basis, changes, resources, sections, ends } = report;
  const stack = report.stack.map((name) => shortened(name, LONGEST_NAME));
  const text = new BoundedText();
  const kind = report.operation === "access" ? "access" : "review";
  const isOfSeveral = answer.stacks.length > 1;
  // Which of several stacks a pull request changes may differ with each push.
  const marker = isOfSeveral ? "stacks" : stack.map(inHtmlComment).join("/") || report.operation;
  text.add(`<!-- perimeter-${kind}: ${marker} -->\n`);
  text.add(`### Access review: ${headline}\n\n`);
  const facts = [
    ...(verdict === undefined ? [] : [verdict]),
    ...(stack.length > 0 ? [`${isOfSeveral ? "stacks" : "stack"} ${code(stack.join("/"))}`] : []),
    ...basis.map((each) => sentence(shortened(each, LONGEST_CELL))),
  ];
  text.add(facts.length > 0 ? `${facts.join("; ")}.\n` : "");
  const { refused, unknown, rules, warnings, allowed, notes } = sections;
  if (report.isQuiet) {
    text.addList("\n", notes.entries.map(entryLine), "", LIMIT);
    return text.toString();
  }
  text.addList(`\n**${refused.title}**\n\n`, refused.entries.map(entryLine), "", LIMITS.refused);
  text.addList(
    tableHead("Change", isOfSeveral),
    [...changes.map(changeRow), ...resources.flatMap(noAccessRows)],
    "",
    LIMITS.changes,
  );
  if (report.operation === "access") {
    text.addList(tableHead("Grant"), resources.flatMap(grantRows), "", LIMITS.changes);
  }
  const addFolded = (title: string, lines: readonly string[], limit: number): void => {
    const summary = `${title} (${lines.length.toLocaleString("en-US")})`;
    text.addList(`\n<details><summary>${summary}</summary>\n\n`, lines, "\n</details>\n", limit);
  };
  addFolded(unknown.title, [...unknown.entries.map(entryLine), ...resources.flatMap(unknownLines)], LIMITS.unknown);
  for (const { title, entries } of ends) addFolded(title, entries.map(entryLine), LIMITS.rules);
  addFolded("Settings", resources.flatMap(settingLines), LIMITS.rules);
  addFolded(rules.title, rules.entries.map(entryLine), LIMITS.rules);
  addFolded(warnings.title, warnings.entries.map(entryLine), LIMITS.rules);
  addFolded(allowed.title, allowed.entries.map(entryLine), LIMITS.allowed);
  const linesOf = (list: "unmanaged" | "inherited"): string[] =>
    resources.flatMap((resource) => resource[list].map((grant) => grantLine(grant, resource)));
  addFolded(capitalized(UNMANAGED), linesOf("unmanaged"), LIMITS.unmanaged);
  addFolded(capitalized(FROM_ABOVE), linesOf("inherited"), LIMITS.unmanaged);
  addFolded("Where the changes come from", changes.map(originLine), LIMIT);
  addFolded(notes.title, notes.entries.map(entryLine), LIMIT);
  return text.toString();
}

/** @param isOfSeveral whether the rows say of which stack they are */
function tableHead(first: string, isOfSeveral = false): string {
  const titles = [first, "Principal", "Role", "Resource", "Condition", ...(isOfSeveral ? ["Stack"] : [])];
  return `\n| ${titles.join(" | ")} |\n| ${titles.map(() => "---").join(" | ")} |\n`;
}

function changeRow(change: ReportedChange): string {
  const { words, left, noAccessLeft } = change;
  const more = left && (noAccessLeft ? `**${left.text}**` : sentence(left.text, "table"));
  return row(more === undefined ? words : `${words}, ${more}`, change, change.resource, change.stack);
}

function noAccessRows({ othersWithoutAccess, noAccessLeft, name, stack }: ReportedResource): string[] {
  return othersWithoutAccess.map((principal) => row(`**${noAccessLeft}**`, { principal }, name, stack));
}

function grantRows({ grants, name }: ReportedResource): string[] {
  return grants.map((grant) => row(grant.isManaged ? "" : UNMANAGED, grant, name));
}

function row(
  first: string,
  { principal, role, condition }: Partial<ReportedGrant>,
  resource: string,
  stack?: string,
): string {
  const texts = [principal, role, resource, condition, ...(stack === undefined ? [] : [stack])];
  const cells = texts.map((text) => (text === undefined ? "" : code(shortened(text, LONGEST_CELL), "table")));
  return `| ${[first, ...cells].join(" | ")} |\n`;
}

function entryLine({ text, details, steps }: Entry): string {
  const by = steps.length > 0 ? [`(by ${steps.map(inMarkdown).join(", ")})`] : [];
  return `- ${[inMarkdown(text), ...details.map((detail) => sentence(detail)), ...by].join(" ")}\n`;
}

function inMarkdown(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? sentence(piece) : code(piece.name))).join("");
}

function unknownLines({ name, stack, unknown }: ReportedResource): string[] {
  const of = stack === undefined ? [] : [" of ", { name: stack }];
  return unknown.map((entry) => entryLine({ ...entry, text: [{ name }, ...of, ": ", ...entry.text] }));
}

function settingLines({ name, endpoint, settings }: ReportedResource): string[] {
  if (settings.length === 0) return [];
  const place = endpoint === undefined ? "" : ` at ${code(endpoint)}`;
  return [`- ${code(name)}${place}: ${settings.map((fact) => sentence(fact)).join(", ")}\n`];
}

function grantLine(grant: ReportedGrant, resource: ReportedResource): string {
  const condition = grant.condition === undefined ? "" : ` if ${code(grant.condition)}`;
  const from = grant.from === undefined ? "" : `, from ${code(grant.from)}`;
  return `- ${grantOn(grant, resource)}${condition}${from}\n`;
}

function originLine(change: ReportedChange): string {
  const from =
    [...change.steps.map(inMarkdown), ...(change.wasManaged ? [] : [UNMANAGED])].join(", ") || "no step of the plan";
  return `- ${grantOn(change, { name: change.resource, stack: change.stack })}: ${from}\n`;
}

function grantOn(
  { principal, role }: ReportedGrant,
  { name, stack }: { name: string; stack?: string | undefined },
): string {
  return `${code(principal)} ${code(role)} on ${code(name)}${stack === undefined ? "" : ` of ${code(stack)}`}`;
}

type Place = "table" | "text";

/**
 * Formats a name as a code span: only there, GitHub and GitLab look for neither links nor mentions. In a table, an unescaped
 * pipe ends the cell even in code.
 */
export function code(text: string, place: Place = "text"): string {
  const shown = visible(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  // Blanks at both ends separate a backtick of the name from the fence. They are not part of the code.
  const padding = /^[` ]|[` ]$/.test(shown) || shown === "" ? " " : "";
  const span = `${fence}${padding}${shown}${padding}${fence}`;
  return place === "table" ? span.replace(/\\\|/g, "\\\\u{7c}").replaceAll("|", "\\|") : span;
}

/** Words that have no special meaning in Markdown. */
const PLAIN = /^[\p{L}\p{N}.,;:'"()“”‘’…→/?-]+$/u;
/** Words that GitHub or GitLab still interpret: links, `GH-12`, commits, `:emoji:`, lists, GitLab's `/commands`. */
const SPECIAL = /:\/\/|www\.|GH-\d|:[\w-]+:|^\W*[0-9a-f]{7,40}\W*$|^-+$|^\d+[.)]$|^\//i;

/** Formats a sentence in one line. Possible markup, mentions and links become code spans. */
export function sentence(text: string, place: Place = "text"): string {
  return text
    .split(" ")
    .map((word) => (word === "" || (PLAIN.test(word) && !SPECIAL.test(word)) ? word : wordInCode(word, place)))
    .join(" ");
}

/** Punctuation at the end belongs to the sentence, not to the name. */
function wordInCode(word: string, place: Place): string {
  const [, name = word, end = ""] = /^([^:].*[^.,;:])([.,;:]+)$/.exec(word) ?? [];
  return `${code(name, place)}${end}`;
}

/** Builds a text of lists within a limit of characters, and counts the entries that did not fit. */
class BoundedText {
  private text = "";
  private leftOut = 0;

  add(text: string): void {
    this.text += text;
  }

  /**
   * Adds the entries of a list that fit. An empty list adds nothing.
   *
   * @param limit the largest number of characters of the whole text after this list
   */
  addList(head: string, lines: readonly string[], end: string, limit: number): void {
    let room = limit - this.text.length - head.length - end.length;
    let fitting = 0;
    while (fitting < lines.length && (room -= lines[fitting]?.length ?? 0) >= 0) {
      fitting += 1;
    }
    this.leftOut += lines.length - fitting;
    if (fitting > 0) {
      this.text += head + lines.slice(0, fitting).join("") + end;
    }
  }

  toString(): string {
    const left = counted(this.leftOut, "entry is", "entries are");
    return this.leftOut === 0 ? this.text : `${this.text}\n${left} left out here: \`--format json\` has all.\n`;
  }
}
