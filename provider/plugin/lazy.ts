/* eslint-disable @typescript-eslint/no-require-imports -- `import()` of a module of ours would need another module system */

/**
 * Modules that are loaded when they are first needed: the engine waits for every plugin to start, and most of what this
 * one can do, a run never asks for.
 */
export const lazy = {
  configDefinition: () => require("../core/config/definition") as typeof import("../core/config/definition"),
  configResolve: () => require("../core/config/resolve") as typeof import("../core/config/resolve"),
  configuration: () => require("./configuration") as typeof import("./configuration"),
  engine: () => ({
    ...(require("@pulumi/pulumi/proto/engine_pb") as typeof import("@pulumi/pulumi/proto/engine_pb")),
    ...(require("@pulumi/pulumi/proto/engine_grpc_pb") as typeof import("@pulumi/pulumi/proto/engine_grpc_pb")),
  }),
  errors: () => require("./errors") as typeof import("./errors"),
  provider: () => require("../runtime/provider") as typeof import("../runtime/provider"),
  resources: () => require("./resources") as typeof import("./resources"),
  schema: () => require("../schema") as typeof import("../schema"),
};
