import type { JSX } from "preact";
import { labelsOf, nameParts, serviceTitle, stateOf, stateTone } from "./names";
import { Badge, Empty, HowToConnect, None, Search, ShortList, useStore } from "./parts";
import { link, replaceRoute } from "./route";
import type { Resource } from "./types";

const FIRST_SHOWN = 100;

/** All resources by project and service. */
export function ResourcesPage({ parameters }: { parameters: URLSearchParams }): JSX.Element {
  const { resources } = useStore();
  const find = parameters.get("find") ?? "";
  const found = resources.filter((resource) => matches(resource, find));
  return (
    <>
      <header class="page-head">
        <h1 tabIndex={-1}>Resources</h1>
        <span class="count">
          {found.length === resources.length ? found.length : `${found.length} of ${resources.length}`}
        </span>
        <Search
          label="Find by name, state or label"
          value={find}
          onChange={(text) => replaceRoute("resources", text === "" ? {} : { find: text })}
        />
      </header>
      {resources.length === 0 ? (
        <Empty title="The emulator has no resources.">
          <HowToConnect />
          <p>
            Or load some: <a href={link("faults")}>seed a file or the demo project</a>.
          </p>
        </Empty>
      ) : found.length === 0 ? (
        <Empty title={`Nothing matches “${find}”.`}>
          <p>The search covers names, states and labels such as env=prod.</p>
        </Empty>
      ) : (
        <Groups resources={found} />
      )}
    </>
  );
}

function matches(resource: Resource, find: string): boolean {
  const labels = labelsOf(resource).map(([key, value]) => `${key}=${value}`);
  const text = [resource.name, resource.service, stateOf(resource) ?? "", ...labels].join(" ").toLowerCase();
  return find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function Groups({ resources }: { resources: readonly Resource[] }): JSX.Element {
  return (
    <>
      {grouped(resources, ({ name }) => nameParts(name).owner).map(([owner, owned]) => (
        <section key={owner} class="group">
          <h2>{owner.replace(/^projects\//, "")}</h2>
          <ShortList items={sorted(owned)} first={FIRST_SHOWN}>
            {(shown) => <OwnerTable owner={owner} resources={shown} />}
          </ShortList>
        </section>
      ))}
    </>
  );
}

/** By service and name. */
function sorted(resources: readonly Resource[]): Resource[] {
  return grouped(resources, ({ service }) => serviceTitle(service)).flatMap(([, list]) =>
    list.sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
}

function OwnerTable({ owner, resources }: { owner: string; resources: readonly Resource[] }): JSX.Element {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={`Resources of ${owner}`}>
      <table class="list list-resources">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col">Location</th>
            <th scope="col">State</th>
            <th scope="col">Labels</th>
            <th scope="col">Access</th>
          </tr>
        </thead>
        {grouped(resources, ({ service }) => serviceTitle(service)).map(([service, list]) => (
          <tbody key={service}>
            <tr>
              <th scope="rowgroup" colSpan={6} class="list-group">
                {service}
              </th>
            </tr>
            {list.map((resource) => (
              <ResourceRow key={`${resource.service} ${resource.name}`} resource={resource} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function ResourceRow({ resource }: { resource: Resource }): JSX.Element {
  const name = useStore().nameOf(resource);
  const { id, collection, location } = nameParts(name);
  const state = stateOf(resource);
  const principals = principalCount(resource);
  return (
    <tr>
      <th scope="row">
        <a href={link("resource", { name })}>{id}</a>
      </th>
      <td>{collection}</td>
      <td>{location}</td>
      <td>{state === undefined ? <None /> : <Badge tone={stateTone(state)}>{state}</Badge>}</td>
      <td>
        <Labels resource={resource} />
      </td>
      <td>
        {principals === 0 ? (
          <None />
        ) : (
          <a href={link("access", { name })}>
            {principals} {principals === 1 ? "principal" : "principals"}
          </a>
        )}
      </td>
    </tr>
  );
}

export function Labels({ resource }: { resource: Resource }): JSX.Element {
  const labels = labelsOf(resource);
  return labels.length === 0 ? (
    <None />
  ) : (
    <span class="labels">
      {labels.map(([key, value]) => (
        <span key={key} class="label">
          {key}={value}
        </span>
      ))}
    </span>
  );
}

export function principalCount({ policy }: Resource): number {
  const bindings = (policy?.bindings ?? []) as Array<{ members?: string[] }>;
  return new Set(bindings.flatMap(({ members = [] }) => members)).size;
}

/** Items by a key, both in the order of the alphabet. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Array<[string, T[]]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
