import { VirtualClock } from "../../tests/support/grants-clock";
import type { Call } from "../http/call";
import { testCall } from "../testing/call";
import type { Grant, Policy } from "./policy";
import { StackGrants } from "./stack-grants";

const on = (name: string) => ({ url: "https://a/", name });
const viewer = (name: string): Grant => ({ role: "roles/viewer", member: `user:${name}@x.com` });
const policy = (...names: string[]): Policy => ({
  bindings: [{ role: "roles/viewer", members: names.map((name) => viewer(name).member) }],
});

function setUp() {
  const warnings: string[] = [];
  const call: Call = testCall(new VirtualClock());
  call.reporter.warning = (text) => void warnings.push(text);
  return { call, warnings, grants: new StackGrants() };
}

describe("the report of unmanaged principals", () => {
  test("comes once for each resource, at the end of the run", () => {
    const { call, warnings, grants } = setUp();
    const live = policy("a", "b", "stranger");
    grants.note(on("one"), live, [viewer("a")], call);
    grants.note(on("two"), policy("a"), [viewer("a")], call);
    grants.note(on("one"), live, [viewer("B")], call);
    expect(warnings).toEqual([]);
    grants.report();
    grants.report();
    expect(warnings).toEqual(["On one, this stack does not manage these grants:\n  user:stranger@x.com roles/viewer"]);
  });

  test("is sorted by the names of the resources, not by the order of the reads", () => {
    const { call, warnings, grants } = setUp();
    for (const name of ["two", "three", "one"]) grants.note(on(name), policy("stranger"), [viewer("a")], call);
    grants.report();
    expect(warnings.map((each) => /^On (\w+)/.exec(each)?.[1])).toEqual(["one", "three", "two"]);
  });

  test("uses the newest policy", () => {
    const { call, warnings, grants } = setUp();
    grants.note(on("one"), policy("a", "gone"), [viewer("a")], call);
    grants.note(on("one"), policy("a", "b"), [viewer("b")], call);
    grants.report();
    expect(warnings).toEqual([]);
  });

  test("is omitted if a read failed, because the unread grant may manage the principals", () => {
    const { call, warnings, grants } = setUp();
    grants.note(on("one"), policy("a", "b"), [viewer("a")], call);
    grants.missed();
    grants.report();
    expect(warnings).toEqual([]);
    // The next run begins without the records of this one.
    grants.note(on("one"), policy("a", "b"), [viewer("a")], call);
    grants.report();
    expect(warnings).toHaveLength(1);
  });

  test("is omitted if the run was interrupted", () => {
    const { call, warnings, grants } = setUp();
    grants.note(on("one"), policy("a", "b"), [viewer("a")], call);
    grants.forget();
    grants.report();
    expect(warnings).toEqual([]);
  });

  test("has no names if the stack has a secret member, because it may be among them", () => {
    const { call, warnings, grants } = setUp();
    const live: Policy = {
      bindings: [
        { role: "roles/viewer", members: ["user:a@x.com", "user:b@x.com", "allUsers", "principal://x/subject/s"] },
      ],
    };
    grants.note(on("one"), live, [viewer("a")], { ...call, secret: ["member"] });
    grants.report();
    expect(warnings[0]?.split("\n").slice(1)).toEqual([
      "  user:[secret] roles/viewer",
      "  allUsers roles/viewer",
      "  principal:[secret] roles/viewer",
    ]);
    grants.note(on("one"), live, [viewer("a")], { ...call, secret: ["role"] });
    grants.report();
    expect(warnings[1]).toContain("user:b@x.com roles/viewer");
  });

  test("ignores grants that do not exist any more, names conditions, and has at most a screen of lines", () => {
    const { call, warnings, grants } = setUp();
    const members = Array.from({ length: 30 }, (_, at) => `user:u${at}@x.com`);
    const live: Policy = {
      bindings: [{ role: "roles/viewer", members, condition: { title: "until-july", expression: "true" } }],
    };
    grants.note(on("one"), live, [], call);
    grants.report();
    const lines = (warnings[0] as string).split("\n");
    expect(lines[1]).toBe("  user:u0@x.com roles/viewer if until-july");
    expect(lines.at(-1)).toBe("  … and 10 more");
    expect(lines).toHaveLength(22);
  });
});
