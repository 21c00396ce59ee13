import { fstatSync } from "node:fs";
import { connect } from "node:http2";
import { systemCodeOf } from "../core/errors/text";

/** Time between two checks of the parent process, and minimum time between two connection attempts, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/**
 * The engine's address, `host:port`, among the arguments of a provider process; the last argument, after the flags.
 * Undefined if a person started the process.
 */
export function engineAddressOf(args: readonly string[]): string | undefined {
  return args.findLast((each) => /^[^-\s].*:\d+$/.test(each));
}

/**
 * Calls back once when the engine is gone. A killed engine does not end its provider processes, and a process that continued
 * would change resources of a later run. Each of three signs is enough: the engine's address refuses connections, stdin ends
 * (the engine held its other end), or another process becomes the parent. With a launcher between the engine and this
 * process, only the first sign appears. The watch does not keep the process running.
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
 * Holds a connection to the engine. When it closes, another attempt checks whether the address still responds. It is a whole
 * HTTP/2 session, because gRPC servers close a connection without one after two minutes.
 */
function watchAddress(address: string, gone: () => void, isOver: () => boolean): void {
  if (isOver()) return;
  const began = performance.now();
  let refused = false;
  const session = connect(`http://${address}`);
  session.unref();
  session.on("error", (error: unknown) => (refused = systemCodeOf(error) === "ECONNREFUSED"));
  session.once("close", () => {
    if (refused) {
      gone();
      return;
    }
    const lasted = performance.now() - began >= LOOK_EVERY_MS;
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

/** Only a pipe or socket has another end. `/dev/null`, for example, is at its end from the start. */
function watchStdin(gone: () => void): void {
  const kind = fstatSync(0);
  if (!kind.isFIFO() && !kind.isSocket()) return;
  process.stdin.on("end", gone).on("error", gone).resume();
  process.stdin.unref();
}
