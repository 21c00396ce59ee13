import type { Emulator } from "../../../emulator";
import { forwarded, StandIn, type ServedAnswer, type ServedRequest } from "../../support/scripted-server";

/** Which requests are refused, and how. */
export interface Refusal {
  methods: readonly string[];
  /** Default: all paths. */
  path?: RegExp;
  /** An HTTP status, and the API's name for it. */
  code: number;
  status: string;
  /** Answer with a finished operation that has failed, in place of an error. */
  operation?: true;
}

/**
 * Stands between the plugin and the emulator. What it refuses, it quotes: the decoded path, the query, and every text of
 * the body, each a sentence of its own, as APIs do with what they do not like.
 */
export class QuotingApi extends StandIn {
  /** What is refused from now on: the first that applies counts. */
  refusals: readonly Refusal[] = [];

  constructor(private readonly emulator: Emulator) {
    super();
  }

  protected serve(request: ServedRequest) {
    const refusal = this.refusals.find((each) => applies(each, request));
    return refusal ? refused(refusal, quoted(request)) : forwarded(request, this.emulator.url);
  }
}

function applies({ methods, path }: Refusal, { method, url }: ServedRequest): boolean {
  return methods.includes(method) && (path === undefined || path.test(decodeURIComponent(url)));
}

function quoted({ path, parameters, body, json }: ServedRequest): string {
  const texts = [path, path.split("/").at(-1), ...parameters.values(), ...textsIn(body === "" ? {} : json())];
  return texts.map((text) => `Not "${text}".`).join(" ");
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value, value.split("/").at(-1) as string, value.replace(/^\w+:/, "")];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function refused({ code, status, operation }: Refusal, message: string): ServedAnswer {
  if (!operation) return { status: code, body: { error: { code, status, message } } };
  const name = "projects/open/locations/us-central1-a/operations/operation-1";
  return { body: { name, done: true, error: { code: 9, message } } };
}
