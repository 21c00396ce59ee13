import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { wrap } from "node:module";
import { join } from "node:path";

/**
 * Writes the plugin as one executable script. Node compiles a program each time it starts. To save that time, the script
 * loads V8's compiled code from a cache file beside it. It ignores a cache of another build, Node version or processor
 * architecture, and V8 refuses a cache that does not fit. Without a cache, Node compiles the program as usual.
 *
 * Node loads a file without an extension as an ES module if a package.json above it has `"type": "module"`; this can happen
 * when PULUMI_HOME is in the folder of a project. So the script runs as both kinds of module.
 */

/**
 * The program is in a comment of a function: Node skips comments at no cost, and the function returns its text without
 * reading the file again. So the end of a comment inside the program is written as ESCAPED.
 */
const [COMMENT_END, ESCAPED] = ["*/", "*\\x2f"];
const [BEFORE, AFTER] = ["function program() {/*", "*/}"];

/** Without "use strict", because the script already has it. */
const REQUIRE_NODE = readFileSync(join(__dirname, "../require-node.cjs"), "utf8").replace(/^"use strict";\n+/, "");

export function launcher(program: string): string {
  if (program.includes(ESCAPED)) throw new Error("the bundle contains the escape text for */");
  const wrapped = wrap(program);
  return `#!/usr/bin/env node
"use strict";
${REQUIRE_NODE}
${BEFORE}${wrapped.replaceAll(COMMENT_END, ESCAPED)}${AFTER}
const file = typeof __filename === "string" ? __filename : process.getBuiltinModule("node:fs").realpathSync(process.argv[1]);
const load = typeof require === "function" ? require : process.getBuiltinModule("node:module").createRequire(file);
const { readFileSync } = load("node:fs");
const { dirname } = load("node:path");
const { Script } = load("node:vm");
const text = program.toString().slice(${BEFORE.length}, -${AFTER.length}).replaceAll(${JSON.stringify(ESCAPED)}, ${JSON.stringify(COMMENT_END)});
let cachedData;
try {
  cachedData = readFileSync(\`\${file}${cacheSuffix(program, "${process.version}", "${process.arch}")}\`);
} catch {}
const script = new Script(text, { filename: file, cachedData });
const own = typeof module === "object" ? module : { exports: {} };
own.exports = { script, rejected: script.cachedDataRejected };
script.runInThisContext()({}, load, own, file, dirname(file));
`;
}

export function cacheName(name: string, program: string, node: string, arch: string): string {
  return name + cacheSuffix(program, node, arch);
}

/** Names the program by its hash, because V8 compares only the length of the source. */
function cacheSuffix(program: string, node: string, arch: string): string {
  return `.${createHash("sha256").update(program).digest("hex").slice(0, 12)}.${node}.${arch}.cache`;
}
