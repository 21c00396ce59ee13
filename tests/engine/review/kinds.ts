/** Each kind of step in merge mode, as steps of a stack: what a review says of them, and what the update then does. */
import { engineIsAtLeast } from "../../support/engine";
import { FHIR_STORE, storeOf } from "../../support/programs";
import type { Grants } from "../../support/review-fronts";
import { grantText, grantTexts } from "../../support/grant-texts";
import type { Policies } from "../../support/review-outcome";
import {
  changeLines,
  line,
  onStore,
  READER,
  VIEWER,
  type Reviewed,
  type ReviewWorld,
} from "../../support/review-world";

const UNTIL = { title: "until-july", expression: 'request.time < timestamp("2126-07-01T00:00:00Z")' };
const LATER = { title: "until-july", expression: 'request.time < timestamp("2127-07-01T00:00:00Z")' };
const OTHERS = [
  { role: VIEWER, members: ["user:zoe@example.com", "deleted:user:gone@example.com?uid=1"] },
  { role: VIEWER, members: ["user:temp@example.com"], condition: UNTIL },
];

const TARGETS = storeOf("targets");
const DRIFTED = storeOf("drifted");
const LEFT = storeOf("left");
const READ = storeOf("read");
const WITH = storeOf("deleted-with");
export const STORES = [FHIR_STORE, TARGETS, DRIFTED, LEFT, READ, WITH];
/** The id of what others granted. */
const idOnRead = `${READ}/${VIEWER}/user:zoe@example.com`;

const unchanged: Grants = {
  "drifted-gone": { name: DRIFTED, member: "group:gone@example.com" },
  "drifted-stays": { name: DRIFTED, member: "group:stays@example.com" },
  "left-stays": { name: LEFT, member: "group:stays@example.com" },
};
const targeted: Grants = {
  "targets-one": { name: TARGETS, member: "group:changed@example.com" },
  "targets-three": { name: TARGETS, member: "group:three@example.com" },
};
/** On stores of their own: grants that the program reads before or after it manages them, and `deletedWith`. */
const firstOfOthers: Grants = {
  "read-managed": { name: READ, member: "", get: idOnRead },
  "managed-read": { name: READ, member: "group:read@example.com" },
  "read-forgotten": { name: READ, member: "", get: idOnRead },
  owner: { name: WITH, member: "group:owner@example.com" },
  "owner-first": { name: WITH, member: "group:owner-first@example.com", deleteBeforeReplace: true },
  "owner-goes": { name: WITH, member: "group:owner-goes@example.com" },
  "with-replaced": { name: WITH, member: "group:with-replaced@example.com", deletedWith: "owner" },
  "with-first": { name: WITH, member: "group:with-first@example.com", deletedWith: "owner-first" },
  "with-moves": {
    name: WITH,
    member: "group:with-moves@example.com",
    deletedWith: "owner-goes",
    deleteBeforeReplace: true,
  },
};
const firstOfMost: Grants = {
  goes: { member: "group:goes@example.com" },
  moves: { member: "group:before@example.com" },
  first: { member: "group:first@example.com", deleteBeforeReplace: true },
  timed: { member: "group:timed@example.com", condition: UNTIL },
  renamed: { member: "group:renamed@example.com", dependsOn: ["goes"] },
  aliased: { member: "group:aliased@example.com" },
  turned: { member: "group:turned@example.com" },
  one: { member: "group:both@example.com" },
  kept: { member: "group:kept@example.com", retainOnDelete: true },
  there: { member: "user:zoe@example.com", role: VIEWER },
};

/** What the program declares in each of its steps. */
export const FIRST: Grants = {
  ...firstOfMost,
  ...firstOfOthers,
  ...unchanged,
  two: { member: "group:Both@example.com" },
  "targets-one": { name: TARGETS, member: "group:both@example.com" },
  "targets-two": { name: TARGETS, member: "group:both@example.com" },
};
/** Of which only `TARGETED` is carried out. */
export const SOME: Grants = { ...firstOfMost, ...firstOfOthers, ...unchanged, ...targeted };
export const TARGETED = ["one", "two", "targets-two", "drifted-gone", "drifted-stays"];
export const SECOND: Grants = {
  ...unchanged,
  ...targeted,
  moves: { member: "group:after@example.com" },
  first: { member: "group:second@example.com", deleteBeforeReplace: true },
  timed: { member: "group:timed@example.com", condition: LATER },
  "renamed-2": { member: "group:renamed@example.com" },
  "aliased-2": { member: "group:aliased@example.com", alias: "aliased" },
  "turned-2": { member: "group:turned-into@example.com", alias: "turned" },
  new: { member: "group:new@example.com", role: VIEWER },
  "read-managed": { name: READ, member: "group:managed@example.com" },
  "managed-read": { name: READ, member: "", get: idOnRead },
  owner: { name: WITH, member: "group:owner-2@example.com" },
  "owner-first": { name: WITH, member: "group:owner-first-2@example.com", deleteBeforeReplace: true },
  "with-moves": { name: WITH, member: "group:with-moved@example.com", deleteBeforeReplace: true },
};
/** What the destroy is told to leave. */
export const EXCLUDED = "left-stays";

/** What others have on the stores. */
export function makeStores(world: ReviewWorld): void {
  for (const name of STORES) world.others(OTHERS, name);
}

/** Somebody else takes away what the stack has on one of the stores. */
export function drift(world: ReviewWorld): void {
  world.others(OTHERS, DRIFTED);
}

/** The state as an update leaves it that made a replacement and was ended then. */
export async function leaveOneToDelete(world: ReviewWorld): Promise<void> {
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
}

/** A review of the scenarios' part of a plan, and what it and that of the whole plan predicted wrongly. */
export type Step = Reviewed & { wrong: string[] };

