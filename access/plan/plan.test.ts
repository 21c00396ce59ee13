import * as fs from "node:fs";
import * as path from "node:path";
import { InputError } from "../../provider/core/errors";
import { UNKNOWN } from "../../provider/core/unknown";
import { readPlan, withSavedPlan, type Plan } from "./plan";
import { SECRET } from "./plan-values";

const folder = path.join(__dirname, "../../tests/fixtures/plans");
const fixture = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");
const planOf = (name: string) => readPlan(fixture(name));
const stepsOf = ({ steps }: Plan) => steps.map(({ op, urn }) => `${op} ${urn.split("::").at(-1)}`);
const inputsOf = (plan: Plan, name: string) => plan.steps.find(({ urn }) => urn.endsWith(`::${name}`))?.new?.inputs;

describe("the plan of an update", () => {
  const plan = planOf("update.json");

  test("has its stack, its steps in the engine's order and the configuration", () => {
    expect(plan).toMatchObject({ operation: "update", stack: "test", project: "p", errors: [], hasUnchanged: true });
    expect(stepsOf(plan)).toEqual([
      "same p-test",
      "same eu",
      "same explicit",
      "same j",
      "create newsec",
      "create unk",
      "same same",
      "replace sec",
      "replace moved",
      "delete gone",
    ]);
    expect(plan.config).toEqual({
      "p:pw": SECRET,
      "perimeter:accessToken": SECRET,
      "perimeter:grantMode": "merge",
      "perimeter:project": "demo-project",
    });
  });

  test("has symbols for secret and for unknown values", () => {
    expect(inputsOf(plan, "newsec")).toMatchObject({ member: SECRET, role: "roles/healthcare.fhirStoreAdmin" });
    expect(inputsOf(planOf("create.json"), "eu")).toMatchObject({ project: "demo-project" });
    const text = fixture("update.json").replaceAll(
      "roles/healthcare.fhirStoreAdmin",
      "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
    );
    expect(inputsOf(readPlan(text), "newsec")).toMatchObject({ role: UNKNOWN });
  });

  test("has both states of a replacement, and shows which one is deleted later", () => {
    const step = plan.steps.find(({ op, urn }) => op === "replace" && urn.endsWith("::moved"));
    expect(step?.old).toMatchObject({ delete: true, type: step?.type });
    expect(step?.new?.inputs.condition).toEqual({ title: "t", expression: "false" });
    expect(step?.provider).toMatch(/::pulumi:providers:perimeter::default::[0-9a-f-]{36}$/);
  });

  test("lacks unchanged resources if it was made without --show-sames", () => {
    expect(planOf("update-without-sames.json").hasUnchanged).toBe(false);
    expect(planOf("create.json").hasUnchanged).toBe(true);
  });
});

test("a step has what decides when the engine deletes its resource, and what the resource depends on", () => {
  const urn = "urn:pulumi:test::p::m:i:Thing::a";
  const other = urn.replace(/a$/, "b");
  const decides = { delete: true, pendingReplacement: true, retainOnDelete: true, deletedWith: other, external: true };
  const oldState = { urn, type: "m:i:Thing", ...decides, importID: "imported", parent: other, dependencies: [other] };
  const [step] = readPlan(JSON.stringify({ steps: [{ op: "delete", urn, oldState }] })).steps;
  const depends = { importId: "imported", parent: other, dependencies: [other] };
  expect(step?.old).toEqual({ urn, type: "m:i:Thing", inputs: {}, outputs: {}, ...decides, ...depends });
});

test.each([
  // Only a destroy of all resources deletes the stack.
  ["destroy.json", "destroy", undefined],
  ["refresh.json", "update", undefined],
  // No resource is left that could show that the program ran.
  ["emptied.json", "update", true],
  ["npm.json", "update", undefined],
])("%s is the plan of an %s, or may be that of a destroy: %s", (name, operation, mayBeDestroy) => {
  expect([planOf(name).operation, planOf(name).mayBeDestroy]).toEqual([operation, mayBeDestroy]);
});

describe("a preview that failed", () => {
  test("has its errors", () => {
    const { errors, steps } = planOf("failed.json");
    expect(errors).toEqual([expect.stringMatching(/^error: .*role must be a role: .*got "nonsense"$/)]);
    expect(steps).toHaveLength(3);
  });

  test("has its errors also if a YAML program cannot be evaluated", () => {
    expect(planOf("failed-yaml.json").errors).toEqual([
      'Error: resource, variable, or config value "nowhere" not found',
      // What the language host prints with it: the line of the program.
      expect.stringMatching(/^on Pulumi.yaml line 1:/),
    ]);
  });
});

