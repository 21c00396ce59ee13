/** @jsxImportSource ./view */
import type { JSX, View } from "./view/jsx-runtime";
import { grantsOf, type Grant, type PolicyLike } from "./grants";
import { isChanged, matrixOf, partOf, type Mark, type Matrix } from "./matrix";
import { compareMembers, compareText, memberParts } from "./members";

export interface AccessPictureProps {
  /** The grants of the policy, with marks at those that a change adds or removes. */
  grants: readonly Grant[];
  /** Whether the grants are compared with another policy. @default false */
  isCompared?: boolean;
  auditConfigs?: PolicyLike["auditConfigs"] | undefined;
  /** The label of the table for screen readers, e.g. the name of the resource. */
  caption: string;
  /** Shows only members that contain this text, in any letter case. */
  find?: string;
  /** The largest number of members. @default 300 */
  limit?: number;
  /** The URL of a page about a member. Without it, members are plain text. */
  memberLink?: (member: string) => string;
  /** What changed the policy: one write, several writes, a planned update, or an unknown writer. @default "write" */
  changedBy?: keyof typeof CHANGE_WORDS;
  /** For a report: rows with a change come first. Rows without a change and rows after the first 30 are folded. */
  isFolded?: boolean;
}

const DEFAULT_LIMIT = 300;
/** The number of rows that a folded picture shows. */
const ROWS_AT_ONCE = 30;

/**
 * Who has access to one resource: principals by roles, with conditions marked and the last change highlighted. It depends on
 * policies only, so a page can draw it live and a report can contain it as HTML (`accessPictureHtml`).
 */
export function AccessPicture({
  grants: all,
  isCompared = false,
  auditConfigs = [],
  caption,
  find,
  limit,
  memberLink,
  changedBy = "write",
  isFolded = false,
}: AccessPictureProps): JSX.Element {
  const wanted = (find ?? "").toLowerCase();
  const grants = all.filter(({ member }) => member.toLowerCase().includes(wanted));
  const matrix = matrixOf(grants, {
    rowOf: ({ member }) => member,
    compareRows: compareMembers,
    limit: limit ?? DEFAULT_LIMIT,
  });
  const table = {
    corner: "Principal",
    rowHead: (member: string) => <Member member={member} link={memberLink} />,
  };
  return (
    <div class="access">
      {isCompared && <ChangeSummary grants={all} words={CHANGE_WORDS[changedBy]} />}
      {grants.length === 0 ? (
        <p class="access-none">
          {all.length === 0
            ? "Nobody has been granted a role on this resource itself."
            : `No member contains “${find}”.`}
        </p>
      ) : (
        <>
          {isFolded ? (
            <FoldedTables matrix={matrix} isCompared={isCompared} caption={caption} {...table} />
          ) : (
            <MatrixTable matrix={matrix} caption={caption} {...table} />
          )}
          <Omitted matrix={matrix} hint={find === undefined ? "" : " Search for a name to see them."} />
        </>
      )}
      <Conditions matrix={matrix} />
      <AuditSettings settings={auditConfigs} />
    </div>
  );
}

interface FoldedTablesProps extends MatrixTableProps {
  isCompared: boolean;
}

/** The most important rows, with the others folded below them. */
function FoldedTables({ matrix, isCompared, caption, ...table }: FoldedTablesProps): JSX.Element {
  const first = isCompared ? matrix.rows.filter(isChanged) : matrix.rows;
  const unchanged = isCompared ? matrix.rows.filter((row) => !isChanged(row)) : [];
  const folds = [
    { rows: first.slice(ROWS_AT_ONCE), which: "more", with: isCompared ? " with changes" : "" },
    { rows: unchanged, which: "unchanged", with: "" },
  ].map(({ rows, ...words }) => ({
    rows,
    title: `${rows.length} ${words.which} ${rows.length === 1 ? "principal" : "principals"}${words.with}`,
  }));
  return (
    <>
      {first.length > 0 && (
        <MatrixTable matrix={partOf(matrix, first.slice(0, ROWS_AT_ONCE))} caption={caption} {...table} />
      )}
      {folds.map(
        ({ rows, title }) =>
          rows.length > 0 && (
            <details key={title} class="access-fold">
              <summary>{title}</summary>
              <MatrixTable matrix={partOf(matrix, rows)} caption={`${caption}: ${title}`} {...table} />
            </details>
          ),
      )}
    </>
  );
}

