import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PolicyLike } from "../../../access-picture/grants";
import { AccessPicture } from "../../../access-picture/picture";
import { Empty, Search } from "./parts";
import { link } from "./route";
import type { ResourceVersion } from "./types";
import { useHistory, VersionStepper } from "./versions";
import { View } from "./view";

interface PolicyHistoryProps {
  name: string;
  /** `seq` of the version to show; null shows the latest one, also when there comes another. */
  version: string | null;
  /** The page that it is a part of, for its addresses. */
  page: "access" | "resource";
}

/** The access picture of a resource, with steps back and forth through the versions of its policy. */
export function PolicyHistory({ name, version, page }: PolicyHistoryProps): JSX.Element {
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
  const asked = steps.findIndex(({ seq }) => String(seq) === version);
  const index = asked < 0 ? steps.length - 1 : asked;
  const shown = steps[index];
  const before = steps[index - 1];
  const go = (to: ResourceVersion | undefined): void => {
    location.hash = link(page, {
      name,
      ...(page === "resource" && { tab: "policy" }),
      ...(to && { version: String(to.seq) }),
    });
  };
  return (
    <>
      <div class="tools">
        <VersionStepper versions={steps} index={index} onStep={go} />
        <Search label="Find a principal in this policy" value={find} onChange={setFind} />
      </div>
      <View
        of={AccessPicture({
          policy: shown?.policy ?? null,
          before: comparison(shown, before),
          caption: `Who has access to ${name}`,
          find,
          memberLink: (member) => link("access", { member }),
        })}
      />
      <Legend />
    </>
  );
}

/** What the first policy of a seed is compared with is nothing: nobody wrote it. */
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
      ● has the role · ◐ has it under the numbered condition · + came with this write · struck through: gone with it ·{" "}
      <kbd>[</kbd> <kbd>]</kbd> step through the versions
    </p>
  );
}
