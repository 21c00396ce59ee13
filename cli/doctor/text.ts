import { printedJson } from "../../access/formats/json";
import { TerminalPage, type Style, type TerminalOptions } from "../../access/formats/terminal-page";
import { oneLine, visibleLines } from "../../access/result/visible";
import { doctorResult, type DoctorResult, type Finding, type Status } from "./result";

const TITLES: Readonly<Record<Finding["check"], string>> = {
  node: "This machine",
  sdk: "This machine",
  pulumi: "This machine",
  "language hosts": "This machine",
  plugin: "This machine",
  configuration: "Configuration",
  credentials: "Configuration",
  project: "Configuration",
  endpoint: "Endpoints of the APIs",
  permissions: "What the APIs allow",
};

const STYLES: Readonly<Record<Status, Style | undefined>> = {
  ok: "good",
  note: undefined,
  warning: "warn",
  error: "bad",
  skipped: "soft",
};
/** The width of the longest status, with two spaces before and after. */
const MARGIN = 11;

/** The result for a terminal: one line for each finding, with its remedy below. */
export function doctorText(result: DoctorResult, options: TerminalOptions): string {
  const page = new TerminalPage(options);
  page.add("", `pulumi-perimeter ${result.package}`, "strong");
  let title: string | undefined;
  for (const [index, { check, status, message, remedy }] of result.findings.entries()) {
    if (title !== TITLES[check]) {
      title = TITLES[check];
      page.blank();
      page.add("", title, "strong");
    }
    const [first = "", ...others] = visibleLines(message);
    page.add(`  ${status}`.padEnd(MARGIN), first, STYLES[status]);
    for (const line of others) page.add(" ".repeat(MARGIN + 2), line, STYLES[status]);
    // Printed once for adjacent findings with the same remedy.
    if (remedy !== undefined && remedy !== result.findings[index + 1]?.remedy)
      page.add(" ".repeat(MARGIN), `-> ${oneLine(remedy)}`);
  }
  page.blank();
  page.add("", verdict(result), result.exitCode === 0 ? "good" : "bad");
  return page.toString();
}

function verdict({ findings }: DoctorResult): string {
  const count = (status: Status, word: string) => {
    const number = findings.filter((each) => each.status === status).length;
    return number === 0 ? [] : [`${number} ${word}${number === 1 ? "" : "s"}`];
  };
  return [...count("error", "error"), ...count("warning", "warning")].join(", ") || "Nothing is missing.";
}

/** The result as JSON, in the form of docs/doctor.schema.json. @throws ZodError if the result does not match the schema */
export function doctorJson(result: DoctorResult): string {
  return printedJson(doctorResult, result);
}
