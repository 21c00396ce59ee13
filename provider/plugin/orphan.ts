import { fstatSync } from "node:fs";

const LOOK_EVERY_MS = 2_000;

/**
 * Calls back when the process that started us is gone. An engine that is killed takes no plugin with it, but its end of
 * our stdin closes, and our parent becomes another process.
 */
export function whenOrphaned(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, LOOK_EVERY_MS).unref();
  // Without a pipe there is nobody at the other end: `/dev/null` is at its end from the start.
  const stdin = fstatSync(0);
  if (!stdin.isFIFO() && !stdin.isSocket()) return;
  process.stdin.on("end", end).on("error", end).resume();
}