/** Shows the number of omitted rows. */
function Omitted({ matrix: { rows, total }, hint = "" }: { matrix: Matrix; hint?: string }): JSX.Element {
  return total > rows.length ? (
    <p class="access-more">
      {total - rows.length} more are not shown.{hint}
    </p>
  ) : null;
}

export interface MemberPictureProps {
  member: string;
  /** Every resource and its policy. */
  policies: ReadonlyArray<{ name: string; policy: PolicyLike | null }>;
  resourceHead: (name: string) => View;
  limit?: number;
}

/** The access of one member: resources by roles. */
export function MemberPicture({ member, policies, resourceHead, limit }: MemberPictureProps): JSX.Element {
  const grants = policies.flatMap(({ name, policy }) =>
    grantsOf(policy)
      .filter((grant) => grant.member === member)
      .map((grant) => ({ ...grant, resource: name })),
  );
  const matrix = matrixOf(grants, {
    rowOf: (grant) => (grant as Grant & { resource: string }).resource,
    compareRows: compareText,
    limit: limit ?? DEFAULT_LIMIT,
  });
  return (
    <div class="access">
      {grants.length === 0 ? (
        <p class="access-none">{member} has no role on any resource here.</p>
      ) : (
        <>
          <MatrixTable matrix={matrix} caption={`Roles of ${member}`} corner="Resource" rowHead={resourceHead} />
          <Omitted matrix={matrix} />
        </>
      )}
      <Conditions matrix={matrix} />
    </div>
  );
}

interface MatrixTableProps {
  matrix: Matrix;
  caption: string;
  corner: string;
  rowHead: (key: string) => View;
}

