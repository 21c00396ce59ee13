/** The engine's calls on resources and functions. Loaded when the provider is configured. */

export { invoke } from "./lookups";
export { check, create, diff, read, remove, update } from "./resources";
