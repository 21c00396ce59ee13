/* eslint-disable @typescript-eslint/no-require-imports */

/**
 * The resources and lookups, loaded at first use: building their definitions takes as long as everything else that the
 * plugin loads before it is configured, and the engine waits for that. Not with `import()`, as in `http/pool.ts`.
 */
export const loadServices = () => require("../services") as typeof import("../services");
