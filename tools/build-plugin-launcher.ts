import { createHash } from "node:crypto";

/**
 * The plugin as one executable script. Node compiles a program each time it starts; this one brings what V8 made of it
 * when it was built, in a file beside it. A file of another build, another Node or another machine is not looked at, and
 * V8 refuses one that does not fit; without one, the program is compiled as ever.
 */

const [BEGIN, END] = ["/*PROGRAM", "PROGRAM*/"];
/** Inside of a comment, which Node skips at no cost, the program may not end the comment. */
const [SLASH, WRITTEN] = ["*/", "*\\x2f"];

export function launcher(program: string): string {
  if (program.includes(WRITTEN)) throw new Error("the bundle holds the text that stands for */ in it");
  return `#!/usr/bin/env node
"use strict";
const { readFileSync } = require("node:fs");
const { Script } = require("node:vm");
const { wrap } = require("node:module");
const file = readFileSync(__filename, "latin1");
const begin = file.indexOf(${JSON.stringify(BEGIN)} + "\\n") + ${BEGIN.length + 1};
const text = file.slice(begin, file.lastIndexOf("\\n" + ${JSON.stringify(END)})).replaceAll(${JSON.stringify(WRITTEN)}, ${JSON.stringify(SLASH)});
let cachedData;
try {
  cachedData = readFileSync(\`\${__filename}${cacheSuffix(program, "${process.version}", "${process.arch}")}\`);
} catch {}
const script = new Script(wrap(text), { filename: __filename, cachedData });
module.exports = { script, rejected: script.cachedDataRejected };
script.runInThisContext()(exports, require, module, __filename, __dirname);
${BEGIN}
${program.replaceAll(SLASH, WRITTEN)}
${END}
`;
}

export function cacheName(name: string, program: string, node: string, arch: string): string {
  return name + cacheSuffix(program, node, arch);
}

/** V8 compares no more of a source than its length. */
function cacheSuffix(program: string, node: string, arch: string): string {
  return `.${createHash("sha256").update(program).digest("hex").slice(0, 12)}.${node}.${arch}.cache`;
}
