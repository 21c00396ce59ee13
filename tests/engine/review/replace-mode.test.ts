/** A review says before an update in replace mode who loses access by it. Each scenario has a FHIR store of its own in one stack. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { PROJECT, storeOf } from "../../support/programs";
import { FRONTS, type Grants } from "../../support/review-fronts";
import { changeLines, line, onStore, READER, type Reviewed, ReviewWorld, VIEWER } from "../../support/review-world";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

const UNTIL = { title: "until-july", expression: 'request.time < timestamp("2126-07-01T00:00:00Z")' };
const OTHERS = [
  { role: VIEWER, members: ["user:zoe@example.com", "deleted:user:gone@example.com?uid=1"] },
  { role: VIEWER, members: ["user:temp@example.com"], condition: UNTIL },
];
const NURSES = "group:nurses@example.com";

const CREATED = storeOf("created");
const REPLACED = storeOf("replaced");
const RENAMED = storeOf("renamed");
const DELETED = storeOf("deleted");
const MANAGED = storeOf("managed");
const READ = storeOf("read");
const STORES = [CREATED, REPLACED, RENAMED, DELETED, MANAGED, READ];
/** The id of what others granted. */
const idOn = (store: string) => `${store}/${VIEWER}/user:zoe@example.com`;

describe.each(FRONTS.slice(0, 1))("%s", (front) => {
  const first: Grants = {
    created: { name: CREATED, member: NURSES },
    replaced: { name: REPLACED, member: NURSES },
    renamed: { name: RENAMED, member: NURSES, role: VIEWER },
    deleted: { name: DELETED, member: NURSES, role: VIEWER },
    managed: { name: MANAGED, member: "", get: idOn(MANAGED) },
    read: { name: READ, member: NURSES },
  };

  const second: Grants = {
    created: { name: CREATED, member: NURSES },
    replaced: { name: REPLACED, member: NURSES, role: VIEWER },
    "renamed-2": { name: RENAMED, member: NURSES, role: VIEWER },
    managed: { name: MANAGED, member: NURSES, role: VIEWER },
    read: { name: READ, member: "", get: idOn(READ) },
  };

  const settings = { project: PROJECT, grantMode: "replace" as const, allowLockout: true };
  const config = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`perimeter:${key}`, value]));
  let world: ReviewWorld;
  let steps: Awaited<ReturnType<typeof carryOut>>;
  beforeAll(async () => {
    world = await ReviewWorld.create(front, {}, { config });
    for (const name of STORES) world.others(OTHERS, name);
    steps = await carryOut();
  });
  afterAll(() => world?.dispose());

  async function carryOut() {
    const created = await update(first);
    world.others([...OTHERS, { role: READER, members: [NURSES] }], READ);
    for (const name of [REPLACED, DELETED]) world.others([...OTHERS, { role: VIEWER, members: [NURSES] }], name);
    world.others([...OTHERS, { role: VIEWER, members: [NURSES, "user:zoe@example.com"] }], RENAMED);
    const changed = await update(second);
    const destroyed = await world.destroy();
    return { created, changed, destroyed: { ...destroyed, allWrong: destroyed.wrong } };
  }

  async function update(grants: Grants): Promise<Reviewed & Record<"wrong" | "allWrong", string[]>> {
    world.declare(grants);
    const reviewed = await world.update();
    return { ...reviewed, wrong: world.wrong(reviewed, STORES), allWrong: reviewed.wrong };
  }

  test("others lose their access when a grant is created", () => {
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

  test("others lose their access when a grant is replaced or renamed; a delete removes only its grant", () => {
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

  test("others lose their access when the program manages a grant that it only read before; the opposite change removes only the grant", () => {
    expect(changeLines(onStore(steps.changed.result, MANAGED))).toEqual(
      [
        line("+", NURSES, VIEWER),
        line("-", "deleted:user:gone@example.com?uid=1", VIEWER),
        line("-", "user:temp@example.com", VIEWER, UNTIL),
        line("-", "user:zoe@example.com", VIEWER),
      ].sort(),
    );
    expect(changeLines(onStore(steps.changed.result, READ))).toEqual([line("-", NURSES)]);
  });

  test("the result of a destroy has the operation destroy", () => {
    expect(steps.destroyed.result.operation).toBe("destroy");
  });

  test("the summary counts the changes of all stores", () => {
    expect([steps.created, steps.changed, steps.destroyed].map(({ allWrong }) => allWrong)).toEqual([[], [], []]);
  });
});
