import type { JSX } from "preact";
import { fullNameOf } from "./names";
import { Empty } from "./parts";
import { link } from "./route";
import type { Resource } from "./types";

/** The resources of several APIs that a name may mean, by their full names. */
export function SharedName({ page, resources }: { page: string; resources: readonly Resource[] }): JSX.Element {
  return (
    <Empty title={`${resources.length} APIs have a resource of this name.`}>
      <ul>
        {resources.map((resource) => (
          <li key={resource.service}>
            <a href={link(page, { name: fullNameOf(resource) })}>{fullNameOf(resource)}</a>
          </li>
        ))}
      </ul>
    </Empty>
  );
}
