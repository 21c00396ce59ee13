/**
 * A review says before an update what the update then does, with both fronts on the real engine. Scenarios have FHIR stores
 * of their own in one stack: a step of the stack is a step of all of them.
 */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { PROJECT } from "../../support/programs";
import { FRONTS, type Grants } from "../../support/review-fronts";
import { type Reviewed, ReviewWorld } from "../../support/review-world";
import * as all from "./kinds";
import { RandomPrograms } from "./random";
import * as unclear from "./uncertain";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

describe.each(FRONTS)("%s", (front) => {
  const random = new RandomPrograms(front, { project: PROJECT, grantMode: "merge", allowLockout: false });
  let world: ReviewWorld;
  let kinds: all.Steps;
  let uncertain: unclear.Steps;

  beforeAll(async () => {
    world = await ReviewWorld.create(front, {});
    for (const each of [all, unclear, random]) each.makeStores(world);
    ({ kinds, uncertain } = await carryOut());
  });
  afterAll(() => world?.dispose());

  const declare = (...grants: Grants[]) =>
    world.declare(Object.assign({}, ...grants, random.grants) as Grants, random.providers);
  const stateWithSecrets = async () => (await world.project.run(["stack", "export", "--show-secrets"])).stdout;
  const urn = (name: string) => world.urn(name);

  /** What was predicted wrongly of each kind of step: by a review of their part of the plan, and by one of all of it. */
  const step = (whole: Reviewed, part: Reviewed): all.Step => ({
    ...part,
    wrong: [...world.wrong(part, all.STORES), ...world.wrong(whole, all.STORES)],
  });
  const partOf = (reviewed: Reviewed, grants: Grants) => world.reviewPart(reviewed, Object.keys(grants));

  async function carryOut(): Promise<{ kinds: all.Steps; uncertain: unclear.Steps }> {
    random.next();
    declare(all.FIRST, unclear.FIRST);
    const first = await world.review();
    const firstPart = await partOf(first, all.FIRST);
    await world.project.up();
    const created = step(first, firstPart);
    random.check(world, first);

    all.drift(world);
    declare(all.SOME, unclear.FIRST);
    const targeted = await world.update(["--refresh", ...all.TARGETED.flatMap((name) => ["--target", urn(name)])]);
    const some = { ...targeted, wrong: world.wrong(targeted) };

    all.drift(world);
    random.drift(world);
    random.next();
    declare(all.SECOND, unclear.SECOND);
    await all.leaveOneToDelete(world);
    unclear.hidePolicies(world);
    const second = await world.review();
    const secondPart = await partOf(second, { ...all.SOME, ...all.SECOND });
    const reviews = await unclear.reviewEach(world, second);
    const followed = await world.reviewPlan(second.plan, { state: await stateWithSecrets() });
    world.emulator.setFaults([]);
    await world.project.up();
    const after = world.policies();
    const [changed, withState] = [step(second, secondPart), step(followed, followed)];
    random.check(world, second);

    random.drift(world);
    const args = ["--refresh", "--exclude", urn(all.EXCLUDED)];
    const last = await world.reviewDestroy(args);
    const lastPart = await partOf(last, all.SECOND);
    const lastWithState = await world.reviewPlan(last.plan, { state: await stateWithSecrets() });
    await world.project.destroy({ args });
    const destroyed = step(last, lastPart);
    random.check(world, last);
    return {
      kinds: { created, some, changed, withState, destroyed, policies: world.policies() },
      uncertain: {
        before: second.before,
        after,
        all: second.result,
        reviews,
        followed: followed.result,
        destroyed: lastWithState.result,
      },
    };
  }

  all.kinds(() => kinds, urn);
  unclear.uncertain(() => uncertain, urn);

  test("random programs: the update changes the access that the review predicted", () => {
    expect(random.wrong).toEqual([]);
  });
});
