import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { read } from "./api";
import { Badge, Time } from "./parts";
import type { Tone } from "./names";
import type { Bodies, RequestRecord } from "./types";

/** One request: a line, and its details when it is unfolded. */
export function RequestRow({ record }: { record: RequestRecord }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { seq, time, method, path, query, status, id, fault, refused } = record;
  return (
    <li class={isOpen ? "request request-open" : "request"}>
      <button type="button" class="request-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="request-time">
          <Time at={time} />
        </span>
        <Badge tone={statusTone(status)}>{status ?? "none"}</Badge>
        <span class="request-verb">{method}</span>
        <span class="request-path">
          {path}
          {queryText(query)}
        </span>
        {fault !== undefined && <Badge tone="warn">fault: {fault.join(", ")}</Badge>}
        {refused && <Badge tone="warn">from a web page</Badge>}
        <span class="request-id">{id ?? "unknown path"}</span>
      </button>
      {isOpen && <Details key={seq} record={record} />}
    </li>
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
      <Body title={`Request body, ${bodyBytes} bytes`} text={bodies?.request} isLoading={bodies === undefined} />
      <Body title="Answer" text={bodies?.response} isLoading={bodies === undefined} />
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
    <details>
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

function queryText(query: RequestRecord["query"]): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}
