/* eslint-disable @typescript-eslint/no-require-imports -- `import()` in CommonJS fails under jest without a flag */

/** Modules that are loaded when they are first needed: a program that only declares resources starts without them. */
export const lazy = {
  configDefinition: () => require("../core/config/definition") as typeof import("../core/config/definition"),
  provider: () => require("../runtime/provider") as typeof import("../runtime/provider"),
};
