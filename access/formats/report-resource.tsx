/** @jsxImportSource ../picture/view */
import { AccessPicture, Member } from "../picture/picture";
import type { JSX } from "../picture/view/jsx-runtime";
import type { ReviewedGrant, ReviewedResource, ReviewResult } from "../result";
import { conditionChangeText, conditionText } from "./condition";
import { kindClasses, Tallies } from "./report-index";
import { InParts, More, RoleName } from "./report-parts";
import { countsOf, KINDS, type ReportRoom } from "./report-room";
import { basisOfResource, changeWord, grantsInOrder, othersWithoutAccess, remarks, type PlacedChange } from "./summary";
import { counted, oneLine, stepName, visible } from "../visible";

const UNMANAGED_SHOWN = 50;
const MOST_OTHERS = 100;
const CHANGES_AT_ONCE = 40;
/** The largest number of principals of one kind in the line of a folded resource. */
const NAMES_SHOWN = 3;

interface ResourceReportProps extends ReportRoom {
  result: ReviewResult;
}

/** A resource: its changes, the picture before and after, and its other facts. */
export function ResourceReport(props: ResourceReportProps): JSX.Element {
  const { anchor, resource, result, changes, pictureRows, isOpen } = props;
  const { operation } = result;
  const name = visible(resource.resource);
  const counts = countsOf(resource);
  const others = othersWithoutAccess(resource);
  return (
    <details class={`panel resource ${kindClasses(counts)}`} open={isOpen}>
      <summary>
        <h2>
          {name.slice(name.lastIndexOf("/") + 1)} <span class="kind">{visible(resource.kind)}</span>
        </h2>
        <Tallies counts={counts} />
        <Names resource={resource} />
      </summary>
      {/* A browser that jumps to an element inside unfolds its surroundings. */}
      <p class="place" id={anchor}>
        <code>{name}</code> · {visible(resource.api)} API
        {resource.endpoint !== undefined && ` at ${visible(resource.endpoint)}`}
        {basisOfResource(result, resource).map((fact) => ` · ${visible(fact)}`)}
      </p>
      {resource.unknown.map(({ message, step }, index) => (
        <p key={index} class="unknown">
          Unknown: {oneLine(message)}
          {step !== undefined && <span class="step">by {stepName(step)}</span>}
        </p>
      ))}
      {changes.length > 0 && (
        <InParts items={changes} first={CHANGES_AT_ONCE} title={moreChanges}>
          {(part) => <Changes changes={part} place={name} operation={operation} />}
        </InParts>
      )}
      <More count={resource.changes.length - changes.length} noun="change" />
      {others.length > 0 && (
        <p class="others">
          <span class="badge">no access left</span> {others.slice(0, MOST_OTHERS).map(visible).join(", ")}
        </p>
      )}
      <More count={others.length - MOST_OTHERS} noun="principal" />
      <Picture resource={resource} operation={operation} rows={pictureRows} />
      <Unmanaged grants={resource.unmanaged} />
    </details>
  );
}

/** `560 more changes: 260 losses, 300 gains` */
function moreChanges(rest: readonly PlacedChange[]): string {
  const kinds = KINDS.flatMap(([kind, , one, many]) => {
    const count = rest.filter(({ change }) => change.change === kind).length;
    return count > 0 ? [counted(count, one, many)] : [];
  });
  return `${counted(rest.length, "more change")}: ${kinds.join(", ")}`;
}

/** Who loses and who gains, in short, for a folded resource. */
function Names({ resource }: { resource: ReviewedResource }): JSX.Element {
  return (
    <span class="names">
      {KINDS.map(([kind, sign]) => {
        const names = new Set(
          resource.changes.filter(({ change }) => change === kind).map(({ principal }) => principal),
        );
        const rest = names.size - NAMES_SHOWN;
        return (
          names.size > 0 && (
            <span key={kind} class={`change-${kind}`}>
              {sign} {[...names].slice(0, NAMES_SHOWN).map(visible).join(", ")}
              {rest > 0 && ` and ${rest.toLocaleString("en-US")} more`}
            </span>
          )
        );
      })}
    </span>
  );
}

