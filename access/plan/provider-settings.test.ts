import * as fs from "node:fs";
import * as path from "node:path";
import { UNKNOWN } from "../../provider/core/unknown";
import { readPlan, type Plan } from "./plan";
import type { PlannedState } from "./planned-state";
import { SECRET } from "./plan-values";
import { providerSettings } from "./provider-settings";
import { readStackState } from "./state";

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

  test("has the stack's settings, without hidden ones", () => {
    const settings = providerSettings(plan, { state: undefined });
    expect(settings.of(step)).toEqual({
      key: "urn:pulumi:test::p::pulumi:providers:perimeter::default",
      values: STACK,
      hidden: ["accessToken"],
      isKnown: true,
    });
  });

  test("uses the given values in place of values that the plan hides", () => {
    const settings = providerSettings(plan, {
      state: undefined,
      given: { "perimeter:accessToken": "token", "p:pw": "other" },
    });
    expect(settings.of(step)).toMatchObject({ values: { ...STACK, accessToken: "token" }, hidden: [] });
  });

  test("has the current settings, not the settings in the state", () => {
    const state = readStackState(fixture("state.json")).resources;
    const given = { "perimeter:project": "new-project" };
    expect(providerSettings(plan, { state: state, given: given }).of(step).values).toEqual({
      ...STACK,
      project: "new-project",
    });
  });
});

describe("the default provider of the state is used", () => {
  const state = readStackState(fixture("state-with-secrets.json")).resources;
  const moved = { "perimeter:emulatorHost": "127.0.0.1:9" };
  const SAME = { "perimeter:emulatorHost": "127.0.0.1:8787" };

  test("if no resource of the program uses it", () => {
    const plan = readPlan(fixture("emptied.json"));
    const { values } = providerSettings(plan, { state: state, given: moved }).of(stepOf(plan, "a"));
    expect(values).toMatchObject({ emulatorHost: "127.0.0.1:8787", accessToken: "othersecret-token" });
  });

  test("in a destroy", () => {
    const plan = readPlan(fixture("destroy.json"), "destroy");
    const { values, doubt } = providerSettings(plan, { state: state, given: moved }).of(stepOf(plan, "gone"));
    expect([values.emulatorHost, doubt]).toEqual(["127.0.0.1:8787", undefined]);
  });

  test("but not in a destroy that runs the program", () => {
    const plan: Plan = { ...readPlan(fixture("update.json")), operation: "destroy" };
    const { values } = providerSettings(plan, { state: state, given: moved }).of(stepOf(plan, "same"));
    expect(values.emulatorHost).toBe("127.0.0.1:9");
  });

  test.each([
    ["of the stack differ: the program may call a function with it", moved, {}, "(emulatorHost)"],
    ["of the stack differ in more", { ...moved, "perimeter:grantMode": "replace" }, {}, "emulatorHost, grantMode"],
    ["are those of the stack", SAME, {}, undefined],
    ["differ, but not in what decides about a grant", { ...SAME, "perimeter:accessToken": "token" }, {}, undefined],
    ["differ, and the plan shows all providers", moved, { hasAllProviders: true }, undefined],
  ])("with a doubt if its settings %s", (_what, given, more, expected) => {
    const plan: Plan = { ...readPlan(fixture("emptied.json")), ...more };
    const { doubt } = providerSettings(plan, { state, given }).of(stepOf(plan, "a"));
    if (expected === undefined) expect(doubt).toBeUndefined();
    else expect(doubt).toContain(expected);
  });

  test("with secrets of the stack if the state hides them", () => {
    const plan = readPlan(fixture("destroy.json"));
    const hidden = readStackState(fixture("state.json")).resources;
    const step = stepOf(plan, "gone");
    expect(providerSettings(plan, { state: hidden }).of(step).hidden).toEqual(["accessToken"]);
    const given = { "perimeter:accessToken": "token", "perimeter:project": "other" };
    expect(providerSettings(plan, { state: hidden, given: given }).of(step).values).toEqual({
      ...STACK,
      accessToken: "token",
    });
  });

  test("but not if the plan hides an unchanged resource that uses it", () => {
    const plan: Plan = { ...readPlan(fixture("emptied.json")), hasUnchanged: false };
    const step = stepOf(plan, "a");
    const others = state.map((each) => (each.urn === step.urn ? { ...each, urn: `${each.urn}-2` } : each));
    expect(providerSettings(plan, { state: others, given: moved }).of(step).values.emulatorHost).toBe("127.0.0.1:9");
  });
});

describe("an explicit provider", () => {
  test("has its own settings, as they are after the plan", () => {
    const plan = readPlan(fixture("explicit.json"));
    const settings = providerSettings(plan, { state: readStackState(fixture("explicit-state.json")).resources });
    const { old, new: planned } = stepOf(plan, "eu");
    expect(planned?.inputs).not.toEqual(old?.inputs);
    expect(settings.of(stepOf(plan, "a")).values).toEqual(planned?.inputs);
    expect(settings.of(stepOf(plan, "n"))).toMatchObject({ values: STACK, hidden: ["accessToken"] });
  });

  test("has the settings in the state if the plan does not show it", () => {
    const plan = readPlan(fixture("explicit.json"));
    const without: Plan = { ...plan, steps: plan.steps.filter(({ type }) => !type.startsWith("pulumi:providers:")) };
    const settings = providerSettings(without, { state: readStackState(fixture("explicit-state.json")).resources });
    expect(settings.of(stepOf(plan, "a")).values).toEqual(stepOf(plan, "eu").old?.inputs);
  });

  test("has the secrets that the state shows, and names the unknown settings", () => {
    const plan = readPlan(fixture("emptied.json"));
    const state = readStackState(fixture("state-with-secrets.json")).resources;
    const step = stepOf(plan, "b");
    expect(providerSettings(plan, { state: state }).of(step).values.accessToken).toBe("topsecret-token");
    expect(providerSettings(plan, { state: undefined }).of(step).hidden).toEqual(["accessToken"]);
    const [provider] = plan.steps.filter(({ urn }) => urn.endsWith("::eu"));
    const old = provider?.old && { ...provider.old, inputs: { project: UNKNOWN } };
    const unknown: Plan = {
      ...plan,
      steps: plan.steps.map((each) => (each === provider && old ? { ...each, old } : each)),
    };
    expect(providerSettings(unknown, { state: undefined }).of(step)).toMatchObject({ values: {}, hidden: ["project"] });
  });
});

