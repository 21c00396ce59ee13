import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { write } from "./api";
import { notify } from "./notices";
import { Confirm, useNow, useStore } from "./parts";

const STEPS: ReadonlyArray<readonly [title: string, ms: number]> = [
  ["+1 s", 1_000],
  ["+1 min", 60_000],
  ["+1 h", 3_600_000],
  ["+1 day", 86_400_000],
];

/** The emulator's clock, and how long operations take by it. */
export function TimeSection(): JSX.Element {
  const { config } = useStore();
  const now = useNow(1_000);
  const [operationMs, setOperationMs] = useState<number>();
  const advance = (ms: number): void => {
    void write("POST", "advance", { ms })
      .then(() => notify("The clock was moved forward."))
      .catch(notify);
  };
  const configure = (event: Event): void => {
    event.preventDefault();
    void write("PUT", "config", { operationMs: operationMs ?? config?.operationMs ?? 0 })
      .then(() => notify("New operations will take this long."))
      .catch(notify);
  };
  return (
    <section class="panel" aria-labelledby="time-title">
      <h2 id="time-title">Time</h2>
      <p>
        The emulator's clock shows{" "}
        <strong class="clock">{new Date(now).toISOString().slice(0, 19).replace("T", " ")} UTC</strong>. Moving it ends
        due operations and ages tokens and request ids. Only a reset moves it back.
      </p>
      <div class="buttons">
        {STEPS.map(([title, ms]) => (
          <button
            key={title}
            type="button"
            aria-label={`Advance the clock by ${title.slice(1)}`}
            onClick={() => advance(ms)}
          >
            {title}
          </button>
        ))}
      </div>
      <form class="form" onSubmit={configure}>
        <label class="choice">
          <span>Operations take (ms)</span>
          <input
            type="number"
            min={0}
            step={100}
            value={operationMs ?? config?.operationMs ?? 0}
            onInput={(event) => setOperationMs(Math.max(0, Math.trunc(event.currentTarget.valueAsNumber || 0)))}
          />
        </label>
        <button type="submit">Set</button>
      </form>
    </section>
  );
}

type Question = "reset" | "empty" | "seed";

const QUESTIONS: Readonly<Record<Question, { title: string; text: string; action: string }>> = {
  reset: {
    title: "Reset the emulator?",
    text: "All resources, policies, operations and requests are lost. The seed, switches, faults and clock of the start are restored.",
    action: "Reset",
  },
  empty: {
    title: "Reset without the seed?",
    text: "All resources, policies, operations and requests are lost, and the seed is not restored.",
    action: "Remove all resources",
  },
  seed: {
    title: "Seed these resources?",
    text: "Existing resources with the same names are replaced, including their policies. Other resources stay unchanged.",
    action: "Seed",
  },
};

/** Reset, seed, export. */
export function StateSection(): JSX.Element {
  const [asks, setAsks] = useState<Question>();
  const [seed, setSeed] = useState("");
  const act = (question: Question): Promise<string> => {
    if (question === "seed") {
      return write("POST", "seed", seed).then(() => "The resources were added.");
    }
    return write("POST", "reset", { seed: question === "reset" }).then(() => "The emulator was reset.");
  };
  const done = (isConfirmed: boolean): void => {
    setAsks(undefined);
    if (isConfirmed && asks !== undefined) {
      void act(asks).then(notify).catch(notify);
    }
  };
  const load = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) {
      setSeed(await file.text());
    }
  };
  return (
    <section class="panel" aria-labelledby="state-title">
      <h2 id="state-title">State</h2>
      <p>An export is a seed: it restores the resources and policies, here or in a test.</p>
      <div class="buttons">
        <a class="button" href="/_emulator/export" download="perimeter-seed.yaml">
          Export as YAML
        </a>
        <a class="button" href="/_emulator/export?format=json" download="perimeter-seed.json">
          Export as JSON
        </a>
      </div>
      <label class="choice choice-wide">
        <span>Seed: a file, or text in YAML or JSON</span>
        <input type="file" accept=".yaml,.yml,.json" onChange={(event) => void load(event.currentTarget.files?.[0])} />
      </label>
      <textarea
        aria-label="Seed in YAML or JSON"
        rows={6}
        spellcheck={false}
        placeholder={"- service: gkehub\n  name: projects/demo/locations/global/scopes/team-a"}
        value={seed}
        onInput={(event) => setSeed(event.currentTarget.value)}
      />
      <div class="buttons">
        <button type="button" disabled={seed.trim() === ""} onClick={() => setAsks("seed")}>
          Seed …
        </button>
        <span class="spring" />
        <button type="button" class="danger" onClick={() => setAsks("reset")}>
          Reset …
        </button>
        <button type="button" class="danger" onClick={() => setAsks("empty")}>
          Reset without the seed …
        </button>
      </div>
      {asks !== undefined && <Confirm {...QUESTIONS[asks]} onDone={done} />}
    </section>
  );
}
