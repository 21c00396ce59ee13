import { ConnectionError } from "../core/errors";
import type { ApiClient } from "../http/client";
import { doingTo, LongRunning, type Verb } from "./long-running";

const NAME = "projects/p/locations/l/things/t";

test.each<[Verb, boolean, RegExp]>([
  ["create", false, /\(create\) continues in the cloud; the next .* waits for it/],
  ["update", true, /\(update\) has ended; the next .* checks the result/],
  ["delete", false, /\(delete\) continues in the cloud\. The resource stays/],
  ["delete", true, /\(delete\) has ended\. The resource stays/],
])(
  "the error of a %s whose wait ends early says what becomes of its operation (done: %s)",
  async (verb, done, words) => {
    const work = new LongRunning({} as ApiClient, doingTo("the thing"));
    const kept = work.keep({ verb, name: NAME, state: {}, operation: { name: "o", done } }, () =>
      Promise.reject(new ConnectionError("the connection was reset")),
    );
    await expect(kept).rejects.toThrow(words);
  },
);
