/** @jsxImportSource ../../picture/view */
import { AccessPicture, Member } from "../../picture/picture";
import type { JSX, View } from "../../picture/view/jsx-runtime";
import { counted } from "../result/visible";
import {
  ALL_IN_JSON,
  conditionClause,
  FROM_ABOVE,
  moreText,
  UNMANAGED,
  type Kind,
  type Report,
  type ReportedChange,
  type ReportedGrant,
  type ReportedResource,
} from "./report";
import { byClause, plainText, type Entry } from "./sections";

/** Rows that a browser draws without delay. */
const MOST_RESOURCES = 200;
const MOST_CHANGES = 1000;
const MOST_CELLS = 40_000;
const MOST_ROWS = 300;
const FEWEST_ROWS = 10;
/** Rows that a page shows without folding. */
const OPEN_RESOURCES = 10;
const OPEN_CHANGES = 30;
const CHANGES_AT_ONCE = 40;
const UNMANAGED_SHOWN = 50;
const MOST_OTHERS = 100;
/** The largest number of principals of one kind in the line of a folded resource. */
const NAMES_SHOWN = 3;

/** A resource of the page. */
export interface ReportRoom {
  /** The HTML id of the resource, for links. */
  anchor: string;
  resource: ReportedResource;
  /** The changes that fit on the page. */
  changes: ReportedChange[];
  /** The number of rows for the picture; 0 when it does not fit on the page. */
  pictureRows: number;
  /** On a page with many changes, the resources are folded at first. */
  isOpen: boolean;
}

/**
 * Divides the rows of a page among the resources. The most important changes come first; pictures get rows in the order of the
 * resources.
 */
export function roomFor({ changes, resources }: Report): ReportRoom[] {
  const fitting = new Set(changes.slice(0, MOST_CHANGES));
  const isOpen = resources.length === 1 || (resources.length <= OPEN_RESOURCES && changes.length <= OPEN_CHANGES);
  let cells = MOST_CELLS;
  return resources.slice(0, MOST_RESOURCES).map((resource, index) => {
    const grants = resource.picture?.grants ?? [];
    const roles = new Set(grants.map(({ role }) => role)).size;
    const members = new Set(grants.map(({ member }) => member)).size;
    const rows = Math.min(MOST_ROWS, members, Math.floor(cells / Math.max(1, roles)));
    const pictureRows = rows < Math.min(members, FEWEST_ROWS) ? 0 : Math.max(1, rows);
    cells -= pictureRows * roles;
    const own = resource.changes.filter((each) => fitting.has(each));
    return { anchor: `resource-${index + 1}`, resource, changes: own, pictureRows, isOpen };
  });
}

/** The kinds of entries that a reader can filter by. */
export const KINDS: ReadonlyArray<{ kind: Kind; sign: string; one: string; many: string }> = [
  { kind: "lost", sign: "−", one: "loss", many: "losses" },
  { kind: "condition", sign: "~", one: "condition", many: "conditions" },
  { kind: "gained", sign: "+", one: "gain", many: "gains" },
  { kind: "unknown", sign: "?", one: "unknown", many: "unknown" },
];

interface ResourcePanelProps extends ReportRoom {
  operation: Report["operation"];
}

/** A resource: its changes, the picture before and after, and its other facts. */
export function ResourcePanel(props: ResourcePanelProps): JSX.Element {
  const { anchor, resource, changes, isOpen } = props;
  const { name, counts, othersWithoutAccess: others, endpoint } = resource;
  return (
    <details class={`panel resource ${kindClasses(counts)}`} open={isOpen}>
      <summary>
        <h2>
          {name.slice(name.lastIndexOf("/") + 1)} <span class="kind">{resource.kind}</span>
        </h2>
        <Tallies counts={counts} />
        <Names changes={resource.changes} />
      </summary>
      {/* A browser that jumps to an element inside unfolds its surroundings. */}
      <p class="place" id={anchor}>
        <code>{name}</code> · {resource.api} API
        {endpoint !== undefined && ` at ${endpoint}`}
        {resource.settings.map((fact) => ` · ${fact}`)}
      </p>
      {resource.unknown.map((entry, index) => (
        <div key={index} class="unknown">
          Unknown: <EntryText entry={entry} />
        </div>
      ))}
      {changes.length > 0 && (
        <InParts items={changes} first={CHANGES_AT_ONCE} title={moreChanges}>
          {(part) => <Changes changes={part} place={name} />}
        </InParts>
      )}
      <More count={resource.changes.length - changes.length} noun="change" />
      {others.length > 0 && (
        <p class="others">
          <span class="badge">{resource.noAccessLeft}</span> {others.slice(0, MOST_OTHERS).join(", ")}
        </p>
      )}
      <More count={others.length - MOST_OTHERS} noun="principal" />
      <Picture {...props} />
      <Grants grants={resource.unmanaged} title={UNMANAGED} />
      <Grants grants={resource.inherited} title={FROM_ABOVE} />
    </details>
  );
}

/** `560 more changes: 260 losses, 300 gains` */
function moreChanges(rest: readonly ReportedChange[]): string {
  const kinds = KINDS.flatMap(({ kind, one, many }) => {
    const count = rest.filter((change) => change.kind === kind).length;
    return count > 0 ? [counted(count, one, many)] : [];
  });
  return `${counted(rest.length, "more change")}: ${kinds.join(", ")}`;
}

