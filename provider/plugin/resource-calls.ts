/** What the engine's calls on resources and functions do. Loaded when the provider is configured. */

export { invoke } from "./lookups";
export { check, create, diff, read, remove, update } from "./resources";
