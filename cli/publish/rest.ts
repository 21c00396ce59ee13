import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { textAt } from "./platform";
import type { Terminal } from "../terminal";

/**
 * Requests to the API of a platform. `curl` sends them: every image of these platforms has it, and it knows the proxies and the
 * authorities of the machine. A request needs no option that curl 7.64 (Debian 10) lacks.
 */

type Method = "GET" | "POST" | "PUT" | "PATCH";

interface Answer {
  status: number;
  /** Parsed JSON; undefined for another text. */
  body: unknown;
}

/** How the requests to a platform are sent. */
export interface RestOptions {
  /** For messages: `GitHub`. */
  platform: string;
  /** The header with the token. It is not an argument of curl, because other users of the machine see the arguments of processes. */
  header?: string;
  /** What the token needs, for the message when it is refused. */
  needs: string;
  /** A proxy that adds the credentials. */
  proxy?: string;
  environment: NonNullable<Terminal["environment"]>;
}

/** The pauses before a request is sent again. */
const PAUSES_MS = [1_000, 4_000];

/** A failure that the same request may not have a moment later: the platform cannot be reached, or is out of order. */
class PassingFailure extends Error {}

/**
 * Tries a few times.
 *
 * @param attempt may be carried out several times without harm
 * @throws Error for the last failure, which is not tried again by a caller that repeats, too
 */
export async function repeated<T>(attempt: () => Promise<T>, [pause, ...pauses] = PAUSES_MS): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof PassingFailure)) throw error;
    if (pause === undefined) throw new Error(error.message, { cause: error });
    await sleep(pause);
  }
  return repeated(attempt, pauses);
}

/** The API of a platform. */
export class Rest {
  constructor(private readonly options: RestOptions) {}

  /**
   * Everything but a POST is repeated after a passing failure: it has the same effect twice.
   *
   * @throws Error for an answer with another status than 2xx, and for one that is no JSON
   */
  async send(method: Method, url: string, body?: object): Promise<unknown> {
    return this.success(method, url, await this.answer(method, url, body));
  }

  /** Sends a POST once: after a passing failure, the caller finds out whether it was carried out. @throws what `send` throws */
  async create(url: string, body: object): Promise<void> {
    const made = await this.send("POST", url, body);
    if (textAt(made, "id") === "") throw this.unusable("POST", url, "without the id of what was made");
  }

  private success(method: Method, url: string, { status, body }: Answer): unknown {
    if (isSuccess(status)) {
      if (typeof body === "object" && body !== null) return body;
      throw this.unusable(method, url, "without JSON: something between the job and the platform may have answered");
    }
    const { platform, needs } = this.options;
    const said = messageIn(body);
    const what = `${platform} answered ${status} to ${method} ${withoutQuery(url)}`;
    const remedy = status === 401 || isForbidden({ status, body }) ? `. The token needs ${needs}` : "";
    const message = `${what}${said === undefined ? "" : `: ${said}`}${remedy}`;
    throw status >= 500 ? new PassingFailure(message) : new Error(message);
  }

  /** An error about an answer whose status is a success. */
  private unusable(method: Method, url: string, how: string): Error {
    return new Error(`${this.options.platform} answered ${method} ${withoutQuery(url)} ${how}`);
  }

  /** Changes something that may belong to somebody else. @returns whether it was allowed @throws what `send` throws otherwise */
  async change(method: Method, url: string, body: object): Promise<boolean> {
    return (await this.allowed(method, url, body)) !== undefined;
  }

  /** The answer, or undefined if the token may not read it. @throws what `send` throws otherwise */
  read(url: string): Promise<unknown> {
    return this.allowed("GET", url);
  }

  private async allowed(method: Method, url: string, body?: object): Promise<unknown> {
    const answer = await this.answer(method, url, body);
    return isForbidden(answer) ? undefined : this.success(method, url, answer);
  }

  /** A list without pages. @param field the field of the answer that has it; by default, it is the answer */
  async entries(url: string, field?: string): Promise<unknown[]> {
    const found = await this.send("GET", url);
    const list: unknown = field === undefined ? found : Reflect.get(found as object, field);
    if (Array.isArray(list)) return list as unknown[];
    throw this.unusable("GET", url, "without a list");
  }

  /** All entries of a list with pages. @param url with a query */
  async list(url: string): Promise<unknown[]> {
    const all: unknown[] = [];
    for (let page = 1; ; page++) {
      const found = await this.entries(`${url}&per_page=100&page=${page}`);
      if (found.length === 0) return all;
      all.push(...found);
    }
  }

  private answer(method: Method, url: string, body?: object): Promise<Answer> {
    if (method === "POST") return this.answerOnce(method, url, body);
    return repeated(async () => {
      const answer = await this.answerOnce(method, url, body);
      if (answer.status >= 500) this.success(method, url, answer);
      return answer;
    });
  }

  private async answerOnce(method: Method, url: string, body?: object): Promise<Answer> {
    const folder = mkdtempSync(path.join(tmpdir(), "perimeter-publish-"));
    try {
      const { header, proxy } = this.options;
      const file = path.join(folder, "body.json");
      const sent = ["content-type: application/json"];
      if (body !== undefined) writeFileSync(file, JSON.stringify(body), { mode: 0o600 });
      const args = [
        ...["--silent", "--show-error", "--max-time", "60", "--request", method],
        ...["--write-out", "\n%{http_code}", "--config", "-"],
        ...(body === undefined ? [] : sent.flatMap((each) => ["--header", each])),
        ...(body === undefined ? [] : ["--data-binary", `@${file}`]),
        ...(proxy === undefined ? [] : ["--proxy", proxy]),
        url,
      ];
      const output = await this.curl(args, header === undefined ? "" : `header = "${header}"\n`);
      const [, content = "", status = "0"] = /^(.*)\n(\d+)$/s.exec(output) ?? [];
      return { status: Number(status), body: parsed(content) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  private async curl(args: readonly string[], config: string): Promise<string> {
    const { environment, platform } = this.options;
    const child = spawn("curl", args, { env: { ...environment }, stdio: ["pipe", "pipe", "pipe"] });
    const failed = new Promise<never>((_resolve, reject) =>
      child.on("error", (error) => reject(new Error(`The request to ${platform} needs curl: ${error.message}`))),
    );
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    child.stdin.on("error", () => undefined);
    child.stdin.end(config);
    const [stdout, stderr, code] = await Promise.race([
      Promise.all([text(child.stdout), text(child.stderr), ended]),
      failed,
    ]);
    if (code !== 0) throw new PassingFailure(`${platform} cannot be reached: ${stderr.trim()}`);
    return stdout;
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** GitHub also answers 403 to a token that has asked too much, which says nothing about what it may do. */
function isForbidden({ status, body }: Answer): boolean {
  return status === 404 || (status === 403 && !/rate limit/i.test(messageIn(body) ?? ""));
}

function withoutQuery(url: string): string {
  return url.replace(/\?.*/s, "");
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

function messageIn(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("message" in answer)) return undefined;
  return typeof answer.message === "string" ? answer.message : JSON.stringify(answer.message);
}
