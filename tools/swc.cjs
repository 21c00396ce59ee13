"use strict";

/** How swc compiles our TypeScript, for tests (jest.config.cjs) and for programs (register.cjs). @param tsx the file has JSX. */
module.exports = (tsx) => ({
  jsc: {
    parser: { syntax: "typescript", tsx },
    transform: { react: { runtime: "automatic" } },
    target: "es2022",
  },
  module: { type: "commonjs" },
});
