/** @jsxImportSource ../../../access-picture/view */
import { AccessPicture, Member } from "../../../access-picture/picture";
import type { JSX } from "../../../access-picture/view/jsx-runtime";
import type { ReviewedGrant, ReviewedResource, ReviewResult } from "../result";
import { conditionChangeText, conditionText } from "./condition";
import { More, RoleName } from "./report-parts";
import { changeWord, grantsInOrder, othersWithoutAccess, remarks, type PlacedChange } from "./told";
import { counted, oneLine, stepName, visible } from "./visible";

const UNMANAGED_SHOWN = 50;
const MOST_OTHERS = 100;

export interface ResourceReportProps {
  resource: ReviewedResource;
  operation: ReviewResult["operation"];
  /** Its changes that the page has room for. */
  changes: readonly PlacedChange[];
  /** Rows that the picture may have; 0: no room for it. */
  pictureRows: number;
}

/** One resource: what changes, the picture of before and after, and what is beside it. */
export function ResourceReport({ resource, operation, changes, pictureRows }: ResourceReportProps): JSX.Element {
  const name = visible(resource.resource);
  const others = othersWithoutAccess(resource);
  return (
    <section class="panel">
      <h2>
        {name.slice(name.lastIndexOf("/") + 1)} <span class="kind">{visible(resource.kind)}</span>
      </h2>
      <p class="place">
        <code>{name}</code> · {visible(resource.api)} API
        {resource.endpoint !== undefined && ` at ${visible(resource.endpoint)}`}
      </p>
      {resource.unknown.map(({ message, step }, index) => (
        <p key={index} class="unknown">
          Not known: {oneLine(message)}
          {step !== undefined && <span class="step">by {stepName(step)}</span>}
        </p>
      ))}
      <Changes changes={changes} place={name} operation={operation} />
      <More count={resource.changes.length - changes.length} noun="change" />
      {others.length > 0 && (
        <p class="others">
          <span class="badge">no access left</span> {others.slice(0, MOST_OTHERS).map(visible).join(", ")}
        </p>
      )}
      <More count={others.length - MOST_OTHERS} noun="principal" />
      <Picture resource={resource} operation={operation} rows={pictureRows} />
      <Unmanaged grants={resource.unmanaged} />
    </section>
  );
}

interface ChangesProps {
  changes: readonly PlacedChange[];
  place: string;
  operation: ReviewResult["operation"];
}

function Changes({ changes, place, operation }: ChangesProps): JSX.Element {
  if (changes.length === 0) {
    return null;
  }
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
    <tr>
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

type PictureProps = Pick<ResourceReportProps, "resource" | "operation"> & { rows: number };

function Picture({ resource, operation, rows }: PictureProps): JSX.Element {
  const { resource: name, endpoint, before, after, changes } = resource;
  if (after === null) {
    return <p class="soft">There is no picture: the policy is not known.</p>;
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
    />
  );
}

type Bindings = NonNullable<ReviewedResource["after"]>;

/** The picture escapes texts for HTML; what could turn or hide them is of no use to it either. */
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
