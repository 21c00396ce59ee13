import { KeptBodies, type Bodies } from "./kept-bodies";
import type { Message } from "../base/schema";

/** The record of a request. It never contains a token, a key or a body. */
export interface RequestRecord {
  /** The number of the request, from 1 since the start or the last clearing. */
  seq: number;
  /** Time of arrival by the emulator's clock, RFC 3339. */
  time: string;
  method: string;
  /** The path as sent: percent-encoded, without the query. */
  path: string;
  /** The query parameters. A repeated parameter is a list. The values of credentials are replaced. */
  query: Record<string, string | string[]>;
  /** null while the request runs, and if no response was sent. */
  status: number | null;
  /** The API method id; absent for an unknown path. */
  id?: string;
  /** Whether the request had an Authorization header. */
  authorization: boolean;
  headers: Record<string, string>;
  bodyBytes: number;
  /** Whether the request was refused before all other checks, because a web page may have sent it. */
  refused?: true;
  /** The parts of the injected fault, e.g. `["delayMs", "status"]`. */
  fault?: string[];
}

const HEADERS = [
  ...["user-agent", "content-type", "accept-encoding", "x-goog-user-project", "x-goog-request-reason"],
  ...["x-goog-api-client", "connection"],
];
const SECRET_PARAMETERS = new Set(["access_token", "oauth_token", "key", "$key"]);
const MOST_RECORDS = 20_000;
/** Of their paths, queries and headers. */
const MOST_CHARACTERS = 16_000_000;

/** The most recent requests: at most 20,000, with 16 million characters. */
export class RequestLog {
  private records: RequestRecord[] = [];
  private characters = 0;
  private readonly bodies = new KeptBodies();
  private count = 0;

  open(
    request: { method: string; path: string; parameters: URLSearchParams; headers: Record<string, string | undefined> },
    time: string,
    id: string | undefined,
  ): RequestRecord {
    const { method, path, parameters, headers } = request;
    this.count += 1;
    const record: RequestRecord = {
      seq: this.count,
      time,
      method,
      path,
      query: readQuery(parameters),
      status: null,
      ...(id !== undefined && { id }),
      authorization: headers.authorization !== undefined,
      headers: Object.fromEntries(
        HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
      ),
      bodyBytes: 0,
    };
    this.records.push(record);
    this.characters += charactersOf(record);
    if (this.records.length > MOST_RECORDS || this.characters > MOST_CHARACTERS) {
      this.dropOldest();
    }
    return record;
  }

  /** Drops a tenth more than it must, so that it seldom moves the others. */
  private dropOldest(): void {
    let dropped = 0;
    while (
      dropped < this.records.length - 1 &&
      (this.records.length - dropped > MOST_RECORDS * 0.9 || this.characters > MOST_CHARACTERS * 0.9)
    ) {
      this.characters -= charactersOf(this.records[dropped] as RequestRecord);
      dropped += 1;
    }
    this.records.splice(0, dropped);
  }

  all(): RequestRecord[] {
    return structuredClone(this.records);
  }

  /** The newest records, oldest first. */
  last(number: number): RequestRecord[] {
    return structuredClone(this.records.slice(-number));
  }

  /** Keeps the bodies of a request and its response for a limited time, see `KeptBodies`. */
  keepBodies(record: RequestRecord, shape: Message | undefined, request: string, response: string): void {
    this.bodies.keep(record, shape, request, response);
  }

  /** A record with its bodies, if they are still kept. */
  withBodies(seq: number): { record: RequestRecord; bodies: Bodies | null } | undefined {
    const record = this.records.find((each) => each.seq === seq);
    return record && structuredClone({ record, bodies: this.bodies.of(record) ?? null });
  }

  clear(): void {
    this.records = [];
    this.characters = 0;
    this.bodies.clear();
    this.count = 0;
  }
}

/** What is written once: the status and the fault come later. */
function charactersOf({ path, query, headers }: RequestRecord): number {
  const texts = [...Object.entries(query), ...Object.entries(headers)].flat(2);
  return texts.reduce((sum, text) => sum + text.length, path.length);
}

function readQuery(parameters: URLSearchParams): RequestRecord["query"] {
  const query: RequestRecord["query"] = Object.create(null) as RequestRecord["query"];
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name).map((value) => (SECRET_PARAMETERS.has(name) ? "REDACTED" : value));
    query[name] = values.length === 1 ? (values[0] ?? "") : values;
  }
  return { ...query };
}
