import type { JSX } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { authorText } from "./names";
import { Time, timeText, useStore } from "./parts";
import type { ResourceVersion } from "./types";

/** The current versions of a resource, oldest first; undefined until they are loaded. */
export function useHistory(name: string): ResourceVersion[] | undefined {
  const { loadHistory, history } = bound(useStore());
  useEffect(() => {
    if (name !== "" && history(name) === undefined) {
      void loadHistory(name);
    }
  }, [name]);
  return history(name);
}

function bound(held: ReturnType<typeof useStore>): Pick<typeof held, "loadHistory" | "history"> {
  return { loadHistory: (name) => held.loadHistory(name), history: (name) => held.history(name) };
}

/** Versions to choose from, newest first, by their `seq`. */
export function versionChoices(versions: readonly ResourceVersion[]): Array<[seq: string, title: string]> {
  return versions
    .map(({ seq, time, author }, index): [string, string] => [
      String(seq),
      `Version ${index + 1}, ${timeText(time)}, by ${authorText(author)}`,
    ])
    .reverse();
}

interface StepperProps {
  versions: readonly ResourceVersion[];
  /** The version that is shown. */
  index: number;
  /** undefined for the latest version, also when new ones arrive. */
  onStep: (version: ResourceVersion | undefined) => void;
}

/** Steps through versions in time: with buttons, a slider, and the keys `[` and `]`. */
export function VersionStepper({ versions, index, onStep }: StepperProps): JSX.Element {
  const last = versions.length - 1;
  const shown = versions[index];
  const go = (to: number): void => {
    if (to >= 0 && to <= last) {
      onStep(to === last ? undefined : versions[to]);
    }
  };
  // In the step that shows a version, so that a key always acts on what is shown.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (!isTyping && !event.ctrlKey && !event.metaKey && !event.altKey && (event.key === "[" || event.key === "]")) {
        go(index + (event.key === "[" ? -1 : 1));
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
  return (
    <div class="stepper" role="group" aria-label="Versions in time">
      <button type="button" disabled={index <= 0} onClick={() => go(index - 1)} title="Earlier version: [">
        ← Earlier
      </button>
      <input
        type="range"
        min={0}
        max={Math.max(last, 0)}
        value={index}
        disabled={last <= 0}
        aria-label="Version"
        aria-valuetext={`Version ${index + 1} of ${versions.length}`}
        onInput={(event) => go(event.currentTarget.valueAsNumber)}
      />
      <button type="button" disabled={index >= last} onClick={() => go(index + 1)} title="Later version: ]">
        Later →
      </button>
      <p class="stepper-text" role="status">
        <strong>
          Version {index + 1} of {versions.length}
        </strong>
        {shown && (
          <>
            {" "}
            · <Time at={shown.time} /> · written by {authorText(shown.author)}
          </>
        )}
      </p>
    </div>
  );
}
