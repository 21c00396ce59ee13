import * as fs from "node:fs";
import * as path from "node:path";
import { UNKNOWN } from "../../provider/core/unknown";
import { HiddenValues } from "./hidden-values";
import { isHidden } from "../result/texts";
import { readPlan } from "./plan";
import { SECRET } from "./plan-values";
import { readStackState, withReadableSecrets } from "./state";

const folder = path.join(__dirname, "../../tests/fixtures/plans");
const fixture = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");
const plan = readPlan(fixture("emptied.json"));
const state = readStackState(fixture("state-with-secrets.json")).resources;
const [grant] = state.filter(({ urn }) => urn.endsWith("::s"));
if (!grant) throw new Error("the state has no secret grant");

/** The plan with one step on the grant whose member is secret, as a preview shows it. */
const withStep = (op: string) => {
  const { secrets: _, ...shown } = grant;
  const hidden = {
    ...shown,
    inputs: { ...grant.inputs, member: SECRET },
    outputs: { ...grant.outputs, member: SECRET },
  };
  return { ...plan, steps: [{ op, urn: grant.urn, type: grant.type, old: hidden, new: { ...hidden, outputs: {} } }] };
};

describe("the plan's placeholder of a secret that the state shows", () => {
  test("is restored in the old state of a replacement", () => {
    const [step] = withReadableSecrets(withStep("replace"), state).steps;
    expect(step?.old).toEqual(grant);
    expect(step?.new?.inputs.member).toBe(SECRET);
  });

  test("is restored in an unchanged resource", () => {
    const [step] = withReadableSecrets(withStep("same"), state).steps;
    expect(step?.new).toMatchObject({ inputs: grant.inputs, secrets: ["member"] });
  });

  test("is not restored from another resource with the same URN", () => {
    const others = state.map((each) => ({ ...each, id: `${each.id}-2` }));
    expect(withReadableSecrets(withStep("same"), others).steps[0]?.old?.inputs.member).toBe(SECRET);
  });
});

test("a result contains no known secret", () => {
  const others = [{ ...grant, type: "random:index:Password", inputs: { result: "steps" }, secrets: ["result"] }];
  const given = { "perimeter:accessToken": "given-token", "perimeter:project": "demo-project" };
  const hidden = new HiddenValues(plan, [...state, ...others], given);
  const result = {
    notes: ["given-token", "topsecret-token", "othersecret-token"],
    resources: [{ principal: "user:hidden@example.com", count: 1, missing: null, on: "projects/demo-project" }],
    steps: true,
  };
  expect(hidden.scrubbed(result)).toEqual({
    notes: ["[secret]", "[secret]", "[secret]"],
    resources: [{ principal: "[secret]", count: 1, missing: null, on: "projects/demo-project" }],
    steps: true,
  });
});

test.each([
  ["gcp:storage/bucketAccessControl:BucketAccessControl", "entity"],
  ["gcp:bigquery/datasetAccess:DatasetAccess", "userByEmail"],
  ["google-native:storage/v1:ObjectAccessControl", "entity"],
  ["google:index/projectIamMember:ProjectIamMember", "member"],
])("nor one that only an entry of another provider's list has: %s", (type, input) => {
  const entity = "user-hidden@example.com";
  const entry = {
    urn: `urn:pulumi:s::p::${type}::e`,
    type,
    inputs: { [input]: entity },
    outputs: {},
    secrets: [input],
  };
  const hidden = new HiddenValues(plan, [entry]);
  expect(hidden.scrubbed({ notes: [`b/${entity} is deleted`] })).toEqual({ notes: ["b/[secret] is deleted"] });
});

test("every secret setting of the stack is hidden, whatever its key is", () => {
  const secretProject = { ...plan, config: { "perimeter:project": SECRET } };
  const hidden = new HiddenValues(secretProject, [], { "perimeter:project": "demo-project" });
  expect(hidden.scrubbed("projects/demo-project/x")).toBe("projects/[secret]/x");
});

test("secrets never replace words of the result's format", () => {
  const hidden = new HiddenValues(plan, [], { "perimeter:credentials": "lost", "perimeter:accessToken": "secret" });
  const change = { change: "lost", hidden: "secret", code: "secret", principal: "user:lost" };
  expect(hidden.scrubbed(change)).toEqual({ ...change, principal: "user:[secret]" });
});

test("secrets are hidden in the files of lines and in the URNs that these belong to", () => {
  const hidden = new HiddenValues(plan, [], { "perimeter:accessToken": "s3cret-token" });
  const step = (name: string) => `urn:pulumi:dev::p::a:b:C::${name}`;
  const sources = { [step("s3cret-token")]: { file: "s3cret-token/index.ts", line: 3, component: "s3cret-token" } };
  expect(hidden.scrubbed({ steps: [step("s3cret-token")], sources })).toEqual({
    steps: [step("[secret]")],
    sources: { [step("[secret]")]: { file: "[secret]/index.ts", line: 3, component: "[secret]" } },
  });
});

test("each secret of a grant is hidden completely; short secrets only as whole words", () => {
  const short = {
    ...grant,
    inputs: { condition: { title: "ab", expression: "", description: "a (b" } },
    secrets: ["condition"],
  };
  const hidden = new HiddenValues(plan, [{ ...grant, id: "other" }, short]);
  expect(["ab", "AB", "a (b", "", "abc"].map((text) => hidden.shown(text))).toEqual([
    "[secret]",
    "[secret]",
    "[secret]",
    "",
    "abc",
  ]);
  expect(hidden.shown("user:Hidden@EXAMPLE.com")).toBe("[secret]");
  expect(hidden.scrubbed("the title ab, cab, AB and a (b")).toBe("the title [secret], cab, [secret] and [secret]");
});

test("a value that the plan hides gets a placeholder that no text contains", () => {
  const hidden = new HiddenValues(plan);
  const { member, role } = hidden.fill("x", { member: SECRET, role: UNKNOWN });
  expect(hidden.fill("x", { member: SECRET })).toEqual({ member });
  expect(hidden.fill("y", { member: SECRET })).not.toEqual({ member });
  expect([member, role].map((each) => hidden.shown(String(each)))).toEqual(["[secret]", "[known after the update]"]);
  expect(hidden.scrubbed({ message: `${String(member)} gains ${String(role)}.` })).toEqual({
    message: "[secret] gains [known after the update].",
  });
});

test("the text [secret] in a name is a part of the name", () => {
  expect(isHidden("principal://iam.googleapis.com/pools/p/subject/[secret]")).toBe(false);
  expect(["user:[secret]", "[known after the update]", "projects/p/stores/[secret]"].every(isHidden)).toBe(true);
});
