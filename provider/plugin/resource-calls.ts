/** What the engine's calls on resources and functions do, and the schema. Loaded when the provider is configured. */

export { packageSchema } from "../schema";
export { invoke } from "./lookups";
export { check, create, diff, read, remove, update } from "./resources";
