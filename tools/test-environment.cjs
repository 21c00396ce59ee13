"use strict";

const vm = require("node:vm");
const { TestEnvironment } = require("jest-environment-node");

/**
 * The environment of every suite: jest's own for Node.js, in which a worker compiles each module and each of its functions
 * once. jest compiles them again for every suite, which was a tenth of the processor time of the workers. Nothing else is
 * shared: each suite still runs each module in its own context, so it has its own exports and globals.
 *
 * A function compiled by `vm.compileFunction`, as jest does it, belongs to one context; a `vm.Script` runs in any.
 */
const compiled = new Map();
const { compileFunction } = vm;

vm.compileFunction = (source, parameters = [], options = {}) => {
  const { filename, parsingContext } = options;
  // A line `#!…` is valid only at the start of a script.
  if (!filename || !parsingContext || source.startsWith("#!")) return compileFunction(source, parameters, options);
  const head = `(function (${parameters.join()}) {`;
  let known = compiled.get(filename);
  if (known?.source !== source || known.head !== head) {
    // The names and numbers of the lines in stacks remain those of the module. Jest refuses `import()` in modules anyway.
    const script = new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
    compiled.set(filename, (known = { source, head, script }));
  }
  return known.script.runInContext(parsingContext);
};

module.exports = TestEnvironment;
