/** @jsxImportSource ../picture/view */
import type { JSX, View } from "../picture/view/jsx-runtime";
import { counted, visible } from "../visible";

/** Shows the number of omitted entries, if any. */
export function More({
  count,
  noun,
  plural = `${noun}s`,
}: {
  count: number;
  noun: string;
  plural?: string;
}): JSX.Element {
  return count > 0 ? (
    <p class="soft">
      {counted(count, `more ${noun} is`, `more ${plural} are`)} not shown here: <code>--format json</code> has all.
    </p>
  ) : null;
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
export function RoleName({ role }: { role: string }): JSX.Element {
  const parts = visible(role).split(/(?<=[/.])|(?=[A-Z])/);
  return <code>{parts.flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]))}</code>;
}
