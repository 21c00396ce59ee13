import { mapBounded } from "./reads";

test("after a failure, no further item begins, and those that have begun end first", async () => {
  const events: string[] = [];
  let goOn = () => {};
  const waiting = new Promise<void>((resolve) => (goOn = resolve));
  const run = async (item: string) => {
    events.push(`begins ${item}`);
    if (item === "fails") throw new Error("first");
    await waiting;
    events.push(`ends ${item}`);
  };
  const done = mapBounded(["fails", "slow", "never"], run, 2).catch((error: Error) => events.push(error.message));
  setImmediate(goOn);
  await done;
  expect(events).toEqual(["begins fails", "begins slow", "ends slow", "first"]);
});
