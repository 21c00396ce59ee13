import { VirtualClock } from "../../tests/support/grants-clock";
import type { Call } from "../http/call";
import { testCall } from "../testing/call";
import type { Grant, Policy } from "./policy";
import { UnmanagedGrants } from "./unmanaged";

const viewer = (name: string): Grant => ({ role: "roles/viewer", member: `user:${name}@x.com` });
const policy = (...names: string[]): Policy => ({
  bindings: [{ role: "roles/viewer", members: names.map((name) => viewer(name).member) }],
});

function setUp() {
  const warnings: string[] = [];
  const call: Call = testCall(new VirtualClock());
  call.reporter.warning = (text) => void warnings.push(text);
  return { call, warnings, unmanaged: new UnmanagedGrants() };
}

describe("principals that no grant of the stack explains", () => {
  test("are told once, at the end, for each resource", () => {
    const { call, warnings, unmanaged } = setUp();
    const live = policy("a", "b", "stranger");
    unmanaged.note("one", live, viewer("a"), call);
    unmanaged.note("two", policy("a"), viewer("a"), call);
    unmanaged.note("one", live, viewer("B"), call);
    expect(warnings).toEqual([]);
    unmanaged.report();
    unmanaged.report();
    expect(warnings).toEqual(["On one, no grant of this stack explains:\n  user:stranger@x.com roles/viewer"]);
  });

  test("are listed by the names of the resources, in whatever order these were read", () => {
    const { call, warnings, unmanaged } = setUp();
    for (const name of ["two", "three", "one"]) unmanaged.note(name, policy("stranger"), viewer("a"), call);
    unmanaged.report();
    expect(warnings.map((each) => /^On (\w+)/.exec(each)?.[1])).toEqual(["one", "three", "two"]);
  });

  test("are those of the newest policy", () => {
    const { call, warnings, unmanaged } = setUp();
    unmanaged.note("one", policy("a", "gone"), viewer("a"), call);
    unmanaged.note("one", policy("a", "b"), viewer("b"), call);
    unmanaged.report();
    expect(warnings).toEqual([]);
  });

  test("are not told where a read failed: it may have explained them", () => {
    const { call, warnings, unmanaged } = setUp();
    unmanaged.note("one", policy("a", "b"), viewer("a"), call);
    unmanaged.missed();
    unmanaged.report();
    expect(warnings).toEqual([]);
    // The next run is another one.
    unmanaged.note("one", policy("a", "b"), viewer("a"), call);
    unmanaged.report();
    expect(warnings).toHaveLength(1);
  });

  test("are not told of a run that was interrupted", () => {
    const { call, warnings, unmanaged } = setUp();
    unmanaged.note("one", policy("a", "b"), viewer("a"), call);
    unmanaged.forget();
    unmanaged.report();
    expect(warnings).toEqual([]);
  });

  test("are shown without their names where the stack keeps a member secret: one of its own may be among them", () => {
    const { call, warnings, unmanaged } = setUp();
    const live: Policy = {
      bindings: [
        { role: "roles/viewer", members: ["user:a@x.com", "user:b@x.com", "allUsers", "principal://x/subject/s"] },
      ],
    };
    unmanaged.note("one", live, viewer("a"), { ...call, secret: ["member"] });
    unmanaged.report();
    expect(warnings[0]?.split("\n").slice(1)).toEqual([
      "  user:[secret] roles/viewer",
      "  allUsers roles/viewer",
      "  principal:[secret] roles/viewer",
    ]);
    unmanaged.note("one", live, viewer("a"), { ...call, secret: ["role"] });
    unmanaged.report();
    expect(warnings[1]).toContain("user:b@x.com roles/viewer");
  });

  test("a grant that has gone explains nothing; a condition is named; at most a screen", () => {
    const { call, warnings, unmanaged } = setUp();
    const members = Array.from({ length: 30 }, (_, at) => `user:u${at}@x.com`);
    const live: Policy = {
      bindings: [{ role: "roles/viewer", members, condition: { title: "until-july", expression: "true" } }],
    };
    unmanaged.note("one", live, undefined, call);
    unmanaged.report();
    const lines = (warnings[0] as string).split("\n");
    expect(lines[1]).toBe("  user:u0@x.com roles/viewer if until-july");
    expect(lines.at(-1)).toBe("  … and 10 more");
    expect(lines).toHaveLength(22);
  });
});
