import type { JSX } from "preact";
import { Fields } from "./fields";
import { nameParts, placeText, stateOf, stateTone } from "./names";
import { Badge, CopyButton, Empty, useStore } from "./parts";
import { ResourceHistory } from "./resource-history";
import { SharedName } from "./shared-name";
import { Labels } from "./resources";
import { PolicyHistory } from "./policy-history";
import { link } from "./route";
import { useHistory } from "./versions";

const TABS = [
  ["fields", "Fields"],
  ["policy", "Policy"],
  ["history", "History"],
] as const;

/** One resource: its fields, its policy, and how it came to be so. It can be looked at after it is gone. */
export function ResourcePage({ parameters }: { parameters: URLSearchParams }): JSX.Element {
  const held = useStore();
  const name = parameters.get("name") ?? "";
  const tab = TABS.find(([key]) => key === parameters.get("tab"))?.[0] ?? "fields";
  const named = held.named(name);
  const [resource] = named;
  const versions = useHistory(name);
  if (named.length > 1) {
    return (
      <>
        <header class="page-head">
          <h1 tabIndex={-1}>{nameParts(name).id}</h1>
        </header>
        <SharedName page="resource" resources={named} />
      </>
    );
  }
  const service = resource?.service ?? versions?.at(-1)?.service ?? "";
  const { id } = nameParts(name);
  const place = placeText(name, service);
  const state = resource && stateOf(resource);
  return (
    <>
      <nav class="trail" aria-label="Breadcrumb">
        <a href={link("resources")}>Resources</a>
        {place !== "" && ` / ${place}`}
      </nav>
      <header class="page-head">
        <h1 tabIndex={-1}>{id || name || "No resource"}</h1>
        {state !== undefined && <Badge tone={stateTone(state)}>{state}</Badge>}
        {resource === undefined && <Badge tone="warn">{versions?.length === 0 ? "unknown" : "removed"}</Badge>}
      </header>
      <p class="full-name">
        <code>{name}</code> <CopyButton text={name} />
      </p>
      <nav class="tabs" aria-label="Parts of this resource">
        {TABS.map(([key, title]) => (
          <a key={key} href={link("resource", { name, tab: key })} aria-current={key === tab ? "page" : undefined}>
            {title}
            {key === "history" && versions !== undefined && <span class="count">{versions.length}</span>}
          </a>
        ))}
      </nav>
      <h2 class="hidden">{TABS.find(([key]) => key === tab)?.[1]}</h2>
      {tab === "fields" &&
        (resource === undefined ? (
          <Empty title="This resource does not exist now.">
            <p>If it existed in this run, its history shows its versions.</p>
          </Empty>
        ) : (
          <>
            <p>
              <Labels resource={resource} />
            </p>
            <Fields value={withoutName(resource.body)} />
          </>
        ))}
      {tab === "policy" && <PolicyHistory name={name} parameters={parameters} page="resource" />}
      {tab === "history" && <ResourceHistory name={name} versions={versions ?? []} parameters={parameters} />}
    </>
  );
}

function withoutName({ name: _name, ...fields }: Record<string, unknown>): Record<string, unknown> {
  return fields;
}
