import { randomUUID } from "node:crypto";
import type { Clock } from "../state/clock";
import type { Config } from "../base/config";
import { credentialsInvalid, credentialsMissing } from "../base/errors";

/** The lifetime of a token, unless a request for one asks for another. */
export const TOKEN_SECONDS = 3600;
/** Older tokens are forgotten, which limits the memory of long runs. */
const MOST_TOKENS = 20_000;

/** The newest access tokens that the emulator issued. Each expires by the emulator's clock. */
export class TokenRegistry {
  private readonly issued = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** @returns the token and its expiry in ms since the epoch */
  issue(lifetimeSeconds: number): { token: string; endMs: number } {
    const token = `ya29.emulator-${randomUUID()}`;
    const endMs = this.clock.now() + lifetimeSeconds * 1000;
    for (const oldest of this.issued.keys()) {
      if (this.issued.size < MOST_TOKENS) break;
      this.issued.delete(oldest);
    }
    this.issued.set(token, endMs);
    return { token, endMs };
  }

  clear(): void {
    this.issued.clear();
  }

  /** @throws ApiError UNAUTHENTICATED when authentication is required and the token is absent or not accepted */
  check(token: string | undefined, config: Config, service: string, method: string): void {
    if (!config.requireAuth) {
      return;
    }
    if (token === undefined) {
      throw credentialsMissing(service, method);
    }
    const end = this.issued.get(token);
    const accepted =
      end !== undefined ? end > this.clock.now() : config.tokens === null || config.tokens.includes(token);
    if (!accepted) {
      throw credentialsInvalid(service, method);
    }
  }
}
