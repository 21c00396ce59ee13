import { DEFAULT_CONFIG } from "../base/config";
import { Clock } from "../state/clock";
import { TokenRegistry } from "./tokens";

test("the newest 20,000 tokens that the emulator issued are accepted", () => {
  const clock = new Clock(
    () => 0,
    () => 0,
  );
  const tokens = new TokenRegistry(clock);
  const isAccepted = (token: string) => {
    try {
      tokens.check(token, { ...DEFAULT_CONFIG, requireAuth: true, tokens: [] }, "pubsub", "pubsub.topics.get");
      return true;
    } catch {
      return false;
    }
  };
  const issued = Array.from({ length: 20_001 }, () => tokens.issue(60).token);
  expect([issued[0], issued[1], issued.at(-1)].map((each) => isAccepted(each ?? ""))).toEqual([false, true, true]);
});
