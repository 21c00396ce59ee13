import type { ServiceDefinition } from "../../core/definition";
import { InputError } from "../../core/errors";
import { findMeta, propertiesOf } from "../../core/field";
import { quote } from "../../core/problem";
import { hostIn, normalName, type ReferenceKind } from "../../core/reference";
import { resources } from "../../services";

/** A kind of resource with an access policy that the provider can read. */
export interface ResourceKind {
  service: ServiceDefinition;
  reference: ReferenceKind;
}

/** A resource with an access policy. */
export interface NamedResource extends ResourceKind {
  /** Relative name. */
  name: string;
}

/** Each kind of resource that a grant of the provider is on. */
export const RESOURCE_KINDS: readonly ResourceKind[] = resources.flatMap(({ definition: { inputs, service } }) => {
  const properties = new Map(propertiesOf(inputs));
  const name = properties.get("name");
  const reference = properties.has("member") && name ? findMeta(name)?.reference : undefined;
  return reference ? [{ service, reference }] : [];
});

/**
 * The resource that a user names.
 *
 * @param text relative name, full name (`//healthcare.googleapis.com/projects/…`) or URL
 * @throws InputError that says which forms are right
 */
export function resourceNamed(text: string): NamedResource {
  const name = normalName(text);
  const kind = RESOURCE_KINDS.find(({ reference }) => reference.templates.some((each) => each.parse(name)));
  if (!kind) throw wrong(`must be the name of ${forms()}; got ${quote(text)}`);
  const host = hostIn(text);
  const own = `${kind.reference.api}.googleapis.com`;
  if (host !== undefined && host !== own) {
    throw wrong(`must have no host, or the one of ${kind.reference.kind}, ${own}; got ${quote(text)}`);
  }
  return { ...kind, name };
}

function forms(): string {
  return RESOURCE_KINDS.map(
    ({ reference }) => `${reference.kind} (${reference.templates.map((each) => each.template).join(" or ")})`,
  ).join(", ");
}

function wrong(reason: string): InputError {
  return new InputError("Who has access cannot be told", [{ path: "RESOURCE", reason }]);
}
