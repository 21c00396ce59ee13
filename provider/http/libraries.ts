/* eslint-disable @typescript-eslint/no-require-imports */

/**
 * What is loaded at the first request, because a plugin starts faster without them. Not with `import()`, which
 * fails in users' jest tests without a flag. The type of what `require` returns is `any`, so each cast names the library that
 * its line loads.
 */

export const loadHttp = () => require("node:http") as typeof import("node:http");
export const loadUndici = () => require("undici") as typeof import("undici");
export const loadGoogleAuth = () => require("google-auth-library") as typeof import("google-auth-library");
