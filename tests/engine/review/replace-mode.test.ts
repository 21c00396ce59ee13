/**
 * A review says before an update in replace mode who loses access by it, with both fronts on the real engine. Each scenario
 * has a FHIR store of its own in one stack.
 */
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import type { Front, Grants } from "../../support/review-fronts";
import { storeOf } from "../../support/programs";
import { changeLines, line, onStore, ReviewWorld, VIEWER } from "../../support/review-world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const FRONTS: Front[] = missing === undefined ? ["plugin", "npm"] : ["npm"];
const UNTIL = { title: "until-july", expression: 'request.time < timestamp("2026-07-01T00:00:00Z")' };
const OTHERS = [
  { role: VIEWER, members: ["user:zoe@example.com", "deleted:user:gone@example.com?uid=1"] },
  { role: VIEWER, members: ["user:temp@example.com"], condition: UNTIL },
];
const NURSES = "group:nurses@example.com";

const CREATED = storeOf("created");
const REPLACED = storeOf("replaced");
const RENAMED = storeOf("renamed");
const DELETED = storeOf("deleted");

describe.each(FRONTS)("%s", (front) => {
  const first: Grants = {
    created: { name: CREATED, member: NURSES },
    replaced: { name: REPLACED, member: NURSES },
    renamed: { name: RENAMED, member: NURSES, role: VIEWER },
    deleted: { name: DELETED, member: NURSES, role: VIEWER },
  };

  let world: ReviewWorld;
  let steps: Awaited<ReturnType<typeof carryOut>>;
  beforeAll(async () => {
    world = await ReviewWorld.create(front, first, { config: { "perimeter:grantMode": "replace" } });
    for (const name of [CREATED, REPLACED, RENAMED, DELETED]) world.others(OTHERS, name);
    steps = await carryOut();
  });
  afterAll(() => world?.dispose());

  async function carryOut() {
    const created = await world.update();
    for (const name of [REPLACED, DELETED]) world.others([...OTHERS, { role: VIEWER, members: [NURSES] }], name);
    world.others([...OTHERS, { role: VIEWER, members: [NURSES, "user:zoe@example.com"] }], RENAMED);
    world.declare({
      created: { name: CREATED, member: NURSES },
      replaced: { name: REPLACED, member: NURSES, role: VIEWER },
      "renamed-2": { name: RENAMED, member: NURSES, role: VIEWER },
    });
    return { created, changed: await world.update() };
  }

  test("what others had goes at a create", () => {
    const { result, wrong } = steps.created;
    expect(wrong).toEqual([]);
    const created = onStore(result, CREATED);
    expect(changeLines(created)).toEqual(
      [
        line("+", NURSES),
        line("-", "deleted:user:gone@example.com?uid=1", VIEWER),
        line("-", "user:temp@example.com", VIEWER, UNTIL),
        line("-", "user:zoe@example.com", VIEWER),
      ].sort(),
    );
    const lost = created.resources[0]?.changes.filter(({ change }) => change === "lost");
    expect(lost?.every(({ wasManaged }) => wasManaged === false)).toBe(true);
  });

  test("what others had goes at a replace and a rename; a delete takes one grant", () => {
    const { result, wrong } = steps.changed;
    expect(wrong).toEqual([]);
    const others = [
      line("-", "deleted:user:gone@example.com?uid=1", VIEWER),
      line("-", "user:temp@example.com", VIEWER, UNTIL),
      line("-", "user:zoe@example.com", VIEWER),
    ].sort();
    expect(changeLines(onStore(result, REPLACED))).toEqual(others);
    expect(changeLines(onStore(result, RENAMED))).toEqual(others);
    expect(changeLines(onStore(result, DELETED))).toEqual([line("-", NURSES, VIEWER)]);
    expect(changeLines(onStore(result, CREATED))).toEqual([]);
  });
});
