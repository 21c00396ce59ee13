import { PACKAGE_NAME } from "../core/definition";

/** Where Pulumi keeps the text of a dynamic provider: among the inputs and the outputs of each resource. */
export const PROVIDER_PROPERTY = "__provider";

/**
 * Input that tells a resource from every other one, of this stack and of others: engines do not tell dynamic providers the
 * URN. Without it, two resources that create the same thing within the hour would be answered with one and the same create.
 */
export const IDENTITY_PROPERTY = "__identity";

/** Input that says where among the others the program's secrets are; none where there is no secret. */
export const SECRETS_PROPERTY = "__secrets";

/**
 * What a resource of this type keeps in the state: a constant that loads the provider by the package's name. It must
 * stay the same in every release, or every resource would show a change.
 *
 * @param type `{service}/{version}:{Name}`
 */
export function serializedProvider(type: string): string {
  return `exports.handler=()=>require("pulumi-perimeter/backend").backend("${type}")`;
}

export function tokenOfType(type: string): string {
  return `${PACKAGE_NAME}:${type}`;
}
