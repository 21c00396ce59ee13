import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { write } from "./api";
import { notify } from "./notices";
import { Badge, Choice, Confirm, Empty, useStore } from "./parts";
import type { FaultRule, ShownRule } from "./types";

type Fault = FaultRule["fault"];

/** What can go wrong, most wanted first. The fault plan knows more: see "as YAML". */
const KINDS: ReadonlyArray<readonly [key: string, title: string, fault: Fault]> = [
  ["unavailable", "503 unavailable", { status: "UNAVAILABLE" }],
  ["aborted", "409 aborted (conflict)", { status: "ABORTED" }],
  ["quota", "429 too many requests, retry after 1 s", { status: "RESOURCE_EXHAUSTED", retryAfter: 1 }],
  ["denied", "403 permission denied", { status: "PERMISSION_DENIED" }],
  ["internal", "500 internal", { status: "INTERNAL" }],
  ["html", "502 with an HTML page", { html: true }],
  ["lost", "response lost after the request took effect", { reset: "after" }],
  ["refused", "connection reset before the request took effect", { reset: "before" }],
  ["stall", "no response until the client gives up", { stall: true }],
  ["slow", "response after 3 s", { delayMs: 3000 }],
  [
    "operation",
    "the operation fails",
    { operationError: { code: 13, message: "Injected fault: the operation failed." } },
  ],
  ["stale", "stale read: the state before the last write", { staleRead: true }],
];

const EXAMPLE = `- match: { id: healthcare.*.setIamPolicy }
  times: 2
  fault: { status: 503, retryAfter: 1 }`;

/** The fault plan: add a rule, fail the next request, take rules out. */
export function FaultsSection(): JSX.Element {
  const { faults, requests } = useStore();
  const ids = [...new Set(requests.flatMap(({ id }) => (id === undefined ? [] : [id])))].sort();
  return (
    <section class="panel" aria-labelledby="faults-title">
      <h2 id="faults-title">Faults</h2>
      <FaultForm ids={ids} />
      <YamlForm />
      <Plan rules={faults} />
    </section>
  );
}

function add(rules: object | string): void {
  void write("POST", "faults", rules)
    .then(() => notify("The fault was added."))
    .catch(notify);
}

function FaultForm({ ids }: { ids: readonly string[] }): JSX.Element {
  const [kind, setKind] = useState("unavailable");
  const [id, setId] = useState("");
  const [times, setTimes] = useState(1);
  const fault = KINDS.find(([key]) => key === kind)?.[2] ?? {};
  const submit = (event: Event): void => {
    event.preventDefault();
    add([{ match: id.trim() === "" ? {} : { id: id.trim() }, times, fault }]);
  };
  return (
    <form class="form" onSubmit={submit}>
      <Choice
        label="Kind of fault"
        none={null}
        value={kind}
        options={KINDS.map(([key, title]) => [key, title] as const)}
        onChange={setKind}
      />
      <button type="button" onClick={() => add([{ times: 1, fault }])}>
        Fail the next request
      </button>
      <label class="choice choice-wide">
        <span>API methods</span>
        <input
          type="text"
          list="method-ids"
          placeholder="any, or e.g. eventarc.*.setIamPolicy"
          value={id}
          onInput={(event) => setId(event.currentTarget.value)}
        />
        <datalist id="method-ids">
          {ids.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </label>
      <label class="choice">
        <span>Times (0: unlimited)</span>
        <input
          type="number"
          min={0}
          value={times}
          onInput={(event) => setTimes(Math.max(0, Math.trunc(event.currentTarget.valueAsNumber || 0)))}
        />
      </label>
      <button type="submit">Add fault</button>
    </form>
  );
}

function YamlForm(): JSX.Element {
  const [text, setText] = useState(EXAMPLE);
  return (
    <details class="yaml">
      <summary>Add faults as YAML</summary>
      <textarea
        aria-label="Rules of the fault plan in YAML"
        rows={5}
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="button" onClick={() => add(text)}>
        Add these rules
      </button>
    </details>
  );
}

function Plan({ rules }: { rules: readonly ShownRule[] }): JSX.Element {
  const [asks, setAsks] = useState(false);
  const remove = (route: string): void => void write("DELETE", route).catch(notify);
  if (rules.length === 0) {
    return <Empty title="There are no faults: all requests are answered normally." />;
  }
  return (
    <>
      <div class="table-scroll">
        <table class="list">
          <caption>Rules, tried in this order</caption>
          <thead>
            <tr>
              <th scope="col">Requests</th>
              <th scope="col">Fault</th>
              <th scope="col">Seen</th>
              <th scope="col">
                <span class="hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rules.map((rule, index) => (
              <tr key={index}>
                <th scope="row">{matchText(rule)}</th>
                <td>
                  <code>{JSON.stringify(rule.fault)}</code>
                </td>
                <td>
                  <Badge tone={isUsedUp(rule) ? "calm" : "warn"}>{seenText(rule)}</Badge>
                </td>
                <td>
                  <button
                    type="button"
                    class="small"
                    aria-label={`Remove rule ${index + 1}`}
                    onClick={() => remove(`faults?index=${index}`)}
                  >
                    Remove
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <button type="button" onClick={() => setAsks(true)}>
        Remove all
      </button>
      {asks && (
        <Confirm
          title="Remove all faults?"
          text="This removes the whole fault plan, including the rules from programs and files."
          action="Remove all"
          onDone={(isConfirmed) => {
            setAsks(false);
            if (isConfirmed) {
              remove("faults");
            }
          }}
        />
      )}
    </>
  );
}

function matchText({ match = {}, skip = 0 }: ShownRule): string {
  const parts = [match.method, match.id, match.path].filter((part) => part !== undefined);
  return `${parts.length === 0 ? "any" : parts.join(" ")}${skip === 0 ? "" : `, after the first ${skip}`}`;
}

function roundsOf({ fault, times = 1 }: ShownRule): number {
  return times * ("sequence" in fault ? fault.sequence.length : 1);
}

function isUsedUp(rule: ShownRule): boolean {
  return rule.times !== 0 && rule.seen >= (rule.skip ?? 0) + roundsOf(rule);
}

function seenText(rule: ShownRule): string {
  const { seen, times = 1, skip = 0 } = rule;
  return times === 0 ? `${seen}, unlimited` : `${Math.min(seen, skip + roundsOf(rule))} of ${skip + roundsOf(rule)}`;
}
