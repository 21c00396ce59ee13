import type * as yaml from "yaml";
import { InputError } from "../base/input";
import { isTooDeep, MAX_DEPTH } from "../base/json";

/** Thousands of open brackets exhaust the memory of the YAML parser's regular expressions and end the process. */
function flowDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of source) {
    if (character === "[" || character === "{") {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === "]" || character === "}") {
      depth -= 1;
    }
  }
  return deepest;
}

/** Parses the text of a seed, of a fault plan or of switches, in YAML or JSON. @throws InputError */
export function parseText(what: string, source: string): unknown {
  const value = parsed(what, source);
  if (isTooDeep(value)) {
    throw tooDeep(what);
  }
  return value;
}

/** Characters of YAML that begins like JSON. A larger text is meant as JSON, in which a mistake is found sooner. */
const MOST_FLOW_CHARACTERS = 200_000;

function parsed(what: string, source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    // This is YAML, or invalid JSON; the YAML parser describes its mistakes better.
    if (source.length > MOST_FLOW_CHARACTERS && /^\s*[[{"]/.test(source)) {
      const message = error instanceof Error ? error.message.slice(0, 300) : "";
      throw new InputError(what, [`it is not valid JSON, and too large for YAML that begins like JSON: ${message}`]);
    }
  }
  if (flowDepth(source) > MAX_DEPTH) {
    throw tooDeep(what);
  }
  try {
    return parsedYaml(source);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // YAML can be nested without brackets, by indentation or in a line such as `- - -`.
    throw /call stack/i.test(message) ? tooDeep(what) : new InputError(what, [message]);
  }
}

/**
 * The library itself would compare all keys of a map with each other, and quote the line of each mistake, which may be the whole
 * text. Both take minutes for a text of some megabytes.
 *
 * @throws Error for the first mistake
 */
function parsedYaml(source: string): unknown {
  const { isScalar, LineCounter, parseDocument, visit } = loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const [warning] = document.warnings;
  const [mistake] = document.errors;
  if (warning !== undefined) process.emitWarning(`${short(warning.message)} ${placeOf(warning.pos[0])}`);
  if (mistake !== undefined) throw new Error(`${short(mistake.message)} ${placeOf(mistake.pos[0])}`);
  visit(document, {
    Map: (_key, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const value = isScalar(key) ? key.value : key;
        if (seen.has(value)) throw new Error(`Map keys must be unique ${placeOf(isScalar(key) ? key.range?.[0] : 0)}`);
        seen.add(value);
      }
    },
  });
  return document.toJS();

  function placeOf(offset = 0): string {
    const { line, col } = lines.linePos(offset);
    const around =
      source.slice(lines.lineStarts[line - 1], offset).slice(-40) +
      source.slice(offset, offset + 40).split(/[\r\n]/, 1)[0];
    return `at line ${line}, column ${col}: ${around}`;
  }
}

/** Some messages quote what is wrong. */
function short(message: string): string {
  return message.length > 300 ? `${message.slice(0, 300)}…` : message;
}

function tooDeep(what: string): InputError {
  return new InputError(what, [`objects and lists are nested more than ${MAX_DEPTH} deep`]);
}

/** The YAML library. Loaded on first use, because most runs use no YAML and start faster without it. */
export function loadYaml(): typeof yaml {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it at every start
  return require("yaml") as typeof yaml;
}