function MatrixTable({ matrix: { roles, rows }, caption, corner, rowHead }: MatrixTableProps): JSX.Element {
  const table = (
    <div class="access-scroll" tabindex={0} role="region" aria-label={caption}>
      <table class="access-matrix">
        <caption class="access-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col" class="access-corner">
              {corner}
            </th>
            {roles.map((role) => (
              <th scope="col" key={role}>
                <Role role={role} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key} class={rowClass(cells)}>
              <th scope="row">{rowHead(key)}</th>
              {cells.map((marks, index) => (
                <td key={roles[index]} class={cellClass(marks)}>
                  {marks.map((mark, place) => (
                    <MarkSign key={place} mark={mark} />
                  ))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
  if (roles.length < 2) return table;
  const names = roles.map((role) => role.slice(role.lastIndexOf("/") + 1));
  return (
    <>
      {/* Only in a narrow window, which does not show the roles on the right. */}
      <p class="access-hint">
        {roles.length} roles: {names.join(", ")}. The table scrolls sideways.
      </p>
      {table}
    </>
  );
}

const CHANGE_WORDS = {
  write: { subject: "This write", add: "added", remove: "removed", change: "changed" },
  version: { subject: "Against the chosen version, this version", add: "adds", remove: "removes", change: "changes" },
  plan: { subject: "This plan", add: "adds", remove: "removes", change: "changes" },
  somebody: { subject: "Since then, somebody", add: "added", remove: "removed", change: "changed" },
} as const;

interface ChangeSummaryProps {
  grants: readonly Grant[];
  words: (typeof CHANGE_WORDS)[keyof typeof CHANGE_WORDS];
}

/** A member who loses a role under one condition and gets it under another keeps the role: that is one change. */
function ChangeSummary({ grants, words }: ChangeSummaryProps): JSX.Element {
  const counts = { added: 0, removed: 0, conditions: 0 };
  const byRole = new Map<string, { added: number; removed: number }>();
  for (const { member, role, change } of grants) {
    if (change === undefined) continue;
    const key = JSON.stringify([member, role]);
    const known = byRole.get(key) ?? { added: 0, removed: 0 };
    byRole.set(key, { ...known, [change]: known[change] + 1 });
  }
  for (const { added, removed } of byRole.values()) {
    const exchanged = Math.min(added, removed);
    counts.added += added - exchanged;
    counts.removed += removed - exchanged;
    counts.conditions += exchanged;
  }
  const parts = [
    { count: counts.added, style: "access-added-text", verb: words.add },
    { count: counts.removed, style: "access-removed-text", verb: words.remove },
    { count: counts.conditions, style: undefined, verb: `${words.change} the condition of` },
  ].filter(({ count }) => count > 0);
  return (
    <p class="access-summary">
      {parts.length === 0
        ? `${words.subject} ${words.change} no grant.`
        : [
            `${words.subject} `,
            ...parts.flatMap(({ count, style, verb }, index) => [
              index === 0 ? "" : index === parts.length - 1 ? " and " : ", ",
              <span key={verb} class={style}>
                {verb} {count} {count === 1 ? "grant" : "grants"}
              </span>,
            ]),
            ".",
          ]}
    </p>
  );
}

/** A member by name and kind. Its title has the full text of the policy. */
export function Member({ member, link }: { member: string; link?: (member: string) => string }): JSX.Element {
  const { kind, name, isPublic, isDeleted } = memberParts(member);
  const kindClass = isPublic ? "access-kind access-public" : isDeleted ? "access-kind access-deleted" : "access-kind";
  return (
    <span class="access-member" title={member}>
      {link ? <a href={link(member)}>{name}</a> : <span>{name}</span>}
      <span class={kindClass}>{kind}</span>
    </span>
  );
}

/** `roles/healthcare.fhirStoreViewer` in two lines: the service and the role. */
function Role({ role }: { role: string }): JSX.Element {
  const slash = role.lastIndexOf("/");
  const dot = role.indexOf(".", slash);
  const from = dot > slash ? role.slice(0, dot + 1) : role.slice(0, slash + 1);
  return (
    <span class="access-role" title={role}>
      <span class="access-role-from">{from}</span>
      <span class="access-role-name">{breakable(role.slice(from.length))}</span>
    </span>
  );
}

/** A name in camel case with possible line breaks before capital letters. */
function breakable(name: string): View[] {
  return name.split(/(?=[A-Z])/).flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]));
}

function MarkSign({ mark: { change, condition } }: { mark: Mark }): JSX.Element {
  const said = `${change === "removed" ? "removed" : change === "added" ? "added" : "granted"}${
    condition === undefined ? "" : `, under condition ${condition}`
  }`;
  const form = condition === undefined ? "access-full" : "access-conditional";
  return (
    <span class={`access-mark ${form} ${change === undefined ? "" : `access-${change}`}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        <circle cx="8" cy="8" r="5.5" class="access-ring" />
        {change !== "removed" &&
          (condition === undefined ? (
            <circle cx="8" cy="8" r="5.5" class="access-fill" />
          ) : (
            <path d="M8 2.5a5.5 5.5 0 0 0 0 11z" class="access-fill" />
          ))}
        {change === "removed" && <path d="M3 13 13 3" class="access-ring" />}
      </svg>
      {condition !== undefined && (
        <span class="access-number" aria-hidden="true">
          {condition}
        </span>
      )}
      {change === "added" && (
        <span class="access-sign" aria-hidden="true">
          +
        </span>
      )}
      <span class="access-hidden">{said}</span>
    </span>
  );
}

function rowClass(cells: readonly Mark[][]): string {
  const marks = cells.flat();
  return marks.length > 0 && marks.every(({ change }) => change === "removed") ? "access-row-removed" : "";
}

function cellClass(marks: readonly Mark[]): string {
  const [isAdded, isRemoved] = (["added", "removed"] as const).map((kind) =>
    marks.some(({ change }) => change === kind),
  );
  if (isAdded && isRemoved) {
    return "access-cell-changed";
  }
  return isAdded ? "access-cell-added" : isRemoved ? "access-cell-removed" : "";
}

function Conditions({ matrix: { conditions } }: { matrix: Matrix }): JSX.Element {
  if (conditions.length === 0) {
    return null;
  }
  return (
    <section class="access-section">
      <h3>Conditions</h3>
      <ol class="access-conditions">
        {conditions.map(({ title, description, expression }, index) => (
          <li key={index}>
            <span class="access-number" aria-hidden="true">
              {index + 1}
            </span>
            <div>
              <strong>{title ?? "(no title)"}</strong>
              {description !== undefined && <span class="access-description"> {description}</span>}
              <code>{expression ?? ""}</code>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

function AuditSettings({ settings }: { settings: NonNullable<PolicyLike["auditConfigs"]> }): JSX.Element {
  if (settings.length === 0) {
    return null;
  }
  return (
    <section class="access-section">
      <h3>Audit logs</h3>
      <ul class="access-audit">
        {settings.flatMap(({ service = "", auditLogConfigs = [] }, index) =>
          auditLogConfigs.map(({ logType = "", exemptedMembers = [] }, place) => (
            <li key={`${index}.${place}`}>
              <code>{logType}</code> of {service}
              {exemptedMembers.length > 0 && <>, except for {exemptedMembers.join(", ")}</>}
            </li>
          )),
        )}
      </ul>
    </section>
  );
}
