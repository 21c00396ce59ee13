/** A review says before an update what the update then does, of each kind of step, with both fronts on the real engine. */
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { FHIR_STORE } from "../../support/programs";
import { grantTexts } from "../../support/review-outcome";
import { changeLines, line, ReviewWorld, VIEWER, type Front, type Grants } from "../../support/review-world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const FRONTS: Front[] = missing === undefined ? ["plugin", "npm"] : ["npm"];
const UNTIL = { title: "until-july", expression: 'request.time < timestamp("2026-07-01T00:00:00Z")' };
const LATER = { title: "until-july", expression: 'request.time < timestamp("2027-07-01T00:00:00Z")' };
const OTHERS = [
  { role: VIEWER, members: ["user:zoe@example.com", "deleted:user:gone@example.com?uid=1"] },
  { role: VIEWER, members: ["user:temp@example.com"], condition: UNTIL },
];

let world: ReviewWorld;
afterEach(() => world?.dispose());

describe.each(FRONTS)("%s", (front) => {
  const start = async (grants: Grants, grantMode = "merge", more: Record<string, string | boolean> = {}) => {
    world = await ReviewWorld.create(front, grants, { config: { "perimeter:grantMode": grantMode, ...more } });
    world.others(OTHERS);
  };

  test("merge: create, same, replace, condition, rename, alias, duplicates, delete, retain, destroy", async () => {
    const first: Grants = {
      goes: { member: "group:goes@example.com" },
      moves: { member: "group:before@example.com" },
      first: { member: "group:first@example.com", deleteBeforeReplace: true },
      timed: { member: "group:timed@example.com", condition: UNTIL },
      renamed: { member: "group:renamed@example.com", dependsOn: ["goes"] },
      aliased: { member: "group:aliased@example.com" },
      one: { member: "group:both@example.com" },
      two: { member: "group:Both@example.com" },
      kept: { member: "group:kept@example.com", retainOnDelete: true },
      there: { member: "user:zoe@example.com", role: VIEWER },
    };
    await start(first);
    const created = await world.update();
    expect(created.wrong).toEqual([]);
    expect(created.result).toMatchObject({ operation: "update", stack: "test", project: "p", unknown: [] });
    expect(created.result.summary).toMatchObject({ gained: 8, lost: 0, refused: 0 });
    expect(created.result.verdict.exitCode).toBe(0);

    const same = await world.update();
    expect(same.wrong).toEqual([]);
    expect(same.result.resources).toEqual([]);
    expect(same.result.verdict.exitCode).toBe(0);

    const second: Grants = {
      moves: { member: "group:after@example.com" },
      first: { member: "group:second@example.com", deleteBeforeReplace: true },
      timed: { member: "group:timed@example.com", condition: LATER },
      "renamed-2": { member: "group:renamed@example.com" },
      "aliased-2": { member: "group:aliased@example.com", alias: "aliased" },
      one: { member: "group:both@example.com" },
      there: { member: "user:zoe@example.com", role: VIEWER },
      new: { member: "group:new@example.com", role: VIEWER },
    };
    world.declare(second);
    const changed = await world.update();
    expect(changed.wrong).toEqual([]);
    expect(changeLines(changed.result)).toEqual(
      [
        line("-", "group:goes@example.com"),
        line("-", "group:before@example.com"),
        line("-", "group:first@example.com"),
        line("+", "group:after@example.com"),
        line("+", "group:second@example.com"),
        line("+", "group:new@example.com", VIEWER),
        line("~", "group:timed@example.com", undefined, LATER),
      ].sort(),
    );
    const [resource] = changed.result.resources;
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
    ]);
    expect(changed.result.verdict.exitCode).toBe(2);
    // What no resource of the stack declares any more, or never did.
    expect(
      resource?.unmanaged
        .map(({ principal }) => principal)
        .filter((each) => !each.startsWith("deleted:"))
        .sort(),
    ).toEqual(["group:kept@example.com", "user:temp@example.com"]);

    // The last of two that declare one grant, and what somebody else had granted before the stack took it over.
    const { one: _one, there: _there, ...third } = second;
    world.declare({ ...third, "aliased-2": { member: "group:aliased@example.com" } });
    const removed = await world.update();
    expect(removed.wrong).toEqual([]);
    expect(changeLines(removed.result)).toEqual(
      [line("-", "group:both@example.com"), line("-", "user:zoe@example.com", VIEWER)].sort(),
    );

    const destroyed = await world.destroy();
    expect(destroyed.result.operation).toBe("destroy");
    expect(destroyed.wrong).toEqual([]);
    expect(destroyed.result.summary.lost).toBe(6);
    expect(grantTexts(world.policies()[FHIR_STORE]).size).toBe(3);
  });

  test("replace: what others had goes at a create and a replace; a delete takes one grant", async () => {
    await start({ only: { member: "group:nurses@example.com" } }, "replace");
    const created = await world.update();
    expect(created.wrong).toEqual([]);
    expect(changeLines(created.result)).toEqual(
      [
        line("+", "group:nurses@example.com"),
        line("-", "deleted:user:gone@example.com?uid=1", VIEWER),
        line("-", "user:temp@example.com", VIEWER, UNTIL),
        line("-", "user:zoe@example.com", VIEWER),
      ].sort(),
    );
    const lost = created.result.resources[0]?.changes.filter(({ change }) => change === "lost");
    expect(lost?.every(({ wasManaged }) => wasManaged === false)).toBe(true);

    world.others([...OTHERS, { role: VIEWER, members: ["group:nurses@example.com"] }]);
    world.declare({ only: { member: "group:nurses@example.com", role: VIEWER } });
    const replaced = await world.update();
    expect(replaced.wrong).toEqual([]);
    world.others([...OTHERS, { role: VIEWER, members: ["group:nurses@example.com", "user:zoe@example.com"] }]);
    world.declare({ "only-2": { member: "group:nurses@example.com", role: VIEWER } });
    expect((await world.update()).wrong).toEqual([]);
    world.others([...OTHERS, { role: VIEWER, members: ["group:nurses@example.com"] }]);
    world.declare({});
    const removed = await world.update();
    expect(removed.wrong).toEqual([]);
    expect(changeLines(removed.result)).toEqual([line("-", "group:nurses@example.com", VIEWER)]);
  });

  test("--target leaves out the others, and a grant that they declare too goes all the same", async () => {
    const both: Grants = { one: { member: "group:both@example.com" }, two: { member: "group:both@example.com" } };
    await start(both);
    await world.project.up();
    world.declare({ one: { member: "group:changed@example.com" }, three: { member: "group:three@example.com" } });
    const targeted = await world.update(["--target", world.urn("two")]);
    expect(targeted.wrong).toEqual([]);
    const rest = await world.update();
    expect(rest.wrong).toEqual([]);
    expect((await world.destroy(["--target", world.urn("three")])).wrong).toEqual([]);
    expect((await world.destroy()).wrong).toEqual([]);
  });

  test("--refresh finds what somebody else removed", async () => {
    await start({ gone: { member: "group:gone@example.com" }, stays: { member: "group:stays@example.com" } });
    await world.project.up();
    world.others(OTHERS);
    const blind = await world.review();
    expect(blind.result.resources).toEqual([]);
    const seen = await world.update(["--refresh"]);
    expect(seen.wrong).toEqual([]);
    expect(changeLines(seen.result)).toEqual(
      [line("+", "group:gone@example.com"), line("+", "group:stays@example.com")].sort(),
    );
    world.others(OTHERS);
    expect((await world.destroy(["--refresh"])).wrong).toEqual([]);
  });

  test("what an earlier update left to delete is known from the state", async () => {
    await start({ stays: { member: "group:stays@example.com" } });
    await world.project.up();
    const state = await world.project.exportState();
    const resources = state.deployment.resources ?? [];
    const stays = resources.find(({ urn }) => urn === world.urn("stays"));
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
    const policy = world.policies()[FHIR_STORE];
    world.emulator.mutate(FHIR_STORE, {
      policy: {
        bindings: [
          ...(policy?.bindings ?? []),
          { role: VIEWER, members: ["user:new@example.com"] },
          { role: "roles/healthcare.fhirResourceReader", members: ["group:before@example.com"] },
        ],
      },
    });
    const done = await world.update([], { state: JSON.stringify(await world.project.exportState()) });
    expect(done.wrong).toEqual([]);
    expect(changeLines(done.result)).toEqual([line("-", "group:before@example.com")]);
  });
});
