import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Emulator } from "../../../emulator";

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
export class QuotingApi {
  /** What is refused from now on: the first that applies counts. */
  refusals: readonly Refusal[] = [];

  private constructor(
    readonly host: string,
    readonly stop: () => void,
  ) {}

  static async start(emulator: Emulator): Promise<QuotingApi> {
    const server = createServer((incoming, outgoing) => {
      void buffer(incoming).then((body) => {
        const refusal = api.refusals.find((each) => applies(each, incoming));
        if (refusal) {
          const answer = refused(refusal, quoted(incoming, body.toString()));
          outgoing.writeHead(answer.code, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
          return;
        }
        const { method, url: path, headers } = incoming;
        const forward = request({ host: emulator.host, port: emulator.port, method, path, headers }, (reply) => {
          outgoing.writeHead(reply.statusCode ?? 0, reply.headers);
          reply.pipe(outgoing);
        });
        forward.on("error", () => outgoing.destroy());
        // Whoever asks may leave before the answer.
        outgoing.on("close", () => forward.destroy());
        forward.end(body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const api = new QuotingApi(`127.0.0.1:${(server.address() as AddressInfo).port}`, () => {
      server.close();
      server.closeAllConnections();
    });
    return api;
  }
}

function applies({ methods, path }: Refusal, { method = "", url = "" }: IncomingMessage): boolean {
  return methods.includes(method) && (path === undefined || path.test(decodeURIComponent(url)));
}

function quoted(incoming: IncomingMessage, body: string): string {
  const url = new URL(incoming.url ?? "/", "http://api");
  const path = decodeURIComponent(url.pathname);
  const texts = [
    path,
    path.split("/").at(-1),
    ...url.searchParams.values(),
    ...textsIn(body === "" ? {} : JSON.parse(body)),
  ];
  return texts.map((text) => `Not "${text}".`).join(" ");
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value, value.split("/").at(-1) as string, value.replace(/^\w+:/, "")];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function refused({ code, status, operation }: Refusal, message: string): { code: number; body: object } {
  if (!operation) return { code, body: { error: { code, status, message } } };
  const name = "projects/open/locations/us-central1-a/operations/operation-1";
  return { code: 200, body: { name, done: true, error: { code: 9, message } } };
}
