import { InputError } from "../../provider/core/errors";
import { jsonIn } from "../../provider/core/json";
import { isRecord, type Values } from "../../provider/core/unknown";

/**
 * Parses the object in a JSON text from outside.
 *
 * @param subject names the text in messages: "The plan".
 * @param command the command that prints such a text, for messages: "pulumi preview --json".
 * @throws InputError, with one message, for anything else. It quotes nothing of the text, because the text may contain
 *   secrets.
 */
export function objectIn(text: string, subject: string, command: string): Values {
  const plain = text.replace(/^\uFEFF/, "");
  const value = jsonIn(plain);
  if (value === undefined) throw wrong(subject, problemOf(plain, command));
  if (Array.isArray(value)) throw wrong(subject, `is a list, and not what \`${command}\` prints`);
  if (!isRecord(value)) throw wrong(subject, `is a single value, and not what \`${command}\` prints`);
  if (isEvent(value)) throw wrong(subject, eventProblem(command));
  return value;
}

/** @param reason the rest of the sentence after the subject: "is empty". */
export function wrong(subject: string, reason: string): InputError {
  return new InputError(subject, [{ path: "it", reason }]);
}

function problemOf(text: string, command: string): string {
  const json = text.trim();
  const lineAt = (index: number) => text.slice(0, text.indexOf(json) + index).split("\n").length;
  if (json === "") return `is empty: did \`${command}\` fail?`;
  const again = `Print it with \`${command}\`, and keep standard error and the output of other programs out of it`;
  const start = json.search(/^[{[]/) < 0 ? json.search(/^\{/m) : 0;
  if (start < 0) return `is not JSON. ${again}`;
  if (start > 0) {
    const isJson = jsonIn(json.slice(start).slice(0, endOfDocument(json.slice(start)))) !== undefined;
    return isJson
      ? `has other text in front of its JSON, which begins in line ${lineAt(start)}. ${again}`
      : `is not JSON. ${again}`;
  }
  const [first, ...others] = json.split("\n").filter((line) => line.trim() !== "");
  const firstLine = jsonIn(first);
  if (isRecord(firstLine) && others.length > 0 && /^[{[]/.test(others[0] ?? "")) {
    return isEvent(firstLine) ? eventProblem(command) : severalProblem(command);
  }
  const end = endOfDocument(json);
  if (end === undefined) return `ends in the middle of the JSON: it is cut off, or \`${command}\` was interrupted`;
  const rest = json.slice(end);
  if (/^\s*[{[]/.test(rest)) return severalProblem(command);
  if (rest.trim() === "" || jsonIn(json.slice(0, end)) === undefined) return `is JSON with other text in it. ${again}`;
  return `has other text after its JSON, from line ${lineAt(end + rest.search(/\S/))} on. ${again}`;
}

const severalProblem = (command: string) =>
  `contains several JSON documents: pass the output of one run of \`${command}\``;

const eventProblem = (command: string) =>
  `is a stream of the engine's events, as \`pulumi up --json\` writes it. Print the plan with \`${command}\``;

/** Each line of the engine's event log has these two properties and one with the event. */
function isEvent(value: Values): boolean {
  return typeof value.sequence === "number" && typeof value.timestamp === "number";
}

/** The index after the first object or list of the text; undefined when its end is missing. */
function endOfDocument(json: string): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth === 0) return index + token.length;
  }
  return undefined;
}
