import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { write } from "./api";
import { clientName } from "./names";
import { notify } from "./notices";
import { Confirm, Empty, HowToConnect, Search, ShortList, useStore } from "./parts";
import { RequestRow } from "./request-row";
import type { RequestRecord } from "./types";

const FIRST_SHOWN = 60;

interface Filter {
  find: string;
  outcome: string;
  client: string;
  method: string;
}

const EVERYTHING: Filter = { find: "", outcome: "", client: "", method: "" };

const OUTCOMES: ReadonlyArray<readonly [key: string, title: string, fits: (record: RequestRecord) => boolean]> = [
  ["ok", "Answered 2xx", ({ status }) => status !== null && status < 300],
  ["refused", "Refused 4xx", ({ status }) => status !== null && status >= 400 && status < 500],
  ["failed", "Failed 5xx", ({ status }) => status !== null && status >= 500],
  ["none", "Not answered", ({ status }) => status === null],
  ["fault", "With a fault", ({ fault }) => fault !== undefined],
];

/** What clients asked, live, by who they are. */
export function RequestsPage(): JSX.Element {
  const { requests } = useStore();
  const [filter, setFilter] = useState(EVERYTHING);
  const [isGrouped, setGrouped] = useState(true);
  const [paused, setPaused] = useState<readonly RequestRecord[]>();
  const all = paused ?? requests;
  const found = all.filter((record) => fits(record, filter)).reverse();
  const set = (part: Partial<Filter>): void => setFilter({ ...filter, ...part });
  const clients = [...new Set(all.map(clientOf))];
  const methods = [...new Set(all.map(({ method }) => method))].sort();
  const missed = paused === undefined ? 0 : requests.filter(({ seq }) => seq > (paused.at(-1)?.seq ?? 0)).length;
  return (
    <>
      <header class="page-head">
        <h1 tabIndex={-1}>Requests</h1>
        <span class="count">{found.length === all.length ? all.length : `${found.length} of ${all.length}`}</span>
        <Search label="Find by path or API method" value={filter.find} onChange={(find) => set({ find })} />
      </header>
      <div class="tools">
        <Choice
          label="Outcome"
          value={filter.outcome}
          onChange={(outcome) => set({ outcome })}
          options={OUTCOMES.map(([key, title]) => [key, title])}
        />
        <Choice
          label="Client"
          value={filter.client}
          onChange={(client) => set({ client })}
          options={clients.map((each) => [each, each])}
        />
        <Choice
          label="Verb"
          value={filter.method}
          onChange={(method) => set({ method })}
          options={methods.map((each) => [each, each])}
        />
        <label class="check">
          <input type="checkbox" checked={isGrouped} onChange={(event) => setGrouped(event.currentTarget.checked)} />
          Group by client
        </label>
        <span class="spring" />
        <button
          type="button"
          aria-pressed={paused !== undefined}
          onClick={() => setPaused(paused ? undefined : requests)}
        >
          {paused === undefined ? "Pause" : `Continue (${missed} new)`}
        </button>
        <ClearButton onClear={() => setPaused(undefined)} />
      </div>
      {all.length === 0 ? (
        <Empty title="No request has come in yet.">
          <HowToConnect />
          <p>Requests appear here as they are answered. Tokens and keys are never kept.</p>
        </Empty>
      ) : found.length === 0 ? (
        <Empty title="No request passes these filters.">
          <button type="button" onClick={() => setFilter(EVERYTHING)}>
            Show all requests
          </button>
        </Empty>
      ) : isGrouped ? (
        <ByClient records={found} clients={clients} />
      ) : (
        <RequestList title="All clients" records={found} />
      )}
    </>
  );
}

function fits(record: RequestRecord, { find, outcome, client, method }: Filter): boolean {
  const text = `${record.path} ${record.id ?? ""}`.toLowerCase();
  return (
    text.includes(find.toLowerCase()) &&
    (client === "" || clientOf(record) === client) &&
    (method === "" || record.method === method) &&
    (OUTCOMES.find(([key]) => key === outcome)?.[2](record) ?? true)
  );
}

function clientOf({ headers }: RequestRecord): string {
  return clientName(headers["user-agent"]);
}

interface ChoiceProps {
  label: string;
  value: string;
  options: ReadonlyArray<readonly [value: string, title: string]>;
  onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps): JSX.Element {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">any</option>
        {options.map(([key, title]) => (
          <option key={key} value={key}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A section for each client, in the order of their first request, so that none changes its place. */
function ByClient({
  records,
  clients,
}: {
  records: readonly RequestRecord[];
  clients: readonly string[];
}): JSX.Element {
  return (
    <>
      {clients.map((client) => {
        const own = records.filter((record) => clientOf(record) === client);
        return own.length > 0 && <RequestList key={client} title={client} records={own} />;
      })}
    </>
  );
}

function RequestList({ title, records }: { title: string; records: readonly RequestRecord[] }): JSX.Element {
  const agent = records[0]?.headers["user-agent"];
  const failed = records.filter(({ status }) => status === null || status >= 400).length;
  return (
    <section class="group">
      <h2 title={agent}>
        {title} <span class="count">{records.length}</span>
        {failed > 0 && <span class="count count-bad">{failed} not 2xx</span>}
      </h2>
      <ShortList items={records} first={FIRST_SHOWN}>
        {(shown) => (
          <ol class="requests" aria-label={`Requests of ${title}, newest first`}>
            {shown.map((record) => (
              <RequestRow key={record.seq} record={record} />
            ))}
          </ol>
        )}
      </ShortList>
    </section>
  );
}

function ClearButton({ onClear }: { onClear: () => void }): JSX.Element {
  const held = useStore();
  const [asks, setAsks] = useState(false);
  const clear = (isConfirmed: boolean): void => {
    setAsks(false);
    if (isConfirmed) {
      void write("DELETE", "requests")
        .then(() => {
          held.forgetRequests();
          onClear();
        })
        .catch(notify);
    }
  };
  return (
    <>
      <button type="button" disabled={held.requests.length === 0} onClick={() => setAsks(true)}>
        Clear
      </button>
      {asks && (
        <Confirm
          title="Forget all requests?"
          text="The emulator forgets the requests so far and counts from 1 again. Tests that look at the log see it empty."
          action="Forget them"
          onDone={clear}
        />
      )}
    </>
  );
}
