import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { write } from "./api";
import { clientName } from "./names";
import { notify } from "./notices";
import { Choice, Confirm, Empty, HowToConnect, Search, ShortList, useStore } from "./parts";
import { link } from "./route";
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
  const found = folded(all).filter(([record]) => fits(record, filter));
  const count = countOf(found);
  const set = (part: Partial<Filter>): void => setFilter({ ...filter, ...part });
  const clients = [...new Set(all.map(clientOf))];
  const methods = [...new Set(all.map(({ method }) => method))].sort();
  const missed = paused === undefined ? 0 : requests.filter(({ seq }) => seq > (paused.at(-1)?.seq ?? 0)).length;
  return (
    <>
      <header class="page-head">
        <h1 tabIndex={-1}>Requests</h1>
        <span class="count">{count === all.length ? all.length : `${count} of ${all.length}`}</span>
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
        <a href={link("permissions")}>Permissions they needed</a>
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
        <Empty title="There are no requests yet.">
          <HowToConnect />
          <p>Requests appear here when they are answered. Tokens and keys are never kept.</p>
        </Empty>
      ) : found.length === 0 ? (
        <Empty title="No request matches these filters.">
          <button type="button" onClick={() => setFilter(EVERYTHING)}>
            Show all requests
          </button>
        </Empty>
      ) : isGrouped ? (
        <ByClient entries={found} clients={clients} />
      ) : (
        <RequestList title="All clients" entries={found} />
      )}
    </>
  );
}

/** A request, or the same read several times, newest first. */
type Entry = readonly [RequestRecord, ...RequestRecord[]];

/**
 * Newest first. Reads that a client repeats between two of its writes, with the same answer, are one entry in the place of
 * the newest: a client that waits for an operation asks again and again.
 */
function folded(records: readonly RequestRecord[]): Entry[] {
  const entries: Array<[RequestRecord, ...RequestRecord[]]> = [];
  const reads = new Map<string, Map<string, RequestRecord[]>>();
  for (const record of records.toReversed()) {
    const client = clientOf(record);
    const own = reads.get(client) ?? new Map<string, RequestRecord[]>();
    reads.set(client, own);
    if (record.method !== "GET") {
      own.clear();
    }
    const { path, query, status, fault, refused } = record;
    const key = JSON.stringify([path, query, status, fault, refused]);
    const same = own.get(key);
    if (same !== undefined) {
      same.push(record);
      continue;
    }
    const entry: [RequestRecord] = [record];
    entries.push(entry);
    if (record.method === "GET") {
      own.set(key, entry);
    }
  }
  return entries;
}

function countOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entry.length, 0);
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

/** A section for each client, in the order of their first request, so that none changes its place. */
function ByClient({ entries, clients }: { entries: readonly Entry[]; clients: readonly string[] }): JSX.Element {
  return (
    <>
      {clients.map((client) => {
        const own = entries.filter(([record]) => clientOf(record) === client);
        return own.length > 0 && <RequestList key={client} title={client} entries={own} />;
      })}
    </>
  );
}

function RequestList({ title, entries }: { title: string; entries: readonly Entry[] }): JSX.Element {
  const agent = entries[0]?.[0].headers["user-agent"];
  const failed = countOf(entries.filter(([{ status }]) => status === null || status >= 400));
  return (
    <section class="group">
      <h2 title={agent}>
        {title} <span class="count">{countOf(entries)}</span>
        {failed > 0 && <span class="count count-bad">{failed} not 2xx</span>}
      </h2>
      <ShortList items={entries} first={FIRST_SHOWN}>
        {(shown) => (
          <ol class="requests" aria-label={`Requests of ${title}, newest first`}>
            {shown.map((entry) => (
              // By the oldest, so that an entry stays unfolded while it grows.
              <RequestRow key={entry.at(-1)?.seq} records={entry} />
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
          text="This clears the request log, also for tests that read it. Numbers start again at 1."
          action="Forget them"
          onDone={clear}
        />
      )}
    </>
  );
}
