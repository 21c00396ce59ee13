import { messageOf } from "../core/errors";

/** For one live read with its retries, in milliseconds: far shorter than in an update, since somebody waits for the review. */
export const READ_TIMEOUT_MS = 15_000;

/** Why a read failed, and for how long it was tried. @param took in milliseconds */
export function readFailure(error: unknown, took: number): string {
  const seconds = Math.round(took / 1000);
  return seconds < 1 ? messageOf(error) : `${messageOf(error)} (tried for ${seconds} s)`;
}
