import { VirtualClock } from "../../tests/support/grants-clock";
import { testCall } from "../testing/call";
import type { Grant, Policy } from "./policy";
import { UnmanagedGrants } from "./unmanaged";

const viewer = (name: string): Grant => ({ role: "roles/viewer", member: `user:${name}@x.com` });
const policy = (...names: string[]): Policy => ({
  bindings: [{ role: "roles/viewer", members: names.map((name) => viewer(name).member) }],
});

function setUp() {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const call = testCall(clock);
  call.reporter.warning = (text) => void warnings.push(text);
  return { clock, call, warnings, unmanaged: new UnmanagedGrants(clock) };
}

describe("principals that no grant of the stack explains", () => {
  test("are told once, at the end, for each resource", async () => {
    const { clock, call, warnings, unmanaged } = setUp();
    const live = policy("a", "b", "stranger");
    const notes = [
      unmanaged.note("one", live, viewer("a"), call),
      unmanaged.note("two", policy("a"), viewer("a"), call),
      unmanaged.note("one", live, viewer("B"), call),
    ];
    await clock.until(Promise.all(notes));
    expect(warnings).toEqual(["On one, no grant of this stack explains:\n  user:stranger@x.com roles/viewer"]);
    await clock.settle();
    expect(warnings).toHaveLength(1);
  });

  test("only one read waits at a time: each new one lets the one before it go", async () => {
    const { clock, call, unmanaged } = setUp();
    const began = clock.now();
    const slots = Array.from({ length: 4 }, async (_, slot) => {
      for (let number = 0; number < 25; number++) {
        await clock.sleep(10);
        await unmanaged.note("one", policy("a"), viewer(`u${slot}-${number}`), call);
      }
    });
    await clock.until(Promise.all(slots));
    expect(clock.now() - began).toBeLessThan(1_000);
  });

  test("slow reads that are under way belong to the same refresh", async () => {
    const { clock, call, warnings, unmanaged } = setUp();
    const live = policy("a", "b", "c");
    const read = async (grant: Grant, ms: number) => {
      const seen = await unmanaged.watch(clock.sleep(ms).then(() => live));
      await unmanaged.note("one", seen, grant, call);
    };
    const failing = unmanaged.watch(clock.sleep(4_000).then(() => Promise.reject(new Error("denied"))));
    const began = clock.now();
    await clock.until(Promise.allSettled([read(viewer("a"), 10), read(viewer("b"), 2_000), failing]));
    expect(clock.now() - began).toBeGreaterThan(4_000);
    expect(warnings).toEqual(["On one, no grant of this stack explains:\n  user:c@x.com roles/viewer"]);
  });

  test("a grant that has gone explains nothing; a condition is named; at most a screen", async () => {
    const { clock, call, warnings, unmanaged } = setUp();
    const members = Array.from({ length: 30 }, (_, at) => `user:u${at}@x.com`);
    const live: Policy = {
      bindings: [{ role: "roles/viewer", members, condition: { title: "until-july", expression: "true" } }],
    };
    await clock.until(unmanaged.note("one", live, undefined, call));
    const lines = (warnings[0] as string).split("\n");
    expect(lines[1]).toBe("  user:u0@x.com roles/viewer if until-july");
    expect(lines.at(-1)).toBe("  … and 10 more");
    expect(lines).toHaveLength(22);
  });
});
