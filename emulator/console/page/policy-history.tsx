import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PolicyLike } from "../../../picture/grants";
import { AccessPicture } from "../../../picture/picture";
import { comparedGrants } from "./compared-grants";
import { nameParts } from "./names";
import { Choice, Empty, Search } from "./parts";
import { link } from "./route";
import type { ResourceVersion } from "./types";
import { useHistory, versionChoices, VersionStepper } from "./versions";
import { View } from "./view";

interface PolicyHistoryProps {
  name: string;
  /**
   * `version`: the `seq` of the version to show, by default always the latest. `with`: the `seq` of the version to compare
   * with, by default the previous version.
   */
  parameters: URLSearchParams;
  /** The page that contains it, for its addresses. */
  page: "access" | "resource";
}

/** The access picture of a resource, with controls to step through the versions of its policy. */
export function PolicyHistory({ name, parameters, page }: PolicyHistoryProps): JSX.Element {
  const versions = useHistory(name);
  const [find, setFind] = useState("");
  if (versions === undefined) {
    return <p class="soft">Loading …</p>;
  }
  const steps = versions.filter(
    ({ changed, policy }, index) => changed.includes("policy") || (index === 0 && policy !== null),
  );
  if (steps.length === 0) {
    return (
      <Empty title="This resource has no policy of its own.">
        <p>
          Grant somebody a role on it, for example with a setIamPolicy call or a grant of your program: the picture
          appears here at once.
        </p>
      </Empty>
    );
  }
  const asked = steps.findIndex(({ seq }) => String(seq) === parameters.get("version"));
  const index = asked < 0 ? steps.length - 1 : asked;
  const shown = steps[index];
  const other = steps.find(({ seq }) => String(seq) === parameters.get("with"));
  const go = (version: string | undefined, against: string | undefined): void => {
    location.hash = link(page, {
      name,
      ...(page === "resource" && { tab: "policy" }),
      ...(version !== undefined && { version }),
      ...(against !== undefined && { with: against }),
    });
  };
  const policy: PolicyLike | null = shown?.policy ?? null;
  const before = other === undefined ? comparison(shown, steps[index - 1]) : other.policy;
  const shownSeq = index === steps.length - 1 ? undefined : String(shown?.seq);
  return (
    <>
      <div class="tools">
        <VersionStepper
          versions={steps}
          index={index}
          onStep={(to) => go(to && String(to.seq), other && String(other.seq))}
        />
        <Choice
          label="Compared with"
          none="the version before"
          value={other === undefined ? "" : String(other.seq)}
          options={versionChoices(steps)}
          onChange={(seq) => go(shownSeq, seq === "" ? undefined : seq)}
        />
        <Search label="Find a principal in this policy" value={find} onChange={setFind} />
      </div>
      <View
        of={AccessPicture({
          grants: comparedGrants(policy, before),
          isCompared: before !== undefined,
          auditConfigs: policy?.auditConfigs,
          changedBy: other === undefined ? "write" : "version",
          caption: `Who has access to ${name}`,
          find,
          memberLink: (member) => link("access", { member }),
        })}
      />
      <Legend />
      {shown?.policy && (
        <p>
          <a
            class="button"
            href={asJsonFile(shown.policy)}
            download={`${nameParts(name).id.replaceAll(" / ", "-")}-policy.json`}
          >
            Download this policy
          </a>
        </p>
      )}
    </>
  );
}

/** A data URL of a file for commands such as `gcloud … set-iam-policy`. */
function asJsonFile(value: object): string {
  return `data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify(value, null, 2))}`;
}

/** The first policy of a seed is not compared, because no request wrote it. */
function comparison(
  shown: ResourceVersion | undefined,
  before: ResourceVersion | undefined,
): PolicyLike | null | undefined {
  if (before !== undefined) {
    return before.policy;
  }
  return shown?.author.by === "request" || shown?.author.by === "control" ? null : undefined;
}

function Legend(): JSX.Element {
  return (
    <p class="legend soft">
      ● has the role · ◐ has it under the numbered condition · + added · ⊘ and struck through: removed · <kbd>[</kbd>{" "}
      <kbd>]</kbd> step through the versions
    </p>
  );
}
