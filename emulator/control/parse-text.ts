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

function parsed(what: string, source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    // This is YAML, or invalid JSON; the YAML parser describes its mistakes better.
  }
  if (flowDepth(source) > MAX_DEPTH) {
    throw tooDeep(what);
  }
  try {
    return loadYaml().parse(source);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // YAML can be nested without brackets, by indentation or in a line such as `- - -`.
    throw /call stack/i.test(message) ? tooDeep(what) : new InputError(what, [message]);
  }
}

function tooDeep(what: string): InputError {
  return new InputError(what, [`objects and lists are nested more than ${MAX_DEPTH} deep`]);
}

/** The YAML library. Loaded on first use, because most runs use no YAML and start faster without it. */
export function loadYaml(): typeof yaml {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it at every start
  return require("yaml") as typeof yaml;
}
