import { fstatSync } from "node:fs";
import { connect } from "node:http2";

/** How often the parent is looked at, and how soon a connection that did not last this long is followed by another. */
const LOOK_EVERY_MS = 1_000;

/**
 * The engine's address among a provider process's arguments, `host:port`. Flags stand before it. Undefined where a
 * person started the process.
 */
export function engineAddressOf(args: readonly string[]): string | undefined {
  return args.findLast((each) => /^[^-\s].*:\d+$/.test(each));
}

/**
 * Calls back once when the engine is gone. An engine that is killed takes no provider process with it, and one that
 * goes on would change what a later run has declared.
 *
 * Three signs, each enough by itself: the engine's address refuses connections, our stdin ends (the engine held its
 * other end), and our parent becomes another process. A launcher may stand between the engine and us, so that only the
 * first one shows. Nothing of the watch keeps the process running.
 *
 * @param address `host:port` on which the engine serves providers
 */
export function watchEngine(address: string, gone: () => void): void {
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    gone();
  };
  watchAddress(address, end, () => over);
  watchParent(end);
  watchStdin(end);
}

/**
 * Holds a connection to the engine, and looks whether the address still answers as soon as that closes. It is a whole
 * HTTP/2 session: gRPC servers close what stays a bare connection, after two minutes.
 */
function watchAddress(address: string, gone: () => void, isOver: () => boolean): void {
  if (isOver()) return;
  const began = Date.now();
  let refused = false;
  const session = connect(`http://${address}`);
  session.unref();
  session.on("error", (error: NodeJS.ErrnoException) => (refused = error.code === "ECONNREFUSED"));
  session.once("close", () => {
    if (refused) {
      gone();
      return;
    }
    const lasted = Date.now() - began >= LOOK_EVERY_MS;
    setTimeout(() => watchAddress(address, gone, isOver), lasted ? 0 : LOOK_EVERY_MS).unref();
  });
}

function watchParent(gone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone();
  }, LOOK_EVERY_MS);
  timer.unref();
}

/** Without a pipe there is nobody at the other end: `/dev/null` is at its end from the start. */
function watchStdin(gone: () => void): void {
  const kind = fstatSync(0);
  if (!kind.isFIFO() && !kind.isSocket()) return;
  process.stdin.on("end", gone).on("error", gone).resume();
  process.stdin.unref();
}
