/** Names of table rows. Ratios are to a row by its name. */
export const GO_PEER = "Go plugin (peer)";
export const PLUGIN = "plugin on Node.js";
export const EXECUTABLE = "plugin without Node.js";
export const DYNAMIC = "npm package";
/** It declares the inputs only: a program can read no output. */
export const STOCK_PEER = "dynamic provider, inputs only (peer)";
export const DECLARING_PEER = "dynamic provider (peer)";
export const EMPTY = "empty stack";
