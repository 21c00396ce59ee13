/** @jsxImportSource ../picture/view */
import type { JSX } from "../picture/view/jsx-runtime";
import type { ReviewResult } from "../result";
import { countsOf, KINDS, type Kind, type ReportRoom } from "./report-room";
import { counted, visible } from "../visible";

/** The index: links to the resources with their counts, and a filter for the changes. */
export function ResourceIndex({ result, shown }: { result: ReviewResult; shown: readonly ReportRoom[] }): JSX.Element {
  if (shown.length < 2) {
    return null;
  }
  return (
    <nav class="panel" aria-labelledby="index-title">
      <h2 id="index-title">
        Resources <span class="count">{result.resources.length}</span>
      </h2>
      <Filter result={result} />
      <ul class="index">
        {shown.map(({ anchor, resource }) => (
          <li key={anchor} class={kindClasses(countsOf(resource))}>
            <a href={`#${anchor}`}>{shortName(visible(resource.resource))}</a>{" "}
            <Tallies counts={countsOf(resource)} isShort />
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The filter. It needs no script, because styles hide what is not chosen (`filterStyles`). */
function Filter({ result: { resources } }: { result: ReviewResult }): JSX.Element {
  const all = resources.map(countsOf);
  const found = KINDS.map(([kind, , one, many]) => {
    const count = all.reduce((sum, counts) => sum + counts[kind], 0);
    return { kind, count, text: counted(count, one, many) };
  }).filter(({ count }) => count > 0);
  if (found.length < 2) {
    return null;
  }
  return (
    <fieldset class="filter">
      <legend>Show</legend>
      <label>
        <input type="radio" name="show" checked={true} /> everything
      </label>
      {found.map(({ kind, text }) => (
        <label key={kind}>
          <input type="radio" name="show" id={`show-${kind}`} /> {text}
        </label>
      ))}
    </fieldset>
  );
}

/** On a screen, choosing a kind hides all other resources and changes. A printed page has all. */
export const filterStyles = `.filter { display: none; }
@supports selector(:has(*)) { @media screen {
.filter { display: flex; }
${KINDS.map(
  ([kind]) =>
    `main:has(#show-${kind}:checked) :is(.resource:not(.has-${kind}), .index li:not(.has-${kind}), .changes tbody tr:not(.has-${kind})) { display: none; }`,
).join("\n")}
} }
`;

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
      {KINDS.flatMap(([kind, sign, one, many]) =>
        counts[kind] > 0
          ? [
              <span key={kind} class={`change-${kind}`}>
                {sign}
                {counts[kind].toLocaleString("en-US")}
                <span class={isShort ? "access-hidden" : ""}> {counts[kind] === 1 ? one : many}</span>
              </span>,
              " ",
            ]
          : [],
      )}
    </span>
  );
}

/** `clinic / records` of `projects/p/locations/l/datasets/clinic/fhirStores/records`: the ids below the location. */
function shortName(name: string): string {
  const ids = name.split("/").filter((_part, index) => index > 4 && index % 2 === 1);
  return ids.length === 0 ? name : ids.join(" / ");
}
