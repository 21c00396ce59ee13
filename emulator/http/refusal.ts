import type { Core } from "../core";
import type { Answer } from "./answer";
import { keepPagesOut } from "./browser-guard";
import { ApiError } from "./errors";
import { withoutBody, type Exchange } from "./exchange";

export interface RefusalOptions {
  core: Core;
  /** The address that the emulator listens on. */
  host: string;
  /** Names, besides its own, that clients may reach the emulator by. */
  allowedHosts: readonly string[];
}

/** The answer to a request that a web page may have sent, or that a further check refuses; undefined lets it in. */
export function refusal(
  exchange: Exchange,
  { core, host, allowedHosts }: RefusalOptions,
  check?: (exchange: Exchange) => void,
): Answer | undefined {
  try {
    keepPagesOut(exchange, { listensOn: host, allowedHosts, pageToken: core.pageToken });
    check?.(exchange);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) {
      return withoutBody(exchange, error);
    }
    throw error;
  }
}
