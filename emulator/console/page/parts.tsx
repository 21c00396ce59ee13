import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Tone } from "./names";
import { notify } from "./notices";
import { store } from "./store";

/** Renders the caller again whenever the emulator's state changes. */
export function useStore(): typeof store {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  // A layout effect runs before the next event. An effect runs later, and would miss a change in between.
  useLayoutEffect(() => store.subscribe(() => redraw()), []);
  return store;
}

/** Renders the caller again at an interval. @returns the time of the emulator's clock */
export function useNow(everyMs: number): number {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => redraw(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return store.now();
}

export function Badge({ tone = "calm", children }: { tone?: Tone; children: ComponentChildren }): JSX.Element {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

/** A time of the emulator's clock, in UTC like the times of the APIs. The date is shown only if it is not today. */
export function Time({ at }: { at: string }): JSX.Element {
  return (
    <time dateTime={at} title={at}>
      {timeText(at)}
    </time>
  );
}

export function timeText(at: string): string {
  const [day, time] = [at.slice(0, 10), at.slice(11, 19)];
  return new Date(store.now()).toISOString().startsWith(day) ? time : `${day} ${time}`;
}

/** An empty page or list, with a hint what to do. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** How programs connect to this emulator. */
export function HowToConnect(): JSX.Element {
  const line = `export PERIMETER_EMULATOR_HOST=${location.host}`;
  return (
    <p>
      Send a program here with <code>{line}</code> <CopyButton text={line} />
    </p>
  );
}

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    } catch {
      // Browsers refuse this on a page that comes from another machine without TLS.
      notify(new Error("The browser does not let this page copy. Select the text and copy it."));
    }
  };
  return (
    <button type="button" class="small" onClick={() => void copy()}>
      {isCopied ? "Copied" : label}
    </button>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: ReadonlyArray<readonly [value: string, title: string]>;
  /** The option for no choice; null if a choice is required. @default "any" */
  none?: string | null;
  onChange: (value: string) => void;
}

/** A list to choose one value from, or no value (`""`) unless `none` is null. */
export function Choice({ label, value, options, none = "any", onChange }: ChoiceProps): JSX.Element {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {none !== null && <option value="">{none}</option>}
        {options.map(([key, title]) => (
          <option key={key} value={key}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** An empty cell of a table. */
export function None(): JSX.Element {
  return <span class="soft none">–</span>;
}

interface TableProps {
  /** Text for screen readers only. */
  caption: string;
  columns: readonly string[];
  /** The kind of list, for its styles. */
  class: string;
  /** The rows. */
  children: ComponentChildren;
}

/** A table that scrolls sideways in a narrow window. */
export function Table({ caption, columns, class: kind, children }: TableProps): JSX.Element {
  return (
    <div class="table-scroll">
      <table class={`list ${kind}`}>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

interface SearchProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** The first one on a page gets the focus when the user types `/`. */
export function Search({ label, value, onChange }: SearchProps): JSX.Element {
  return (
    <input
      type="search"
      class="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface ShortListProps<T> {
  items: readonly T[];
  /** The number of entries to show at first. */
  first: number;
  children: (shown: readonly T[]) => ComponentChildren;
}

/** A list that shows its first entries, and more on demand. */
export function ShortList<T>({ items, first, children }: ShortListProps<T>): JSX.Element {
  const [limit, setLimit] = useState(first);
  const left = items.length - limit;
  return (
    <>
      {children(items.slice(0, limit))}
      {left > 0 && (
        <button type="button" class="more" onClick={() => setLimit(limit + first * 4)}>
          Show {Math.min(left, first * 4)} more of {items.length}
        </button>
      )}
    </>
  );
}

interface ConfirmProps {
  title: string;
  /** The text that says what is lost. */
  text: string;
  action: string;
  onDone: (isConfirmed: boolean) => void;
}

/** Asks for confirmation before something is deleted. The dialog opens when it is rendered; Escape means no. */
export function Confirm({ title, text, action, onDone }: ConfirmProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={() => onDone(dialog.current?.returnValue === "yes")}>
      <h2 id="confirm-title">{title}</h2>
      <p>{text}</p>
      <div class="buttons">
        <button type="button" autofocus onClick={() => dialog.current?.close("no")}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={() => dialog.current?.close("yes")}>
          {action}
        </button>
      </div>
    </dialog>
  );
}
