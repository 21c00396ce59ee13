/** A review of each kind of step in merge mode says before an update what the update then does, on the real engine. */
import { ENGINE_TIMEOUT_MS, engineIsAtLeast } from "../../support/engine";
import { ReviewWorld } from "../../support/review-world";
import * as all from "./kinds";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

let world: ReviewWorld;
afterAll(() => world?.dispose());

test("npm: the update changes the access that the review predicted", async () => {
  world = await ReviewWorld.create("npm", all.FIRST);
  all.makeStores(world);
  await world.project.up();
  world.declare(all.SECOND);
  const reviewed = await world.reviewStack();
  await world.project.up();
  const [{ result }, wrong] = [reviewed, world.wrong(reviewed)];
  // The plan of an engine of today lacks the npm front's grant that is deleted with a resource which the update replaces.
  const lacks = engineIsAtLeast("3.260.0") ? ["incomplete plan"] : [];
  const unknown = result.resources.flatMap((each) => each.unknown);
  expect([wrong, result.unknown.map(({ code }) => code), unknown]).toEqual([[], lacks, []]);
  expect(result.summary).toMatchObject({ gained: 8, conditions: 1, refused: 0 });
  expect(result.summary.lost).toBeGreaterThan(10);
});
