import * as fs from "node:fs";
import * as path from "node:path";
import { knownSecrets, scrubbed, withReadableSecrets } from "./known-secrets";
import { readPlan } from "./plan";
import { SECRET } from "./plan-values";
import { readState } from "./state";

const folder = path.join(__dirname, "../../tests/fixtures/plans");
const fixture = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");
const plan = readPlan(fixture("emptied.json"));
const state = readState(fixture("state-with-secrets.json"));
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

describe("a secret that the state shows", () => {
  test("is what the resource had before", () => {
    const [step] = withReadableSecrets(withStep("replace"), state).steps;
    expect(step?.old).toEqual(grant);
    expect(step?.new?.inputs.member).toBe(SECRET);
  });

  test("stays in an unchanged resource", () => {
    const [step] = withReadableSecrets(withStep("same"), state).steps;
    expect(step?.new).toMatchObject({ inputs: grant.inputs, secrets: ["member"] });
  });

  test("is not taken from another resource with the same URN", () => {
    const others = state.map((each) => ({ ...each, id: `${each.id}-2` }));
    expect(withReadableSecrets(withStep("same"), others).steps[0]?.old?.inputs.member).toBe(SECRET);
  });
});

test("no known secret is left in a result", () => {
  const others = [{ ...grant, type: "random:index:Password", inputs: { result: "steps" }, secrets: ["result"] }];
  const given = { "perimeter:accessToken": "given-token", "perimeter:project": "demo-project" };
  const texts = knownSecrets(plan, [...state, ...others], given);
  const result = {
    notes: ["given-token", "topsecret-token", "othersecret-token"],
    resources: [{ principal: "user:hidden@example.com", count: 1, missing: null, on: "projects/demo-project" }],
    steps: true,
  };
  expect(scrubbed(result, texts)).toEqual({
    notes: ["[secret]", "[secret]", "[secret]"],
    resources: [{ principal: "[secret]", count: 1, missing: null, on: "projects/demo-project" }],
    steps: true,
  });
});

test("a setting that the stack keeps secret is one, whatever it is", () => {
  const secretProject = { ...plan, config: { "perimeter:project": SECRET } };
  const texts = knownSecrets(secretProject, [], { "perimeter:project": "demo-project" });
  expect(scrubbed("projects/demo-project/x", texts)).toBe("projects/[secret]/x");
});

test("the words of the result's form stay, whatever is secret", () => {
  const texts = knownSecrets(plan, [], { "perimeter:credentials": "lost", "perimeter:accessToken": "secret" });
  const change = { change: "lost", hidden: "secret", code: "secret", principal: "user:lost" };
  expect(scrubbed(change, texts)).toEqual({ ...change, principal: "user:[secret]" });
});
