import type { JSX } from "preact";
import type { PolicyLike } from "../../../picture/grants";
import { comparedGrants } from "./compared-grants";
import { differences, type Difference } from "./fields";
import { authorText } from "./names";
import { Choice, Empty, None, Table, Time } from "./parts";
import { replaceRoute } from "./route";
import type { ResourceVersion } from "./types";
import { versionChoices } from "./versions";

interface ResourceHistoryProps {
  name: string;
  /** Oldest first. */
  versions: readonly ResourceVersion[];
  /** `from` and `to`: `seq` of the versions to compare. */
  parameters: URLSearchParams;
}

/** How a resource came to be what it is, newest first; any two of its versions can be compared. */
export function ResourceHistory({ name, versions, parameters }: ResourceHistoryProps): JSX.Element {
  if (versions.length === 0) {
    return (
      <Empty title="This resource has no known history.">
        <p>The emulator keeps the newest 100 versions of each resource since its start.</p>
      </Empty>
    );
  }
  const newestFirst = versions.map((version, index) => ({ version, before: versions[index - 1] })).reverse();
  return (
    <>
      <Comparison name={name} versions={versions} parameters={parameters} />
      <ol class="changes">
        {newestFirst.map(({ version, before }) => (
          <li key={version.seq}>
            <Change version={version} before={before} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** The differences of two versions, in the order that they are chosen in. */
function Comparison({ name, versions, parameters }: ResourceHistoryProps): JSX.Element {
  const [from, to] = [parameters.get("from") ?? "", parameters.get("to") ?? ""];
  const before = versions.find(({ seq }) => String(seq) === from);
  const after = versions.find(({ seq }) => String(seq) === to) ?? versions.at(-1);
  const choose = (chosen: { from?: string; to?: string }): void =>
    replaceRoute("resource", { name, tab: "history", from, to, ...chosen });
  return (
    <section class="group" aria-label="Comparison">
      <div class="tools tools-left">
        <Choice
          label="Compare"
          none="choose a version"
          value={before === undefined ? "" : from}
          options={versionChoices(versions)}
          onChange={(seq) => choose({ from: seq })}
        />
        <Choice
          label="with"
          none="the latest version"
          value={to}
          options={versionChoices(versions)}
          onChange={(seq) => choose({ to: seq })}
        />
      </div>
      {before !== undefined && after !== undefined && (
        <Differences
          caption="Fields of the first and of the second version"
          found={versionDifferences(before, after)}
        />
      )}
    </section>
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
  const found = versionDifferences(before, version);
  return (
    <details open={found.length <= 12 && before !== undefined}>
      <summary>
        <strong>{what}</strong> <Time at={time} /> <span class="soft">by {authorText(author)}</span>
        {author.method !== undefined && <code>{author.method}</code>}
      </summary>
      <Differences caption="Fields before and after" found={found} />
    </details>
  );
}

function Differences({ caption, found }: { caption: string; found: readonly Difference[] }): JSX.Element {
  if (found.length === 0) {
    return <p class="soft">There is no difference.</p>;
  }
  return (
    <Table class="difference" caption={caption} columns={["Field", "Before", "After"]}>
      {found.map(({ path, before: old, after }) => (
        <tr key={`${path} ${old ?? ""} ${after ?? ""}`}>
          <th scope="row">{path}</th>
          <td class={old === undefined ? "" : "was"}>{old ?? <None />}</td>
          <td class={after === undefined ? "" : "is"}>{after ?? <None />}</td>
        </tr>
      ))}
    </Table>
  );
}

function versionDifferences(before: ResourceVersion | undefined, after: ResourceVersion): Difference[] {
  return [...differences(before?.body ?? {}, after.body ?? {}), ...policyDifferences(before?.policy, after.policy)];
}

/** By grants, because the places of bindings and members in a policy mean nothing; and what else it holds. */
function policyDifferences(before: PolicyLike | null | undefined, after: PolicyLike | null): Difference[] {
  const grants = comparedGrants(after, before ?? null).flatMap(({ role, member, condition, change }): Difference[] => {
    const path = condition === undefined ? role : `${role}, if ${condition.title ?? "a condition holds"}`;
    return change === undefined ? [] : [change === "added" ? { path, after: member } : { path, before: member }];
  });
  return [...grants, ...differences({ auditConfigs: before?.auditConfigs }, { auditConfigs: after?.auditConfigs })];
}
