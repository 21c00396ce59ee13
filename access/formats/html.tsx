/** @jsxImportSource ../../picture/view */
import { createHash } from "node:crypto";
import { accessStyles } from "../../picture/generated/styles";
import { toHtml } from "../../picture/html";
import type { JSX } from "../../picture/view/jsx-runtime";
import type { Answer } from "../result/result";
import { counted } from "../result/visible";
import {
  EntryText,
  InParts,
  KINDS,
  kindClasses,
  More,
  ResourcePanel,
  roomFor,
  Tallies,
  type ReportRoom,
} from "./html-resource";
import { reportStyles } from "./html-styles";
import { basisSentence, reportOf, type Kind, type Report } from "./report";
import type { Section } from "./sections";

/** The largest numbers of entries of one kind on the page: in total, and without folding. */
const MOST = 200;
const ENTRIES_AT_ONCE = 20;

/** On a screen, choosing a kind hides all other resources and changes. A printed page has all. */
const filterStyles = `.filter { display: none; }
@supports selector(:has(*)) { @media screen {
.filter { display: flex; }
${KINDS.map(
  ({ kind }) =>
    `main:has(#show-${kind}:checked) :is(.resource:not(.has-${kind}), .index li:not(.has-${kind}), .changes tbody tr:not(.has-${kind})) { display: none; }`,
).join("\n")}
} }
`;

/**
 * Formats a review as one HTML file that loads nothing else. It has no script, and the browser accepts its styles by their
 * hash only. Every text of the result is escaped.
 */
export function htmlPage(answer: Answer): string {
  const report = reportOf(answer);
  const styles = `${accessStyles}${reportStyles}${filterStyles}`;
  const hash = createHash("sha256").update(styles).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const title = [...(report.stack.length > 0 ? [report.stack.join("/")] : []), report.headline].join(": ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
${toHtml(<title>{title}</title>)}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<style>${styles}</style>
</head>
<body>
${toHtml(<Page report={report} />)}
</body>
</html>
`;
}

function Page({ report }: { report: Report }): JSX.Element {
  const { stack, verdict, tone, resources, sections, ends } = report;
  const basis = basisSentence(report);
  const shown = roomFor(report);
  return (
    <main>
      <header>
        <p class="kicker">
          {report.title}
          {stack.length > 0 && [" of ", <strong key="stack">{stack.join("/")}</strong>]}
        </p>
        <h1>{report.headline}.</h1>
        {verdict !== undefined && <p class={`verdict verdict-${tone}`}>{verdict}.</p>}
        {basis !== "" && <p class="soft">{basis}.</p>}
      </header>
      <SectionPanel {...sections.refused} />
      <SectionPanel {...sections.rules} />
      <SectionPanel {...sections.warnings} />
      <SectionPanel {...sections.unknown} />
      <Index report={report} shown={shown} />
      {shown.map((room) => (
        <ResourcePanel key={room.anchor} operation={report.operation} {...room} />
      ))}
      <More count={resources.length - shown.length} noun="resource" />
      <Legend report={report} />
      {ends.map((section) => (
        <SectionPanel key={section.title} {...section} />
      ))}
      <SectionPanel {...sections.allowed} />
      <SectionPanel {...sections.notes} />
    </main>
  );
}

function SectionPanel({ title, entries }: Section): JSX.Element {
  if (entries.length === 0) return null;
  return (
    <section class="panel">
      <h2>
        {title} <span class="count">{entries.length}</span>
      </h2>
      <InParts items={entries.slice(0, MOST)} first={ENTRIES_AT_ONCE} title={(rest) => counted(rest.length, "more")}>
        {(part) => (
          <ul class="entries">
            {part.map((entry, index) => (
              <li key={index}>
                <EntryText entry={entry} />
              </li>
            ))}
          </ul>
        )}
      </InParts>
      <More count={entries.length - MOST} noun="entry" plural="entries" />
    </section>
  );
}

/** The links to the resources with their counts, and a filter for the changes. */
function Index({ report: { resources }, shown }: { report: Report; shown: readonly ReportRoom[] }): JSX.Element {
  if (shown.length < 2) return null;
  return (
    <nav class="panel" aria-labelledby="index-title">
      <h2 id="index-title">
        Resources <span class="count">{resources.length}</span>
      </h2>
      <Filter resources={resources} />
      <ul class="index">
        {shown.map(({ anchor, resource: { name, counts } }) => (
          <li key={anchor} class={kindClasses(counts)}>
            <a href={`#${anchor}`}>{shortName(name)}</a> <Tallies counts={counts} isShort />
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The filter. It needs no script, because styles hide what is not chosen (`filterStyles`). */
function Filter({ resources }: Pick<Report, "resources">): JSX.Element {
  const count = (kind: Kind): number => resources.reduce((sum, { counts }) => sum + counts[kind], 0);
  const found = KINDS.filter(({ kind }) => count(kind) > 0);
  if (found.length < 2) return null;
  return (
    <fieldset class="filter">
      <legend>Show</legend>
      <label>
        <input type="radio" name="show" checked={true} /> everything
      </label>
      {found.map(({ kind, one, many }) => (
        <label key={kind}>
          <input type="radio" name="show" id={`show-${kind}`} /> {counted(count(kind), one, many)}
        </label>
      ))}
    </fieldset>
  );
}

/** `clinic / records` of `projects/p/locations/l/datasets/clinic/fhirStores/records`: the ids below the location. */
function shortName(name: string): string {
  const ids = name.split("/").filter((_part, index) => index > 4 && index % 2 === 1);
  return ids.length === 0 ? name : ids.join(" / ");
}

function Legend({ report: { resources, changes, operation } }: { report: Report }): JSX.Element {
  if (resources.length === 0) return null;
  const [added, removed] =
    operation === "access"
      ? ["added since then", "removed since then"]
      : ["added by this plan", "removed by this plan"];
  return (
    <p class="soft legend">
      ● has the role · ◐ has it under the numbered condition
      {changes.length > 0 && ` · + ${added} · ⊘ and struck through: ${removed}`}
    </p>
  );
}
