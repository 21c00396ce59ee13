/** @jsxImportSource ../../../picture/view */
import type { JSX } from "../../../picture/view/jsx-runtime";
import { nameParts, serviceTitle, splitName } from "./names";
import { link } from "./route";

/** The head of a row about a resource in the access picture. */
export function ResourceHead({ name }: { name: string }): JSX.Element {
  const { id, collection, owner } = nameParts(name);
  const { service } = splitName(name);
  return (
    <span class="access-member" title={name}>
      <a href={link("access", { name })}>{id}</a>
      <span class="access-kind">
        {service === undefined ? "" : `${serviceTitle(service)}, `}
        {collection}, {owner.replace(/^projects\//, "")}
      </span>
    </span>
  );
}
