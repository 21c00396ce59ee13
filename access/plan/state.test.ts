import * as fs from "node:fs";
import * as path from "node:path";
import { InputError } from "../../provider/core/errors";
import { readPlan } from "./plan";
import { SECRET } from "./plan-values";
import { readStackState, whyOfAnotherPlan } from "./state";

const folder = path.join(__dirname, "../../tests/fixtures/plans");
const fixture = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");
const named = (text: string, name: string) =>
  readStackState(text).resources.filter(({ urn }) => urn.endsWith(`::${name}`));

test("has the resources with their inputs and outputs", () => {
  expect(named(fixture("state.json"), "gone")).toEqual([
    expect.objectContaining({
      type: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
      id: expect.stringMatching(/group:gone@example.com$/),
      inputs: expect.objectContaining({ member: "group:gone@example.com" }),
      outputs: expect.objectContaining({ project: "demo-project" }),
      provider: expect.stringMatching(/::default::/),
    }),
  ]);
});

test("hides secrets that it cannot read", () => {
  expect(named(fixture("state.json"), "sec")[0]?.inputs.member).toBe(SECRET);
  expect(named(fixture("state.json"), "default")[0]?.inputs.accessToken).toBe(SECRET);
});

test("reads secrets in plain text, and marks them", () => {
  const [grant] = named(fixture("state-with-secrets.json"), "s");
  expect(grant?.inputs.member).toBe("user:hidden@example.com");
  expect(grant?.secrets).toEqual(["member"]);
});

test("does not read a secret whose text is not JSON", () => {
  const text = fixture("state-with-secrets.json").replace(
    '"\\"user:hidden@example.com\\""',
    '"user:hidden@example.com"',
  );
  expect(text).not.toBe(fixture("state-with-secrets.json"));
  expect(named(text, "s")[0]?.inputs.member).toBe(SECRET);
});

test("contains the resources that an earlier update left to delete", () => {
  const both = named(fixture("pending-delete-state.json"), "a");
  expect(both.map((each) => each.delete)).toEqual([undefined, true]);
});

test("contains the pending operations of an interrupted update", () => {
  const type = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";
  const pending = [{ type: "creating", resource: { urn: "urn:pulumi:s::p::a::b", type, custom: true } }];
  const text = JSON.stringify({ version: 3, deployment: { pending_operations: pending } });
  expect(readStackState(text)).toEqual({
    resources: [],
    pending: [{ operation: "creating", urn: "urn:pulumi:s::p::a::b", type }],
  });
});

describe("a state and a plan", () => {
  const plan = readPlan(fixture("update.json"));
  const why = (text: string) => whyOfAnotherPlan(plan, readStackState(text));

  test("match if the plan was made with the state", () => {
    expect(why(fixture("state.json"))).toBeUndefined();
  });

  test("do not match if they are of two stacks or projects", () => {
    const others = fixture("state.json").replaceAll("urn:pulumi:test::p::", "urn:pulumi:prod::p::");
    expect(why(others)).toBe("the state is of the stack p/prod, and the plan of p/test");
    const project = fixture("state.json").replaceAll("urn:pulumi:test::p::", "urn:pulumi:test::q::");
    expect(why(project)).toBe("the state is of the stack q/test, and the plan of p/test");
  });

  test("do not match if they are of two times: the state lacks a resource of the plan, or has another id for it", () => {
    const { deployment, ...rest } = JSON.parse(fixture("state.json")) as {
      deployment: { resources: { urn: string }[] };
    };
    const resources = deployment.resources.filter(({ urn }) => !urn.endsWith("::gone"));
    expect(why(JSON.stringify({ ...rest, deployment: { ...deployment, resources } }))).toMatch(
      /made with another state: /,
    );
    expect(why(fixture("state.json").replaceAll("group:gone@example.com", "group:other@example.com"))).toMatch(
      /::gone is/,
    );
  });

  test.each<[string, { op: string; has: "old" | "import option" }[], boolean]>([
    [
      "match if an imported resource is then updated",
      [
        { op: "import", has: "old" },
        { op: "update", has: "old" },
      ],
      true,
    ],
    [
      "match if an imported resource is then replaced",
      [
        { op: "import", has: "old" },
        { op: "replace", has: "old" },
      ],
      true,
    ],
    ["match if the option import names the updated resource", [{ op: "update", has: "import option" }], true],
    ["do not match if another resource is updated", [{ op: "update", has: "old" }], false],
  ])("%s", (_what, steps, isOne) => {
    const type = "perimeter:iam/v1:ResourceIamBinding";
    const urn = `urn:pulumi:test::p::${type}::read`;
    const state = { urn, type, inputs: {}, outputs: {} };
    const old = { ...state, id: "resource role" };
    const more = steps.map(({ op, has }) => ({
      op,
      urn,
      type,
      old,
      new: { ...state, ...(has === "import option" ? { importId: old.id } : {}) },
    }));
    const found = whyOfAnotherPlan({ ...plan, steps: [...plan.steps, ...more] }, readStackState(fixture("state.json")));
    expect(found === undefined).toBe(isOne);
  });
});

test.each([
  ["nothing", "", /is empty/],
  ["a plan", fixture("update.json"), /is a plan/],
  ["another object", '{"secret-text":1}', /is not an export of a stack/],
  ["half a state", fixture("state.json").slice(0, 2000), /ends in the middle/],
])("%s is refused with one message", (_what, text, message) => {
  expect(() => readStackState(text)).toThrow(InputError);
  expect(() => readStackState(text)).toThrow(message);
  expect(() => readStackState(text)).not.toThrow(/secret-text/);
});
