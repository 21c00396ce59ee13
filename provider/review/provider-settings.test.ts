import * as fs from "node:fs";
import * as path from "node:path";
import { UNKNOWN } from "../core/unknown";
import { readPlan, type Plan } from "./plan";
import { providerSettings } from "./provider-settings";
import { readState } from "./state";

const folder = path.join(__dirname, "../../tests/fixtures/plans");
const fixture = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");
const stepOf = ({ steps }: Plan, name: string) => {
  const found = steps.find(({ urn }) => urn.endsWith(`::${name}`));
  if (!found) throw new Error(`no step is called ${name}`);
  return found;
};

const STACK = { grantMode: "merge", project: "demo-project" };

describe("a default provider", () => {
  const plan = readPlan(fixture("update.json"));
  const step = stepOf(plan, "newsec");

  test("has the stack's settings, without those that are hidden", () => {
    const settings = providerSettings(plan, undefined, undefined);
    expect(settings.of(step)).toEqual({
      key: "urn:pulumi:test::p::pulumi:providers:perimeter::default",
      values: STACK,
      hidden: ["accessToken"],
    });
  });

  test("has what is given in place of what the plan hides", () => {
    const settings = providerSettings(plan, undefined, { "perimeter:accessToken": "token", "p:pw": "other" });
    expect(settings.of(step)).toMatchObject({ values: { ...STACK, accessToken: "token" }, hidden: [] });
  });

  test("has the settings of now and not those of the state", () => {
    const state = readState(fixture("state.json"));
    const given = { "perimeter:project": "new-project" };
    expect(providerSettings(plan, state, given).of(step).values).toEqual({ ...STACK, project: "new-project" });
  });
});

describe("a default provider that is used as the state has it", () => {
  const state = readState(fixture("state-with-secrets.json"));
  const moved = { "perimeter:emulatorHost": "127.0.0.1:9" };

  test("when nothing of the program uses it", () => {
    const plan = readPlan(fixture("emptied.json"));
    const { values } = providerSettings(plan, state, moved).of(stepOf(plan, "a"));
    expect(values).toMatchObject({ emulatorHost: "127.0.0.1:8787", accessToken: "othersecret-token" });
  });

  test("in a destroy", () => {
    const plan: Plan = { ...readPlan(fixture("update.json")), operation: "destroy" };
    const { values } = providerSettings(plan, state, moved).of(stepOf(plan, "same"));
    expect(values.emulatorHost).toBe("127.0.0.1:8787");
  });

  test("and has secrets of the stack's where the state hides them", () => {
    const plan = readPlan(fixture("destroy.json"));
    const hidden = readState(fixture("state.json"));
    const step = stepOf(plan, "gone");
    expect(providerSettings(plan, hidden, undefined).of(step).hidden).toEqual(["accessToken"]);
    const given = { "perimeter:accessToken": "token", "perimeter:project": "other" };
    expect(providerSettings(plan, hidden, given).of(step).values).toEqual({ ...STACK, accessToken: "token" });
  });

  test("but not where an unchanged resource that the plan does not show uses it", () => {
    const plan: Plan = { ...readPlan(fixture("emptied.json")), hasUnchanged: false };
    const step = stepOf(plan, "a");
    const others = state.map((each) => (each.urn === step.urn ? { ...each, urn: `${each.urn}-2` } : each));
    expect(providerSettings(plan, others, moved).of(step).values.emulatorHost).toBe("127.0.0.1:9");
  });
});

describe("an explicit provider", () => {
  test("has its own settings, as the plan leaves them", () => {
    const plan = readPlan(fixture("explicit.json"));
    const settings = providerSettings(plan, readState(fixture("explicit-state.json")), undefined);
    const { old, new: planned } = stepOf(plan, "eu");
    expect(planned?.inputs).not.toEqual(old?.inputs);
    expect(settings.of(stepOf(plan, "a")).values).toEqual(planned?.inputs);
    expect(settings.of(stepOf(plan, "n"))).toMatchObject({ values: STACK, hidden: ["accessToken"] });
  });

  test("has those of the state where the plan does not show it", () => {
    const plan = readPlan(fixture("explicit.json"));
    const without: Plan = { ...plan, steps: plan.steps.filter(({ type }) => !type.startsWith("pulumi:providers:")) };
    const settings = providerSettings(without, readState(fixture("explicit-state.json")), undefined);
    expect(settings.of(stepOf(plan, "a")).values).toEqual(stepOf(plan, "eu").old?.inputs);
  });

  test("has secrets that the state shows, and says which settings are not known", () => {
    const plan = readPlan(fixture("emptied.json"));
    const state = readState(fixture("state-with-secrets.json"));
    const step = stepOf(plan, "b");
    expect(providerSettings(plan, state, undefined).of(step).values.accessToken).toBe("topsecret-token");
    expect(providerSettings(plan, undefined, undefined).of(step).hidden).toEqual(["accessToken"]);
    const [provider] = plan.steps.filter(({ urn }) => urn.endsWith("::eu"));
    const old = provider?.old && { ...provider.old, inputs: { project: UNKNOWN } };
    const unknown: Plan = {
      ...plan,
      steps: plan.steps.map((each) => (each === provider && old ? { ...each, old } : each)),
    };
    expect(providerSettings(unknown, undefined, undefined).of(step)).toMatchObject({ values: {}, hidden: ["project"] });
  });
});

test("the npm front has the stack's settings", () => {
  const plan = readPlan(fixture("npm.json"));
  expect(providerSettings(plan, undefined, undefined).of(stepOf(plan, "same"))).toEqual({
    key: "urn:pulumi:test::p::pulumi:providers:pulumi-nodejs::default",
    values: STACK,
    hidden: [],
  });
});

test("google-native has its own settings, and the stack's places of the APIs", () => {
  const type = "google-native:healthcare/v1beta1:DatasetFhirStoreIamMember";
  const plan: Plan = {
    ...readPlan(fixture("update.json")),
    config: {
      "google-native:project": "native",
      "google-native:region": "us-central1",
      "perimeter:project": "own",
      "perimeter:grantMode": "merge",
      "perimeter:emulatorHost": "127.0.0.1:8787",
      "perimeter:healthcareCustomEndpoint": "https://healthcare.example.com/v1beta1/",
    },
  };
  expect(providerSettings(plan, undefined, undefined).of({ urn: "urn:pulumi:s::p::a::b", type })).toEqual({
    key: "default",
    values: {
      project: "native",
      emulatorHost: "127.0.0.1:8787",
      healthcareCustomEndpoint: "https://healthcare.example.com/v1beta1/",
    },
    hidden: [],
  });
});
