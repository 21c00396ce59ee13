import { createRequire } from "node:module";
import type * as yaml from "yaml";

/** The YAML library. Loaded when it is first needed: most runs read and write no YAML, and start faster without. */
export function loadYaml(): typeof yaml {
  return createRequire(__filename)("yaml") as typeof yaml;
}
