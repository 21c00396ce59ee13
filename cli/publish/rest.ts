import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { text } from "node:stream/consumers";
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

/** The API of a platform. */
export class Rest {
  constructor(private readonly options: RestOptions) {}

  /** @throws Error for an answer with another status than 2xx */
  async send(method: Method, url: string, body?: object): Promise<unknown> {
    return this.success(method, url, await this.answer(method, url, body));
  }

  private success(method: Method, url: string, { status, body }: Answer): unknown {
    if (isSuccess(status)) return body;
    const { platform, needs } = this.options;
    const said = messageIn(body);
    const what = `${platform} answered ${status} to ${method} ${url.replace(/\?.*/s, "")}`;
    const remedy = status === 401 || status === 403 || status === 404 ? `. The token needs ${needs}` : "";
    throw new Error(`${what}${said === undefined ? "" : `: ${said}`}${remedy}`);
  }

  /** Changes something that may belong to somebody else. @returns whether it was allowed @throws what `send` throws otherwise */
  async change(method: Method, url: string, body: object): Promise<boolean> {
    const answer = await this.answer(method, url, body);
    if (answer.status === 403 || answer.status === 404) return false;
    this.success(method, url, answer);
    return true;
  }

  /** The answer, or undefined if the token may not read it. */
  async read(url: string): Promise<unknown> {
    const { status, body } = await this.answer("GET", url);
    return isSuccess(status) ? body : undefined;
  }

  /** All entries of a list with pages. @param url with a query */
  async list(url: string): Promise<unknown[]> {
    const all: unknown[] = [];
    for (let page = 1; ; page++) {
      const found = await this.send("GET", `${url}&per_page=100&page=${page}`);
      if (!Array.isArray(found) || found.length === 0) return all;
      all.push(...(found as unknown[]));
    }
  }

  private async answer(method: Method, url: string, body?: object): Promise<Answer> {
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
    if (code !== 0) throw new Error(`${platform} cannot be reached: ${stderr.trim()}`);
    return stdout;
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
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
