/** What the rows of the tables are called. The summary finds them by these names. */
export const GO_PEER = "Go plugin (peer)";
export const PLUGIN = "plugin on Node.js";
export const EXECUTABLE = "plugin without Node.js";
export const DYNAMIC = "npm package";
export const STOCK_PEER = "dynamic provider (peer)";
export const EMPTY = "empty stack";

/** The row of the same thing as an earlier build has it. */
export const before = (name: string): string => `${name}, before`;
