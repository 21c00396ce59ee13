import { CancelledError, TimeoutError } from "../core/errors";
import { fetchSend } from "./fetch";
import { headersLayer, timeoutLayer } from "./layers";
import { compose } from "./send";

test("the timeout ends a request that is never answered, and leaves the caller's own stop alone", async () => {
  jest.useFakeTimers();
  try {
    const never = compose(
      fetchSend(
        (_url, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("x")))),
      ),
      timeoutLayer(120_000),
    );
    const send = (signal: AbortSignal) =>
      never({ method: "GET", url: "https://h/v1/x", headers: {}, signal }).catch((error: unknown) => error);
    const late = send(new AbortController().signal);
    jest.advanceTimersByTime(120_000);
    expect(await late).toEqual(new TimeoutError("GET https://h/v1/x was not answered within 120 s"));
    const controller = new AbortController();
    const stopped = send(controller.signal);
    controller.abort(new CancelledError("stop"));
    expect(await stopped).toBeInstanceOf(CancelledError);
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

test("a request's own headers beat those of every request", async () => {
  const seen: Record<string, string>[] = [];
  const send = compose(
    ({ headers }) => {
      seen.push(headers);
      return Promise.resolve({ status: 200, headers: {}, body: "" });
    },
    headersLayer({ a: "1", b: "2" }),
  );
  await send({ method: "GET", url: "u", headers: { b: "3" }, signal: new AbortController().signal });
  expect(seen).toEqual([{ a: "1", b: "3" }]);
});