test("reads the losses that the provider reported at preview, and ignores other messages", () => {
  const warning = (urn: string | undefined, message: string) => ({ urn, severity: "warning", message });
  const replaces =
    "warning: This replaces the access policy of projects/p/x: 12 principals will lose and 1 principal gain a role\n- a";
  const diagnostics = [
    warning("urn:a", replaces),
    warning(undefined, replaces.replace("12 principals", "1 principal")),
    warning("urn:b", "warning: Access to projects/p/x: 2 principals will gain a role"),
  ];
  expect(readPlan(JSON.stringify({ steps: [], diagnostics })).announced).toEqual([
    { urn: "urn:a", resource: "projects/p/x", principals: 12 },
    { urn: "", resource: "projects/p/x", principals: 1 },
  ]);
});

describe("a text that is not a plan", () => {
  const SECRET_TEXT = "the-text-of-a-secret";

  test.each([
    ["nothing", "", /is empty/],
    ["blanks", " \n", /is empty/],
    ["the text form", "Previewing update (test):\n + a created", /is not JSON/],
    ["a list", `["${SECRET_TEXT}"]`, /is a list/],
    ["a text", `"${SECRET_TEXT}"`, /is a single value/],
    ["another object", `{"${SECRET_TEXT}":1}`, /not what `pulumi preview --json` prints/],
    ["a state", fixture("state.json"), /is a stack's state/],
    ["an update plan", `{"resourcePlans":{"a":"${SECRET_TEXT}"}}`, /is an update plan/],
    ["events", fixture("up-events.jsonl"), /is a stream of the engine's events/],
    ["one event", fixture("up-events.jsonl").split("\n")[0] ?? "", /is a stream of the engine's events/],
    ["half a plan", fixture("update.json").slice(0, 5000), /ends in the middle/],
    ["two plans", fixture("update.json") + fixture("update.json"), /several JSON documents/],
    ["two plans, a line each", `{"a":"${SECRET_TEXT}"}\n{"a":1}\n`, /several JSON documents/],
    [
      "a plan with lines behind it",
      `${fixture("update.json").trim()}\n\nwarning: ${SECRET_TEXT}`,
      new RegExp(`has other text after its JSON, from line ${fixture("update.json").trim().split("\n").length + 2} on`),
    ],
    ["a plan on one line, with text behind it", `{"steps":[]} ${SECRET_TEXT}\nmore`, /after its JSON, from line 1 on/],
    [
      "a plan with the banner of another program in front",
      `\n> ${SECRET_TEXT}\n[warn] x\n\n${fixture("update.json")}`,
      /has other text in front of its JSON, which begins in line 5\. Print it with/,
    ],
    [
      "a plan with text in it",
      fixture("update.json").replace('"steps"', `${SECRET_TEXT}\n"steps"`),
      /other text in it/,
    ],
    ["text with a brace", `x\n{${SECRET_TEXT}`, /is not JSON/],
    ["a step without a URN", `{"steps":[{"op":"same","urn":"urn:a"},{"op":"${SECRET_TEXT}"}]}`, /steps\[1\]\.urn/],
    [
      "a summary without steps",
      `{"changeSummary":{"same":1,"delete":2}}`,
      /counts the operation delete 2 times.*have it 0 times$/,
    ],
    [
      "a summary of more steps than there are",
      `{"steps":[{"op":"create","urn":"urn:a"}],"changeSummary":{"create":2}}`,
      /counts the operation create 2 times.*have it 1 times$/,
    ],
    ["steps of another kind", `{"steps":{"a":"${SECRET_TEXT}"}}`, /steps is invalid/],
  ])("%s is refused with one message that does not quote it", (_what, text, message) => {
    const error = catching(() => readPlan(text));
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toMatch(/^The plan cannot be read: it (is|has|ends|contains) /);
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain(SECRET_TEXT);
    expect(error.message).not.toContain("\n");
  });

  function catching(run: () => unknown): Error {
    try {
      run();
    } catch (error) {
      if (error instanceof Error) return error;
    }
    throw new Error("it was taken");
  }
});

test("ignores a byte order mark before the JSON", () => {
  expect(readPlan(`\uFEFF${fixture("update.json")}`).steps).toHaveLength(10);
});

test("accepts a plan of other providers, and a plan without resources", () => {
  const step = { op: "create", urn: "urn:pulumi:s::p::a:b:C$random:index:Pet::x" };
  expect(readPlan(JSON.stringify({ steps: [step] })).steps[0]).toEqual({ ...step, type: "random:index:Pet" });
  const empty = {
    operation: "update",
    steps: [],
    config: {},
    errors: [],
    announced: [],
    previewed: [],
  };
  const none = { ...empty, hasUnchanged: true, unchangedNotShown: 0 };
  expect(readPlan('{"changeSummary":{}}')).toEqual(none);
  // What a refresh finds is shown as an update or a delete.
  expect(readPlan('{"changeSummary":{"refresh":1,"same":1}}').unchangedNotShown).toBe(1);
});

test("reads 10,000 steps", () => {
  const { steps, ...rest } = JSON.parse(fixture("update.json")) as { steps: unknown[] };
  const many = Array.from({ length: 10_000 }, (_, at) => steps[at % steps.length]);
  const text = JSON.stringify({ ...rest, steps: many }, null, 4);
  expect(readPlan(text).steps).toHaveLength(10_000);
});

describe("the command that printed a plan", () => {
  const STACK = { urn: "urn:pulumi:test::p::pulumi:pulumi:Stack::p-test", type: "pulumi:pulumi:Stack" };
  const grant = (name: string) => ({ urn: `urn:pulumi:test::p::m:i:Thing::${name}`, type: "m:i:Thing" });
  type Shown = ReturnType<typeof grant>;
  const outputs = { shown: 1 };
  const deleted = (resource: Shown) => ({ op: "delete", urn: resource.urn, oldState: { ...resource, outputs } });
  /** As it is after the program has registered it. */
  const registered = (resource: Shown, old: object = { outputs }) => ({
    op: "same",
    urn: resource.urn,
    oldState: { ...resource, ...old },
    newState: resource,
  });
  /** As the engine leaves it without having asked a program. */
  const kept = (resource: Shown) => ({ ...registered(resource), newState: { ...resource, outputs } });
  const planOfSteps = (steps: object[], command?: "update" | "destroy") =>
    readPlan(JSON.stringify({ steps, changeSummary: {} }), command);

  test.each([
    ["has a step other than a delete", [kept(STACK), { op: "create", urn: grant("a").urn }, deleted(grant("b"))]],
    ["has no delete", [kept(STACK), registered(grant("a"))]],
    ["has new outputs of the stack", [registered(STACK), deleted(grant("a"))]],
    [
      "has a resource that the program has registered",
      [registered(STACK, {}), registered(grant("b")), deleted(grant("a"))],
    ],
  ])("is that of an update if it %s", (_name, steps) => {
    expect(planOfSteps(steps)).toMatchObject({ operation: "update" });
    expect(planOfSteps(steps)).not.toHaveProperty("mayBeDestroy");
  });

  test.each([
    ["alone", [deleted(grant("a")), deleted(STACK)]],
    ["after the program ran", [registered(STACK), registered(grant("a")), deleted(grant("a")), deleted(STACK)]],
  ])("is that of a destroy if it deletes the stack %s, unless somebody says another", (_name, steps) => {
    expect(planOfSteps(steps)).toMatchObject({ operation: "destroy" });
    expect(planOfSteps(steps)).not.toHaveProperty("mayBeDestroy");
    expect(planOfSteps(steps, "update")).toMatchObject({ operation: "update" });
    expect(planOfSteps([...steps, { op: "create", urn: grant("b").urn }])).toMatchObject({ operation: "update" });
  });

  test.each([
    ["alone", [deleted(grant("a"))]],
    ["and a program has registered what they delete", [registered(STACK), registered(grant("a")), deleted(grant("a"))]],
    ["and no program has run", [kept(STACK), deleted(grant("a"))]],
    ["and the stack has no outputs", [registered(STACK, {}), deleted(grant("a"))]],
    [
      "and an update of a provider",
      [{ op: "update", urn: "urn:pulumi:s::p::pulumi:providers:m::m" }, deleted(grant("a"))],
    ],
    ["as `--target` leaves them out of the state", [{ ...deleted(grant("a")), op: "discard" }]],
  ])("is unknown if it has deletes %s, unless somebody says it", (_name, steps) => {
    expect(planOfSteps(steps)).toMatchObject({ operation: "update", mayBeDestroy: true });
    for (const command of ["update", "destroy"] as const) {
      expect(planOfSteps(steps, command)).toMatchObject({ operation: command });
      expect(planOfSteps(steps, command)).not.toHaveProperty("mayBeDestroy");
    }
  });
});

describe("the plan that Pulumi saved beside a printed one", () => {
  const plan = planOf("update.json");
  const saved = (manifest: unknown) => withSavedPlan(plan, JSON.stringify({ manifest, resourcePlans: {} }));

  test("shows all settings", () => {
    expect(saved(undefined).hasAllProviders).toBe(true);
    expect(withSavedPlan(plan, "something else").hasAllProviders).toBeUndefined();
  });

  test.each([
    [{ version: "v3.250.0" }, "v3.250.0"],
    [{ version: "3.276.0-alpha.x1" }, "3.276.0-alpha.x1"],
    [{ version: "" }, undefined],
    [{ version: "dev" }, undefined],
    [{}, undefined],
    [null, undefined],
    [undefined, undefined],
  ])("names the version of Pulumi, if that has one: %j", (manifest, engine) => {
    expect(saved(manifest).engine).toBe(engine);
  });
});
