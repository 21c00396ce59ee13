import type { JSX } from "preact";
import { comparedGrants, type PolicyLike } from "../../../access-picture/grants";
import { differences, Fields, type Difference } from "./fields";
import { authorText, nameParts, serviceTitle, stateOf, stateTone } from "./names";
import { Badge, CopyButton, Empty, Time, useStore } from "./parts";
import { Labels } from "./resources";
import { PolicyHistory } from "./policy-history";
import { link } from "./route";
import type { ResourceVersion } from "./types";
import { useHistory } from "./versions";

const TABS = [
  ["fields", "Fields"],
  ["policy", "Policy"],
  ["history", "History"],
] as const;

/** One resource: its fields, its policy, and how it came to be so. It can be looked at after it is gone. */
export function ResourcePage({ parameters }: { parameters: URLSearchParams }): JSX.Element {
  const { resources } = useStore();
  const name = parameters.get("name") ?? "";
  const tab = TABS.find(([key]) => key === parameters.get("tab"))?.[0] ?? "fields";
  const resource = resources.get(name);
  const versions = useHistory(name);
  const service = resource?.service ?? versions?.at(-1)?.service ?? "";
  const { id, collection, owner } = nameParts(name);
  const state = resource && stateOf(resource);
  return (
    <>
      <nav class="trail" aria-label="Where this is">
        <a href={link("resources")}>Resources</a> / {owner.replace(/^projects\//, "")} / {serviceTitle(service)} /{" "}
        {collection}
      </nav>
      <header class="page-head">
        <h1 tabIndex={-1}>{id === "" ? "No resource" : id}</h1>
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
          <Empty title="There is no such resource now.">
            <p>If it was here in this run, its history still shows what it was.</p>
          </Empty>
        ) : (
          <>
            <p>
              <Labels resource={resource} />
            </p>
            <Fields value={withoutName(resource.body)} />
          </>
        ))}
      {tab === "policy" && <PolicyHistory name={name} version={parameters.get("version")} page="resource" />}
      {tab === "history" && <Changes versions={versions ?? []} />}
    </>
  );
}

function withoutName({ name: _name, ...fields }: Record<string, unknown>): Record<string, unknown> {
  return fields;
}

function Changes({ versions }: { versions: readonly ResourceVersion[] }): JSX.Element {
  if (versions.length === 0) {
    return (
      <Empty title="Nothing is known of its past.">
        <p>Versions are kept from the start of the emulator, the newest 100 of each resource.</p>
      </Empty>
    );
  }
  const newestFirst = versions.map((version, index) => ({ version, before: versions[index - 1] })).reverse();
  return (
    <ol class="changes">
      {newestFirst.map(({ version, before }) => (
        <li key={version.seq}>
          <Change version={version} before={before} />
        </li>
      ))}
    </ol>
  );
}

function Change({ version, before }: { version: ResourceVersion; before: ResourceVersion | undefined }): JSX.Element {
  const { time, author, changed, body } = version;
  const what =
    body === null
      ? "Removed"
      : before === undefined || before.body === null
        ? "Created"
        : `Changed ${changed.join(" and ") || "nothing"}`;
  const found = [...differences(before?.body ?? {}, body ?? {}), ...policyDifferences(before?.policy, version.policy)];
  return (
    <details open={found.length <= 12 && before !== undefined}>
      <summary>
        <strong>{what}</strong> <Time at={time} /> <span class="soft">by {authorText(author)}</span>
        {author.method !== undefined && <code>{author.method}</code>}
      </summary>
      <div class="table-scroll">
        <table class="list difference">
          <caption class="hidden">Fields before and after</caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {found.map(({ path, before: old, after }) => (
              <tr key={`${path} ${old ?? ""} ${after ?? ""}`}>
                <th scope="row">{path}</th>
                <td class={old === undefined ? "" : "was"}>{old ?? <span class="soft">–</span>}</td>
                <td class={after === undefined ? "" : "is"}>{after ?? <span class="soft">–</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** By grants, because the places of bindings and members in a policy mean nothing; and what else it holds. */
function policyDifferences(before: PolicyLike | null | undefined, after: PolicyLike | null): Difference[] {
  const grants = comparedGrants(after, before ?? null).flatMap(({ role, member, condition, change }): Difference[] => {
    const path = condition === undefined ? role : `${role}, if ${condition.title ?? "a condition holds"}`;
    return change === undefined ? [] : [change === "added" ? { path, after: member } : { path, before: member }];
  });
  return [...grants, ...differences({ auditConfigs: before?.auditConfigs }, { auditConfigs: after?.auditConfigs })];
}
