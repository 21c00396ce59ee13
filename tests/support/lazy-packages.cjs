"use strict";
/**
 * For `node --require`: the packages below are loaded when Pulumi's SDK first uses them. It loads them at its start, in the
 * program and again in the host of dynamic providers, which is half of what a run of a JavaScript program costs. A program
 * needs them for TypeScript, for functions that it sends to the engine, for stacks that it runs itself, and for traces of
 * calls, which no test makes. The same is true of zod's messages in fifty languages.
 */
const { existsSync, readFileSync } = require("node:fs");
const Module = require("node:module");

const LAZY = new Set([
  "typescript",
  "@npmcli/arborist",
  "normalize-package-data",
  "execa",
  "@opentelemetry/exporter-zipkin",
  "@opentelemetry/instrumentation",
  "@opentelemetry/instrumentation-grpc",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-trace-base",
  "@opentelemetry/sdk-trace-node",
  "./automation",
]);
/** Those that export a function. */
const FUNCTIONS = new Set(["normalize-package-data", "execa"]);
/** Maps lines of the compiled SDK to its sources: it does so whenever a resource is declared. */
const SOURCE_MAPS = "source-map-support/register";
const BY_SDK = /[\\/]@pulumi[\\/]pulumi[\\/]/;
/** zod's messages in all languages. It loads English by another path. */
const LOCALES = "../locales/index.cjs";
const BY_ZOD = /[\\/]zod[\\/]/;
const load = Module._load;

// The newest language host that Go's module proxy has does not know this option of Pulumi.yaml, and turns TypeScript on.
const plain = () => existsSync("Pulumi.yaml") && /\btypescript"?: *false/.test(readFileSync("Pulumi.yaml", "utf8"));
if (process.env.PULUMI_NODEJS_TYPESCRIPT && plain()) delete process.env.PULUMI_NODEJS_TYPESCRIPT;

/** The exports of a package that is loaded when one of them is asked for, or when they are called. */
function whenUsed(loadNow, isFunction) {
  let exported;
  const loaded = () => (exported ??= loadNow());
  return new Proxy(isFunction ? function () {} : {}, {
    // With this mark, compiled code takes the exports as they are. Without it, it would go through all to make a namespace.
    get: (_target, name) => (name === "__esModule" ? !isFunction : loaded()[name]),
    apply: (_target, self, args) => Reflect.apply(loaded(), self, args),
  });
}

Module._load = function (request, parent, ...rest) {
  const now = () => load.call(this, request, parent, ...rest);
  const by = request === LOCALES ? BY_ZOD : LAZY.has(request) || request === SOURCE_MAPS ? BY_SDK : undefined;
  if (!by?.test(parent?.filename ?? "")) return now();
  return request === SOURCE_MAPS ? {} : whenUsed(now, FUNCTIONS.has(request));
};
