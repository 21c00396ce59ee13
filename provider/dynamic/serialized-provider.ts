import { PACKAGE_NAME } from "../core/definition";

/**
 * The text that each resource of a type keeps in the state as its provider: it loads backend.ts by the package's name. It
 * must stay the same in every release, because a different text would change every resource.
 *
 * @param type `{service}/{version}:{Name}`
 */
export function serializedProvider(type: string): string {
  return `exports.handler=()=>require("pulumi-perimeter/backend").backend("${type}")`;
}

/**
 * The token of a resource type, `perimeter:{service}/{version}:{Name}`.
 *
 * @param type `{service}/{version}:{Name}`
 */
export function tokenOfType(type: string): string {
  return `${PACKAGE_NAME}:${type}`;
}
