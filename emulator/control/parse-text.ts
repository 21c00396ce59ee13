import { createRequire } from "node:module";
import type * as yaml from "yaml";
import { InputError } from "../base/input";

/** With thousands of open brackets, the YAML parser's regular expressions run out of memory and the process ends. */
const MAX_FLOW_DEPTH = 200;

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
  try {
    return JSON.parse(source);
  } catch {
    // YAML, or JSON with a mistake, which the YAML parser describes better.
  }
  if (flowDepth(source) > MAX_FLOW_DEPTH) {
    throw new InputError(what, [`brackets are nested more than ${MAX_FLOW_DEPTH} deep`]);
  }
  try {
    return loadYaml().parse(source);
  } catch (error) {
    throw new InputError(what, [error instanceof Error ? error.message : String(error)]);
  }
}

/** The YAML library. Loaded when it is first needed: most runs read and write no YAML, and start faster without. */
export function loadYaml(): typeof yaml {
  return createRequire(__filename)("yaml") as typeof yaml;
}
