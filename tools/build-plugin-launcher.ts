import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Without "use strict", because the script already has it. */
const REQUIRE_NODE = readFileSync(join(__dirname, "../require-node.cjs"), "utf8").replace(/^"use strict";\n+/, "");

/**
 * The plugin as one executable script: first the check of the Node version, then the program.
 *
 * Node loads a file without an extension as an ES module if a package.json above it has `"type": "module"`; this can happen
 * when PULUMI_HOME is in the folder of a project. So the script runs as both kinds of module.
 *
 * @param program a CommonJS module
 */
export function launcher(program: string): string {
  return `#!/usr/bin/env node
"use strict";
${REQUIRE_NODE}
const file = typeof __filename === "string" ? __filename : process.getBuiltinModule("node:fs").realpathSync(process.argv[1]);
const load = typeof require === "function" ? require : process.getBuiltinModule("node:module").createRequire(file);
const own = typeof module === "object" ? module : { exports: {} };
(function (exports, require, module, __filename, __dirname) {
${program}
})(own.exports, load, own, file, load("node:path").dirname(file));
`;
}