export interface Steps {
  created: Step;
  some: Step;
  changed: Step;
  /** The review of the whole plan with the state. */
  withState: Step;
  destroyed: Step;
  /** At the end. */
  policies: Policies;
}

/** Defines the tests. */
export function kinds(steps: () => Steps, urn: (name: string) => string): void {
  const lines = (step: Step, store: string) => changeLines(onStore(step.result, store));

  test("a new grant that the policy already has is not a gain", () => {
    const { result, wrong } = steps().created;
    expect(wrong).toEqual([]);
    expect(result).toMatchObject({ operation: "update", stack: "test", project: "p", unknown: [] });
    expect(changeLines(onStore(result, FHIR_STORE))).toHaveLength(9);
    expect(result.summary).toMatchObject({ lost: 0, refused: 0 });
    expect(result.verdict.exitCode).toBe(0);
  });

  test("an unchanged grant changes nothing; the review does not see a removal by others without a refresh", () => {
    expect(onStore(steps().changed.result, DRIFTED).resources).toEqual([]);
  });

  test("the review predicts replaced, changed, renamed, aliased, duplicate, adopted, deleted and retained grants", () => {
    const { result, wrong } = steps().changed;
    // What the state alone knows is another scenario.
    expect(wrong.filter((each) => !each.startsWith(LEFT))).toEqual([]);
    const resource = onStore(result, FHIR_STORE).resources[0];
    expect(changeLines(onStore(result, FHIR_STORE))).toEqual(
      [
        line("-", "group:goes@example.com"),
        line("-", "group:before@example.com"),
        line("-", "group:first@example.com"),
        line("-", "group:turned@example.com"),
        line("-", "group:both@example.com"),
        line("-", "user:zoe@example.com", VIEWER),
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
    expect(of("goes")).toMatchObject({ steps: [urn("goes")], wasManaged: true });
    expect(of("after")?.steps).toEqual([urn("moves")]);
    expect(of("before")?.steps).toEqual([urn("moves")]);
    expect(of("timed")).toMatchObject({ conditionBefore: UNTIL, steps: [urn("timed")] });
    expect([...(resource?.noAccessLeft ?? [])].map((each) => each.toLowerCase()).sort()).toEqual([
      "group:before@example.com",
      "group:both@example.com",
      "group:first@example.com",
      "group:goes@example.com",
      "group:turned@example.com",
      "user:zoe@example.com",
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

  test("a grant that the program now only reads is removed; a grant that it read and now manages is added", () => {
    const { changed, destroyed } = steps();
    expect(lines(changed, READ)).toEqual([line("+", "group:managed@example.com"), line("-", "group:read@example.com")]);
    // What the stack only reads is nothing that a destroy deletes.
    expect(lines(destroyed, READ)).toEqual([line("-", "group:managed@example.com")]);
  });

  test("deletedWith keeps a grant only if the update deletes the other resource at its end, as in a replacement", () => {
    const group = (name: string) => `group:${name}@example.com`;
    // An engine of today replaces what is deleted with a resource that it replaces, so it makes this grant again.
    const first = engineIsAtLeast("3.260.0") ? [] : ["with-first"];
    expect(lines(steps().changed, WITH)).toEqual(
      [
        ...["owner", "owner-first", "owner-goes", ...first, "with-moves"].map((name) => line("-", group(name))),
        ...["owner-2", "owner-first-2", "with-moved"].map((name) => line("+", group(name))),
      ].sort(),
    );
  });

  test("the grant stays when one of two resources that declare it is deleted", () => {
    expect(steps().some.wrong).toEqual([]);
    expect(lines(steps().some, FHIR_STORE)).toEqual([]);
  });

  test("with --target, a grant is removed even if a resource outside the targets declares it too", () => {
    const { some, changed } = steps();
    expect(some.wrong).toEqual([]);
    expect(lines(some, TARGETS)).toEqual([line("-", "group:both@example.com")]);
    expect(lines(changed, TARGETS)).toEqual([
      line("+", "group:changed@example.com"),
      line("+", "group:three@example.com"),
    ]);
  });

  test("--refresh finds a grant that others removed; then a destroy does not remove it", () => {
    const { some, destroyed } = steps();
    expect([some.wrong, destroyed.wrong]).toEqual([[], []]);
    expect(lines(destroyed, DRIFTED)).toEqual([]);
    expect(lines(some, DRIFTED)).toEqual(
      [line("+", "group:gone@example.com"), line("+", "group:stays@example.com")].sort(),
    );
  });

  test("the review knows from the state which grants an earlier update left to delete", () => {
    expect(steps().withState.wrong).toEqual([]);
    expect(lines(steps().withState, LEFT)).toEqual([line("-", "group:before@example.com")]);
  });

  test("destroy removes the grants of the stack, and keeps grants of others and excluded grants", () => {
    const { destroyed, policies } = steps();
    expect(destroyed.wrong).toEqual([]);
    expect(lines(destroyed, FHIR_STORE)).toEqual(
      ["after", "second", "timed", "renamed", "aliased", "turned-into"]
        .map((name) => line("-", `group:${name}@example.com`, READER, name === "timed" ? LATER : undefined))
        .concat(line("-", "group:new@example.com", VIEWER))
        .sort(),
    );
    expect(lines(destroyed, TARGETS)).toEqual(
      ["changed", "three"].map((name) => line("-", `group:${name}@example.com`)),
    );
    expect(grantTexts(policies[FHIR_STORE])).toHaveLength(3);
    expect(lines(destroyed, LEFT)).toEqual([]);
    expect(grantTexts(policies[LEFT])).toContain(grantText(READER, "group:stays@example.com"));
  });
}