/** Who loses and who gains, in short, for a folded resource. */
function Names({ changes }: Pick<ReportedResource, "changes">): JSX.Element {
  return (
    <span class="names">
      {KINDS.map(({ kind, sign }) => {
        const names = new Set(changes.filter((each) => each.kind === kind).map(({ principal }) => principal));
        const rest = names.size - NAMES_SHOWN;
        return (
          names.size > 0 && (
            <span key={kind} class={`change-${kind}`}>
              {sign} {[...names].slice(0, NAMES_SHOWN).join(", ")}
              {rest > 0 && ` and ${rest.toLocaleString("en-US")} more`}
            </span>
          )
        );
      })}
    </span>
  );
}

function Changes({ changes, place }: { changes: readonly ReportedChange[]; place: string }): JSX.Element {
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
          {changes.map((change, index) => (
            <ChangeRow key={index} change={change} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ChangeRow({ change }: { change: ReportedChange }): JSX.Element {
  const { kind, member, role, steps, wasManaged } = change;
  const condition = conditionClause(change);
  return (
    <tr class={kindClasses({ [kind]: 1 })}>
      <td class={`change-${kind}`}>{change.words}</td>
      <th scope="row">
        <Member member={member} />
        {change.left && <span class={change.noAccessLeft ? "badge" : "soft"}>{change.left.text}</span>}
      </th>
      <td>
        <RoleName role={role} />
        {condition !== undefined && <p>{condition}</p>}
      </td>
      <td class="soft">
        {steps.map((step, index) => (
          <span key={index} class="step">
            {plainText(step)}
          </span>
        ))}
        {!wasManaged && UNMANAGED}
      </td>
    </tr>
  );
}

function Picture({ resource, operation, pictureRows }: ResourcePanelProps): JSX.Element {
  const { name, endpoint, picture } = resource;
  if (picture === null) return <p class="soft">There is no picture: the policy is unknown.</p>;
  if (pictureRows === 0) return <p class="soft">This policy is too large for a picture: {ALL_IN_JSON}.</p>;
  return (
    <AccessPicture
      {...picture}
      caption={`Who has access to ${name}${endpoint === undefined ? "" : ` at ${endpoint}`}`}
      limit={pictureRows}
      changedBy={operation === "access" ? "somebody" : "plan"}
      isFolded={true}
    />
  );
}

function Grants({ grants, title }: { grants: readonly ReportedGrant[]; title: string }): JSX.Element {
  if (grants.length === 0) return null;
  return (
    <details>
      <summary>
        {counted(grants.length, "grant")} {title}
      </summary>
      <ul class="entries">
        {grants.slice(0, UNMANAGED_SHOWN).map((grant, index) => (
          <li key={index}>
            {grant.principal} <RoleName role={grant.role} /> {conditionClause(grant)}
            {grant.from !== undefined && `, ${grant.from}`}
          </li>
        ))}
      </ul>
      <More count={grants.length - UNMANAGED_SHOWN} noun="grant" />
    </details>
  );
}

export function EntryText({ entry: { text, details, steps } }: { entry: Entry }): JSX.Element {
  return (
    <>
      {text.map((piece, index) => (typeof piece === "string" ? piece : <code key={index}>{piece.name}</code>))}
      {details.map((detail, index) => (
        <p key={index}>{detail}</p>
      ))}
      {byClause(steps.map(plainText)).map((by) => (
        <p key={by} class="soft">
          {by}
        </p>
      ))}
    </>
  );
}

/** Classes such as `has-lost has-gained`, which the filter uses. */
export function kindClasses(counts: Readonly<Partial<Record<Kind, number>>>): string {
  return Object.entries(counts)
    .flatMap(([kind, count]) => (count > 0 ? [`has-${kind}`] : []))
    .join(" ");
}

/** `− 1 loss + 2 gains`. The short form has the nouns for screen readers. */
export function Tallies({ counts, isShort = false }: { counts: Record<Kind, number>; isShort?: boolean }): JSX.Element {
  return (
    <span class="tallies">
      {KINDS.filter(({ kind }) => counts[kind] > 0).flatMap(({ kind, sign, one, many }) => [
        <span key={kind} class={`change-${kind}`}>
          {sign}
          {counts[kind].toLocaleString("en-US")}
          <span class={isShort ? "access-hidden" : ""}> {counts[kind] === 1 ? one : many}</span>
        </span>,
        " ",
      ])}
    </span>
  );
}

/** Shows the number of omitted entries, if any. */
export function More({ count, noun, plural }: { count: number; noun: string; plural?: string }): JSX.Element {
  return count > 0 ? <p class="soft">{moreText(count, noun, plural)}</p> : null;
}

interface InPartsProps<T> {
  items: readonly T[];
  /** The number of entries that are shown without folding. */
  first: number;
  /** The label of the folded entries. */
  title: (rest: readonly T[]) => string;
  children: (part: readonly T[]) => View;
}

/** A long list with a folded end. */
export function InParts<T>({ items, first, title, children }: InPartsProps<T>): JSX.Element {
  const rest = items.slice(first);
  return (
    <>
      {children(items.slice(0, first))}
      {rest.length > 0 && (
        <details>
          <summary>{title(rest)}</summary>
          {children(rest)}
        </details>
      )}
    </>
  );
}

/** A role that breaks between its words: `roles/healthcare.` `fhir` `Store` `Viewer`. */
function RoleName({ role }: { role: string }): JSX.Element {
  const parts = role.split(/(?<=[/.])|(?=[A-Z])/);
  return <code>{parts.flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]))}</code>;
}
