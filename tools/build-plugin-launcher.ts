import { createHash } from "node:crypto";
import { wrap } from "node:module";

/**
 * Writes the plugin as one executable script. Node compiles a program each time it starts. To save that time, the script
 * loads V8's compiled code from a cache file beside it. It ignores a cache that another build, Node version or processor
 * architecture wrote, and V8 refuses one that does not fit. Without a cache, Node compiles the program as usual.
 */

/**
 * The program stands in a comment, which Node skips at no cost, of a function, which gives its own text without reading the
 * file again. So the end of a comment inside the program is written as ESCAPED.
 */
const [COMMENT_END, ESCAPED] = ["*/", "*\\x2f"];
const [BEFORE, AFTER] = ["function program() {/*", "*/}"];

export function launcher(program: string): string {
  if (program.includes(ESCAPED)) throw new Error("the bundle holds the text that stands for */ in it");
  const wrapped = wrap(program);
  return `#!/usr/bin/env node
"use strict";
${BEFORE}${wrapped.replaceAll(COMMENT_END, ESCAPED)}${AFTER}
const { readFileSync } = require("node:fs");
const { Script } = require("node:vm");
const text = program.toString().slice(${BEFORE.length}, -${AFTER.length}).replaceAll(${JSON.stringify(ESCAPED)}, ${JSON.stringify(COMMENT_END)});
let cachedData;
try {
  cachedData = readFileSync(\`\${__filename}${cacheSuffix(program, "${process.version}", "${process.arch}")}\`);
} catch {}
const script = new Script(text, { filename: __filename, cachedData });
module.exports = { script, rejected: script.cachedDataRejected };
script.runInThisContext()(exports, require, module, __filename, __dirname);
`;
}

export function cacheName(name: string, program: string, node: string, arch: string): string {
  return name + cacheSuffix(program, node, arch);
}

/** Names the program by its hash, because V8 compares only the length of the source. */
function cacheSuffix(program: string, node: string, arch: string): string {
  return `.${createHash("sha256").update(program).digest("hex").slice(0, 12)}.${node}.${arch}.cache`;
}
