import { InputError } from "../../provider/core/errors";
import { quote } from "../../provider/core/problem";
import { hostIn, normalName } from "../../provider/core/reference";
import { GRANT_KINDS, grantKindOn, type GrantKind } from "../plan/grant-kinds";

/** A resource with an access policy, and the kind of grant that is on it. */
export interface NamedResource extends GrantKind {
  /** Relative name. */
  name: string;
}

/**
 * Finds the resource of a name.
 *
 * @param text relative name, full name (`//healthcare.googleapis.com/projects/…`) or URL
 * @throws InputError that lists the valid forms
 */
export function resourceNamed(text: string): NamedResource {
  const name = normalName(text);
  const kind = grantKindOn(name);
  if (!kind) throw wrong(`must be the name of ${forms()}; got ${quote(text)}`);
  const host = hostIn(text);
  const own = `${kind.reference.api}.googleapis.com`;
  if (host !== undefined && host !== own) {
    throw wrong(`must have no host, or the host of ${kind.reference.kind}, ${own}; got ${quote(text)}`);
  }
  return { ...kind, name };
}

function forms(): string {
  const all = GRANT_KINDS.map(
    ({ reference }) => `${reference.kind} (${reference.templates.map((each) => each.template).join(" or ")})`,
  );
  return [...new Set(all)].join(", ");
}

function wrong(reason: string): InputError {
  return new InputError("No resource with an access policy has this name", [{ path: "RESOURCE", reason }]);
}