interface ChangesProps {
  changes: readonly PlacedChange[];
  place: string;
  operation: ReviewResult["operation"];
}

function Changes({ changes, place, operation }: ChangesProps): JSX.Element {
  return (
    <div class="table-scroll" tabindex={0} role="region" aria-label={`Changes of access to ${place}`}>
      <table class="changes">
        <thead>
          <tr>
            {["Change", "Principal", "Role", "By"].map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {changes.map((placed, index) => (
            <ChangeRow key={index} placed={placed} word={changeWord(placed.change, operation)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ChangeRow({ placed, word }: { placed: PlacedChange; word: string }): JSX.Element {
  const { change } = placed;
  const { noAccessLeft, origin } = remarks(placed);
  return (
    <tr class={kindClasses({ [change.change]: 1 })}>
      <td class={`change-${change.change}`}>{word}</td>
      <th scope="row">
        <Member member={visible(change.principal)} />
        {noAccessLeft && <span class="badge">no access left</span>}
      </th>
      <td>
        <RoleName role={change.role} />
        <ChangedCondition change={change} />
      </td>
      <td class="soft">
        {change.steps.map((step, index) => (
          <span key={index} class="step">
            {stepName(step)}
          </span>
        ))}
        {origin}
      </td>
    </tr>
  );
}

function ChangedCondition({ change }: { change: PlacedChange["change"] }): JSX.Element {
  if (change.change === "condition") {
    return <p>{conditionChangeText(change.conditionBefore, change.condition)}</p>;
  }
  return change.condition ? <p>if {conditionText(change.condition)}</p> : null;
}

type PictureProps = Pick<ResourceReportProps, "resource"> & Pick<ReviewResult, "operation"> & { rows: number };

function Picture({ resource, operation, rows }: PictureProps): JSX.Element {
  const { resource: name, endpoint, before, after, changes } = resource;
  if (after === null) {
    return <p class="soft">There is no picture: the policy is unknown.</p>;
  }
  if (rows === 0) {
    return <p class="soft">There is no room for the picture of this policy: --format json has it.</p>;
  }
  const isCompared = before !== null && (operation !== "access" || changes.length > 0);
  return (
    <AccessPicture
      policy={{ bindings: visibleBindings(after) }}
      before={isCompared ? { bindings: visibleBindings(before) } : undefined}
      caption={visible(`Who has access to ${name}${endpoint === undefined ? "" : ` at ${endpoint}`}`)}
      limit={rows}
      changedBy={operation === "access" ? "somebody" : "plan"}
      isFolded={true}
    />
  );
}

type Bindings = NonNullable<ReviewedResource["after"]>;

/** The picture escapes texts for HTML. Invisible and bidirectional characters are replaced here. */
function visibleBindings(bindings: Bindings): Bindings {
  return bindings.map(({ role, members, condition }) => ({
    role: visible(role),
    members: members.map(visible),
    ...(condition && {
      condition: {
        title: visible(condition.title),
        ...(condition.description !== undefined && { description: visible(condition.description) }),
        expression: visible(condition.expression),
      },
    }),
  }));
}

function Unmanaged({ grants }: { grants: readonly ReviewedGrant[] }): JSX.Element {
  if (grants.length === 0) {
    return null;
  }
  return (
    <details>
      <summary>{counted(grants.length, "grant")} not managed by the stack</summary>
      <ul class="entries">
        {grantsInOrder(grants)
          .slice(0, UNMANAGED_SHOWN)
          .map(({ principal, role, condition }, index) => (
            <li key={index}>
              {visible(principal)} <RoleName role={role} />
              {condition && ` if ${conditionText(condition)}`}
            </li>
          ))}
      </ul>
      <More count={grants.length - UNMANAGED_SHOWN} noun="grant" />
    </details>
  );
}
