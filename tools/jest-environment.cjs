"use strict";
/**
 * Jest's environment of Node.js, in which a worker compiles each file once. Jest compiles all files again for each suite, which
 * is a sixth of the processor time of the suites that start no engine. Here the suites of a worker share the compiled script;
 * each still runs it in a context of its own.
 */
const { TestEnvironment } = require("jest-environment-node");
const vm = require("node:vm");

/** Compiled files by name, each with the text that it was compiled from. */
const scripts = new Map();
const compileFunction = vm.compileFunction;

vm.compileFunction = (code, parameters, options) => {
  const { filename, parsingContext } = options;
  // A script that several contexts share cannot ask jest for a module.
  if (parsingContext === undefined || /\bimport\s*\(/.test(code)) return compileFunction(code, parameters, options);
  let known = scripts.get(filename);
  if (known?.code !== code) {
    const head = `(function (${parameters.join(", ")}) {`;
    // Places in the file stay the same.
    const script = new vm.Script(`${head}${code}\n})`, { filename, columnOffset: -head.length });
    scripts.set(filename, (known = { code, script }));
  }
  return known.script.runInContext(parsingContext);
};

module.exports = TestEnvironment;
