import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { read } from "./api";
import { curlCommand } from "./curl";
import { nameParts, resourceOfRequest, withQuery, type Tone } from "./names";
import { Badge, CopyButton, ShortList, Time, useStore } from "./parts";
import { link } from "./route";
import type { Bodies, RequestRecord } from "./types";

const REPEATS_SHOWN = 20;
/** What the emulator writes in place of a secret field of a body. */
const NOT_KEPT = "(not kept)";

/** A request as a line, with its details when it is unfolded; the same read several times is one line. */
export function RequestRow({ records }: { records: readonly [RequestRecord, ...RequestRecord[]] }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [record] = records;
  const { time, method, status, id, fault, refused } = record;
  return (
    <li class={isOpen ? "request request-open" : "request"}>
      <button type="button" class="request-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="request-time">
          <Time at={time} />
        </span>
        <Badge tone={statusTone(status)}>{status ?? "none"}</Badge>
        <span class="request-verb">{method}</span>
        <span class="request-path">{withQuery(record)}</span>
        <span class="request-badges">
          {records.length > 1 && <Badge>{records.length} times</Badge>}
          {fault !== undefined && <Badge tone="warn">fault: {fault.join(", ")}</Badge>}
          {refused && <Badge tone="warn">from a web page</Badge>}
        </span>
        <span class="request-id">{id ?? "unknown path"}</span>
      </button>
      {isOpen && (records.length > 1 ? <Repeats records={records} /> : <Details record={record} />)}
    </li>
  );
}

function Repeats({ records }: { records: readonly RequestRecord[] }): JSX.Element {
  return (
    <div class="request-repeats">
      <ShortList items={records} first={REPEATS_SHOWN}>
        {(shown) => (
          <ol class="requests" aria-label={`${records.length} equal requests, newest first`}>
            {shown.map((record) => (
              <RequestRow key={record.seq} records={[record]} />
            ))}
          </ol>
        )}
      </ShortList>
    </div>
  );
}

function Details({ record }: { record: RequestRecord }): JSX.Element {
  const { seq, authorization, headers, bodyBytes } = record;
  const [bodies, setBodies] = useState<Bodies | null>();
  useEffect(() => {
    void read<{ bodies: Bodies | null }>(`requests?seq=${seq}`)
      .then((answer) => setBodies(answer.bodies))
      .catch(() => setBodies(null));
  }, [seq]);
  return (
    <div class="request-details">
      <ResourceLink record={record} />
      <Body title={`Request body, ${bodyBytes} bytes`} text={bodies?.request} isLoading={bodies === undefined} />
      <Body title="Answer" text={bodies?.response} isLoading={bodies === undefined} />
      {bodies !== undefined && <Curl record={record} bodies={bodies} />}
      <dl class="fields">
        <div class="field">
          <dt>authorization</dt>
          <dd>{authorization ? "sent; the token is not kept" : "not sent"}</dd>
        </div>
        {Object.entries(headers).map(([name, value]) => (
          <div key={name} class="field">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function ResourceLink({ record }: { record: RequestRecord }): JSX.Element | null {
  const { operations } = useStore();
  const name = resourceOfRequest(record, operations);
  return name === undefined ? null : (
    <p>
      Resource: <a href={link("resource", { name })}>{nameParts(name).id}</a>
    </p>
  );
}

function Curl({ record, bodies }: { record: RequestRecord; bodies: Bodies | null }): JSX.Element {
  const command = curlCommand(record, bodies, location.origin);
  return (
    <div class="curl">
      <CopyButton text={command} label="Copy as curl" />
      <details>
        <summary>The command</summary>
        <pre tabIndex={0}>{command}</pre>
      </details>
      {record.authorization && <p class="soft">Set TOKEN to an access token if the emulator requires one.</p>}
      {command.includes(NOT_KEPT) && <p class="soft">Secret fields were not kept. Fill them in.</p>}
      {record.bodyBytes > 0 && bodies?.request === undefined && (
        <p class="soft">The body was not kept. Write it to body.json.</p>
      )}
    </div>
  );
}

function Body({
  title,
  text,
  isLoading,
}: {
  title: string;
  text: string | undefined;
  isLoading: boolean;
}): JSX.Element {
  return text === undefined ? (
    <p class="soft">
      {title}: {isLoading ? "loading …" : "none, or not kept"}
    </p>
  ) : (
    <details open>
      <summary>{title}</summary>
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}

function statusTone(status: number | null): Tone {
  if (status === null) {
    return "warn";
  }
  return status < 400 ? "good" : status < 500 ? "warn" : "bad";
}
