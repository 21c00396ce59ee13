/** @jsxImportSource ../picture/view */
import type { JSX, View } from "../picture/view/jsx-runtime";
import type { ReviewedResource, ReviewResult } from "../result";
import { ResourceIndex } from "./report-index";
import { ResourceReport } from "./report-resource";
import { InParts, More } from "./report-parts";
import { roomFor } from "./report-room";
import { basisText, headline, rulesToShow, stackPath, verdictText } from "./summary";
import { counted, oneLine, stepName, visible, visibleLines } from "../visible";

/** The largest numbers of entries of one kind on the page: in total, and without folding. */
const MOST = 200;
const ENTRIES_AT_ONCE = 20;

/** The content of the page about a review. */
export function Report({ result }: { result: ReviewResult }): JSX.Element {
  const { resources } = result;
  const shown = roomFor(result);
  const verdict = verdictText(result);
  const tone = { 0: "good", 2: "bad", 3: "warn" }[result.verdict.exitCode];
  const name = stackPath(result);
  const basis = basisText(result);
  return (
    <main>
      <header>
        <p class="kicker">
          {TITLES[result.operation]}
          {name !== "" && (
            <>
              {" "}
              of <strong>{visible(name)}</strong>
            </>
          )}
        </p>
        <h1>{headline(result)}.</h1>
        {verdict !== undefined && <p class={`verdict verdict-${tone}`}>{verdict}.</p>}
        {basis !== "" && <p class="soft">{visible(basis)}.</p>}
      </header>
      <Section title="Refused by the provider" entries={result.refused}>
        {({ step, resource, reason }) => (
          <>
            <strong>{stepName(step)}</strong>
            {resource !== undefined && <code class="place">{visible(resource)}</code>}
            {visibleLines(reason).map((line, index) => (
              <p key={index}>{line}</p>
            ))}
          </>
        )}
      </Section>
      <Section title="Rules" entries={rulesToShow(result)}>
        {({ rule, message, reason }) => (
          <>
            <code>{visible(rule)}</code> <span>{oneLine(message)}</span>
            {reason !== undefined && <p>Reason: {oneLine(reason)}</p>}
          </>
        )}
      </Section>
      <Section title="Unknown" entries={result.unknown}>
        {(unknown) => (
          <>
            <span>{oneLine(unknown.message)}</span>
            {unknown.step !== undefined && <p class="soft">by {stepName(unknown.step)}</p>}
          </>
        )}
      </Section>
      <ResourceIndex result={result} shown={shown} />
      {shown.map((room) => (
        <ResourceReport key={room.anchor} result={result} {...room} />
      ))}
      <More count={resources.length - shown.length} noun="resource" />
      {resources.length > 0 && <Legend resources={resources} operation={result.operation} />}
      <Section title="Allowed losses" entries={result.verdict.allowed}>
        {(sentence) => <span>{oneLine(sentence)}</span>}
      </Section>
      <Section title="What this review does not look at" entries={result.notes}>
        {(sentence) => <span>{oneLine(sentence)}</span>}
      </Section>
    </main>
  );
}

const TITLES = {
  update: "Access review of an update",
  destroy: "Access review of a destroy",
  access: "Access",
} as const;

interface SectionProps<T> {
  title: string;
  entries: readonly T[];
  children: (entry: T) => View;
}

function Section<T>({ title, entries, children }: SectionProps<T>): JSX.Element {
  if (entries.length === 0) {
    return null;
  }
  return (
    <section class="panel">
      <h2>
        {title} <span class="count">{entries.length}</span>
      </h2>
      <InParts items={entries.slice(0, MOST)} first={ENTRIES_AT_ONCE} title={(rest) => counted(rest.length, "more")}>
        {(part) => (
          <ul class="entries">
            {part.map((entry, index) => (
              <li key={index}>{children(entry)}</li>
            ))}
          </ul>
        )}
      </InParts>
      <More count={entries.length - MOST} noun="entry" plural="entries" />
    </section>
  );
}

interface LegendProps {
  resources: readonly ReviewedResource[];
  operation: ReviewResult["operation"];
}

function Legend({ resources, operation }: LegendProps): JSX.Element {
  const changes = resources.some((each) => each.changes.length > 0);
  const by = operation === "access" ? "came since then" : "comes with this plan";
  const gone = operation === "access" ? "gone since then" : "goes with this plan";
  return (
    <p class="soft legend">
      ● has the role · ◐ has it under the numbered condition{changes && ` · + ${by} · struck through: ${gone}`}
    </p>
  );
}