describe("a provider with the name of a default provider", () => {
  const plan = readPlan(fixture("update.json"));
  const step = stepOf(plan, "newsec");
  const urn = step.provider?.slice(0, step.provider.lastIndexOf("::")) ?? "";
  const type = "pulumi:providers:perimeter";
  const inState = { urn, type, id: "1", inputs: { grantMode: "replace" }, outputs: {} };
  const parent = "urn:pulumi:test::p::pulumi:pulumi:Stack::p-test";

  test("is a default provider without a parent, and an explicit provider with one", () => {
    expect(providerSettings(plan, { state: [inState] }).of(step)).toMatchObject({ values: STACK });
    const own = providerSettings(plan, { state: [{ ...inState, parent }] }).of(step);
    expect(own).toMatchObject({ values: { grantMode: "replace" }, isKnown: true });
    // The plan does not show whether the update changes it.
    expect(own.doubt).toMatch(/begins with `default`/);
    const destroy: Plan = { ...plan, operation: "destroy", steps: [] };
    expect(providerSettings(destroy, { state: [{ ...inState, parent }] }).of(step).doubt).toBeUndefined();
  });

  test.each(["default", "default_1_0_0", "default_1_0_0_alpha_1", "default_1_0_0_https_/get.example.com/x"])(
    "%s is a default provider if nothing shows the opposite",
    (name) => {
      const provider = `urn:pulumi:test::p::${type}::${name}::1`;
      const steps = plan.steps.map((each) => (each === step ? { ...step, provider } : each));
      const found = providerSettings({ ...plan, steps }, { state: undefined }).of({ ...step, provider });
      expect(found).toMatchObject({ values: STACK, isKnown: true });
    },
  );

  test.each(["default-eu", "default_eu", "defaults", "other"])(
    "%s is the program's, and unknown without a state",
    (name) => {
      const provider = `urn:pulumi:test::p::${type}::${name}::1`;
      const found = providerSettings(plan, { state: undefined }).of({ ...step, provider });
      expect(found).toMatchObject({ values: {}, isKnown: false });
      expect(found.doubt).toBeDefined();
    },
  );
});

test("a replaced provider has its old settings for the old resource, and its new settings for the new resource", () => {
  const plan = readPlan(fixture("explicit.json"));
  const eu = stepOf(plan, "eu");
  const before = { ...eu.old, id: "old", inputs: { grantMode: "merge" } } as PlannedState;
  const after = { ...eu.new, id: "new", inputs: { grantMode: "replace" } } as PlannedState;
  const steps = [{ ...eu, op: "replace", old: before, new: after }];
  const settings = providerSettings({ ...plan, steps }, { state: undefined });
  const type = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";
  const [old, now] = ["old", "new"].map((id) => settings.of({ type, provider: `${eu.urn}::${id}` }));
  expect(old).toMatchObject({ values: { grantMode: "merge" } });
  expect(now).toMatchObject({ values: { grantMode: "replace" }, key: eu.urn });
  expect(old?.key).not.toBe(now?.key);
});

test("a secret setting that may change is unknown, even if the state or the stack has a value", () => {
  const plan = readPlan(fixture("explicit.json"));
  const eu = stepOf(plan, "eu");
  const hidden = { grantMode: SECRET, accessToken: SECRET };
  const old = { ...eu.old, inputs: { grantMode: "merge", accessToken: "token" } } as PlannedState;
  const step = { ...eu, op: "update", old: { ...old, inputs: hidden }, new: { ...old, inputs: hidden } };
  const given = { "perimeter:grantMode": "merge" };
  const settings = (op: string) => providerSettings({ ...plan, steps: [{ ...step, op }] }, { state: [old], given });
  const grant = stepOf(plan, "a");
  expect(settings("update").of(grant)).toMatchObject({ values: { accessToken: "token" }, hidden: ["grantMode"] });
  expect(settings("same").of(grant)).toMatchObject({ values: { grantMode: "merge" }, hidden: [] });
});

test("the npm front has the stack's settings", () => {
  const plan = readPlan(fixture("npm.json"));
  expect(providerSettings(plan, { state: undefined }).of(stepOf(plan, "same"))).toEqual({
    key: "urn:pulumi:test::p::pulumi:providers:pulumi-nodejs::default",
    values: STACK,
    hidden: [],
    isKnown: true,
  });
});

test("google-native has its own settings, and the stack's endpoints of the APIs", () => {
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
  expect(providerSettings(plan, { state: undefined }).of({ type })).toEqual({
    key: "default",
    values: {
      project: "native",
      emulatorHost: "127.0.0.1:8787",
      healthcareCustomEndpoint: "https://healthcare.example.com/v1beta1/",
    },
    hidden: [],
    isKnown: true,
  });
});
