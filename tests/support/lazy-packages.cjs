"use strict";
/**
 * For `node --require`: TypeScript and npm's reader of package trees are loaded when Pulumi's SDK first uses them. It loads
 * them at its start, in the program and again in the host of dynamic providers, which is two fifths of what a run of a
 * JavaScript program costs; programs that hold no TypeScript and send no function of their own to the engine use neither.
 */
const { existsSync, readFileSync } = require("node:fs");
const Module = require("node:module");

const LAZY = new Set(["typescript", "@npmcli/arborist"]);
const load = Module._load;

// The newest language host that Go's module proxy has does not know this option of Pulumi.yaml, and turns TypeScript on.
const plain = () => existsSync("Pulumi.yaml") && /\btypescript"?: *false/.test(readFileSync("Pulumi.yaml", "utf8"));
if (process.env.PULUMI_NODEJS_TYPESCRIPT && plain()) delete process.env.PULUMI_NODEJS_TYPESCRIPT;

/** The exports of a package that is loaded when one of them is asked for. */
function whenUsed(loadNow) {
  let exported;
  return new Proxy(
    {},
    {
      // Without this mark, compiled code would go through all exports to make a namespace of them.
      get: (_target, name) => (name === "__esModule" ? true : (exported ??= loadNow())[name]),
    },
  );
}

Module._load = function (request, parent, ...rest) {
  const now = () => load.call(this, request, parent, ...rest);
  const bySdk = LAZY.has(request) && /[\\/]@pulumi[\\/]pulumi[\\/]/.test(parent?.filename ?? "");
  return bySdk ? whenUsed(now) : now();
};
