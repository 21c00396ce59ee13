/**
 * Perimeter for TypeScript programs, with nothing to install but npm packages: resources as dynamic resources, lookups
 * as plain functions, under the same modules and names as the SDK of the plugin.
 */
export * from "./generated";
