/**
 * A review says before an update what the update then does, of each kind of step in merge mode, with both fronts on the real
 * engine. Each scenario has a FHIR store of its own in one stack: a step of the stack is a step of all of them.
 */
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { FHIR_STORE, storeOf } from "../../support/programs";
import type { Front, Grants } from "../../support/review-fronts";
import { grantTexts } from "../../support/review-outcome";
import { changeLines, line, onStore, READER, ReviewWorld, VIEWER } from "../../support/review-world";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const FRONTS: Front[] = missing === undefined ? ["plugin", "npm"] : ["npm"];
const UNTIL = { title: "until-july", expression: 'request.time < timestamp("2026-07-01T00:00:00Z")' };
const LATER = { title: "until-july", expression: 'request.time < timestamp("2027-07-01T00:00:00Z")' };
const OTHERS = [
  { role: VIEWER, members: ["user:zoe@example.com", "deleted:user:gone@example.com?uid=1"] },
  { role: VIEWER, members: ["user:temp@example.com"], condition: UNTIL },
];

const TARGETS = storeOf("targets");
const DRIFTED = storeOf("drifted");
const LEFT = storeOf("left");

let world: ReviewWorld;

describe.each(FRONTS)("%s", (front) => {
  const first: Grants = {
    goes: { member: "group:goes@example.com" },
    moves: { member: "group:before@example.com" },
    first: { member: "group:first@example.com", deleteBeforeReplace: true },
    timed: { member: "group:timed@example.com", condition: UNTIL },
    renamed: { member: "group:renamed@example.com", dependsOn: ["goes"] },
    aliased: { member: "group:aliased@example.com" },
    turned: { member: "group:turned@example.com" },
    one: { member: "group:both@example.com" },
    two: { member: "group:Both@example.com" },
    kept: { member: "group:kept@example.com", retainOnDelete: true },
    there: { member: "user:zoe@example.com", role: VIEWER },
  };
  const second: Grants = {
    moves: { member: "group:after@example.com" },
    first: { member: "group:second@example.com", deleteBeforeReplace: true },
    timed: { member: "group:timed@example.com", condition: LATER },
    "renamed-2": { member: "group:renamed@example.com" },
    "aliased-2": { member: "group:aliased@example.com", alias: "aliased" },
    "turned-2": { member: "group:turned-into@example.com", alias: "turned" },
    one: { member: "group:both@example.com" },
    there: { member: "user:zoe@example.com", role: VIEWER },
    new: { member: "group:new@example.com", role: VIEWER },
  };
  // The last of two that declare one grant goes, and what somebody else had granted before the stack took it over.
  const { one: _one, there: _there, ...third } = second;
  third["aliased-2"] = { member: "group:aliased@example.com" };
  third["turned-2"] = { member: "group:turned-into@example.com" };

  const targets: Grants = {
    "targets-one": { name: TARGETS, member: "group:both@example.com" },
    "targets-two": { name: TARGETS, member: "group:both@example.com" },
  };
  const targeted: Grants = {
    "targets-one": { name: TARGETS, member: "group:changed@example.com" },
    "targets-three": { name: TARGETS, member: "group:three@example.com" },
  };
  const unchanged: Grants = {
    "drifted-gone": { name: DRIFTED, member: "group:gone@example.com" },
    "drifted-stays": { name: DRIFTED, member: "group:stays@example.com" },
    "left-stays": { name: LEFT, member: "group:stays@example.com" },
  };

  let steps: Awaited<ReturnType<typeof carryOut>>;
  beforeAll(async () => {
    world = await ReviewWorld.create(front, { ...first, ...targets, ...unchanged });
    for (const name of [FHIR_STORE, TARGETS, DRIFTED, LEFT]) world.others(OTHERS, name);
    steps = await carryOut();
  });
  afterAll(() => world?.dispose());

  async function carryOut() {
    const created = await world.update();
    world.others(OTHERS, DRIFTED);
    const same = await world.review();

    world.declare({ ...first, ...targeted, ...unchanged });
    const onlyTwo = await world.update(["--target", world.urn("targets-two")]);

    world.declare({ ...second, ...targeted, ...unchanged });
    const state = JSON.stringify(await leaveOneToDelete());
    const changed = await world.review();
    const withState = await world.reviewPlan(changed.plan, { state });
    await world.project.up();
    const wrong = { changed: world.wrong(changed), withState: world.wrong(withState) };

    world.declare({ ...third, ...targeted, ...unchanged });
    const refreshed = await world.update(["--refresh"]);
    // What had another name before is left to the destroy with a refresh.
    const names = ["targets-three", ...Object.keys(third)].filter((name) => name !== "aliased-2");
    const some = names.flatMap((name) => ["--target", world.urn(name)]);
    const someDestroyed = await world.destroy(some);
    world.others(OTHERS, DRIFTED);
    const destroyed = await world.destroy(["--refresh"]);
    return { created, same, onlyTwo, changed, withState, wrong, refreshed, someDestroyed, destroyed };
  }

  /** As an update leaves it that made a replacement and was ended then. @returns the state */
  async function leaveOneToDelete() {
    const state = await world.project.exportState();
    const resources = state.deployment.resources ?? [];
    const stays = resources.find(({ urn }) => urn === world.urn("left-stays"));
    const before = (values?: Record<string, unknown>) => ({ ...values, member: "group:before@example.com" });
    resources.push({
      ...stays,
      type: String(stays?.type),
      urn: String(stays?.urn),
      delete: true,
      id: String(stays?.id).replace("stays", "before"),
      inputs: before(stays?.inputs),
      outputs: before(stays?.outputs),
    });
    world.project.importState(state);
    world.others(
      [
        ...(world.policies()[LEFT]?.bindings ?? []),
        { role: VIEWER, members: ["user:new@example.com"] },
        { role: READER, members: ["group:before@example.com"] },
      ],
      LEFT,
    );
    return state;
  }

  test("create: what is there already is no gain", () => {
    const { result, wrong } = steps.created;
    expect(wrong).toEqual([]);
    expect(result).toMatchObject({ operation: "update", stack: "test", project: "p", unknown: [] });
    expect(changeLines(onStore(result, FHIR_STORE))).toHaveLength(9);
    expect(result.summary).toMatchObject({ lost: 0, refused: 0 });
    expect(result.verdict.exitCode).toBe(0);
  });

  test("same: nothing, and what somebody else removed is not seen without a refresh", () => {
    expect(steps.same.result.resources).toEqual([]);
    expect(steps.same.result.verdict.exitCode).toBe(0);
  });

  test("replace, condition, rename, alias, duplicates, delete, retain", () => {
    const { result } = steps.changed;
    // What the state alone knows is another scenario.
    expect(steps.wrong.changed.filter((each) => !each.startsWith(LEFT))).toEqual([]);
    const resource = onStore(result, FHIR_STORE).resources[0];
    expect(changeLines(onStore(result, FHIR_STORE))).toEqual(
      [
        line("-", "group:goes@example.com"),
        line("-", "group:before@example.com"),
        line("-", "group:first@example.com"),
        line("-", "group:turned@example.com"),
        line("+", "group:after@example.com"),
        line("+", "group:turned-into@example.com"),
        line("+", "group:second@example.com"),
        line("+", "group:new@example.com", VIEWER),
        line("~", "group:timed@example.com", undefined, LATER),
      ].sort(),
    );
    expect(resource).toMatchObject({ resource: FHIR_STORE, api: "healthcare" });
    const of = (member: string) =>
      resource?.changes.find(({ principal }) => principal === `group:${member}@example.com`);
    expect(of("goes")).toMatchObject({ steps: [world.urn("goes")], wasManaged: true });
    expect(of("after")?.steps).toEqual([world.urn("moves")]);
    expect(of("before")?.steps).toEqual([world.urn("moves")]);
    expect(of("timed")).toMatchObject({ conditionBefore: UNTIL, steps: [world.urn("timed")] });
    expect([...(resource?.noAccessLeft ?? [])].sort()).toEqual([
      "group:before@example.com",
      "group:first@example.com",
      "group:goes@example.com",
      "group:turned@example.com",
    ]);
    expect(result.verdict.exitCode).toBe(2);
    // What no resource of the stack declares any more, or never did.
    expect(
      resource?.unmanaged
        .map(({ principal }) => principal)
        .filter((each) => !each.startsWith("deleted:"))
        .sort(),
    ).toEqual(["group:kept@example.com", "user:temp@example.com"]);
  });

  test("the last of two that declare one grant, and one that others had granted before, go", () => {
    expect(steps.refreshed.wrong).toEqual([]);
    expect(changeLines(onStore(steps.refreshed.result, FHIR_STORE))).toEqual(
      [line("-", "group:both@example.com"), line("-", "user:zoe@example.com", VIEWER)].sort(),
    );
  });

  test("--target leaves out the others, and a grant that they declare too goes all the same", () => {
    const { onlyTwo, changed, someDestroyed } = steps;
    expect([onlyTwo.wrong, someDestroyed.wrong]).toEqual([[], []]);
    expect(changeLines(onlyTwo.result)).toEqual([line("-", "group:both@example.com")]);
    expect(changeLines(onStore(changed.result, TARGETS))).toEqual([
      line("+", "group:changed@example.com"),
      line("+", "group:three@example.com"),
    ]);
    expect(changeLines(onStore(someDestroyed.result, TARGETS))).toEqual([line("-", "group:three@example.com")]);
  });

  test("--refresh finds what somebody else removed, and a destroy finds nothing to lose there", () => {
    expect([steps.refreshed.wrong, steps.destroyed.wrong]).toEqual([[], []]);
    expect(changeLines(onStore(steps.destroyed.result, DRIFTED))).toEqual([]);
    expect(changeLines(onStore(steps.refreshed.result, DRIFTED))).toEqual(
      [line("+", "group:gone@example.com"), line("+", "group:stays@example.com")].sort(),
    );
  });

  test("what an earlier update left to delete is known from the state", () => {
    expect(steps.wrong.withState).toEqual([]);
    expect(changeLines(onStore(steps.withState.result, LEFT))).toEqual([line("-", "group:before@example.com")]);
  });

  test("destroy takes what the stack made, and leaves what others have", () => {
    const { someDestroyed, destroyed } = steps;
    expect([someDestroyed.wrong, destroyed.wrong]).toEqual([[], []]);
    expect(changeLines(onStore(someDestroyed.result, FHIR_STORE))).toEqual(
      ["after", "second", "timed", "renamed", "turned-into"]
        .map((name) => line("-", `group:${name}@example.com`, READER, name === "timed" ? LATER : undefined))
        .concat(line("-", "group:new@example.com", VIEWER))
        .sort(),
    );
    expect(grantTexts(world.policies()[FHIR_STORE]).size).toBe(3);
    expect(destroyed.result.operation).toBe("destroy");
    expect(changeLines(destroyed.result)).toEqual(
      ["aliased", "changed", "stays"].map((name) => line("-", `group:${name}@example.com`)),
    );
  });
});
