/** A process that is killed at any request of any lifecycle: the next run finds what is in the cloud and goes on. */
import { AlreadyExistsError, ApiError } from "../../provider/core/errors";
import type { Values } from "../../provider/core/unknown";
import { FaultyCloud, FaultyStack, type Journey } from "./faults";
import { ASSOCIATION_NAME, associations, JOURNEYS, NAMED, SEED, UNNAMED, wrongAssociation } from "./faults-journeys";
import { DoomedProcess, MOMENTS } from "./faults-kill";
import { failure, limits } from "../support/provider";
import { casesHere } from "../support/test-all";
import { ASSOCIATION } from "../support/tokens";

jest.setTimeout(60_000);

let cloud: FaultyCloud;
beforeAll(async () => {
  cloud = await FaultyCloud.start(SEED);
});
beforeEach(() => begin());
afterAll(() => cloud.emulator.stop());

function begin(): void {
  cloud.emulator.reset();
  cloud.clock.advance(2 * 3_600_000);
}

/** Runs until the process ends: at the request of this number, or by itself. */
async function runDoomed(journey: Journey, stack: FaultyStack, doomed: DoomedProcess): Promise<void> {
  const provider = cloud.provider(journey.configuration, doomed.send);
  await stack.untilKilled(doomed, () => journey.run(stack, provider));
}

/** The grants of all kinds have one lifecycle. */
const changing = casesHere(
  JOURNEYS.filter((each) => !each.name.startsWith("get")),
  ({ name }) => !name.includes(" grant, ") || name.startsWith("MigrationJob "),
  ({ name }) => name,
);

test.each(changing.map((each) => [each.name, each] as const))("%s, killed at each request", async (_name, journey) => {
  const undisturbed = await journey.prepare(cloud);
  cloud.calls();
  await journey.run(undisturbed, cloud.provider(journey.configuration));
  const requests = cloud.calls().length;
  expect(requests).toBeGreaterThan(0);
  for (let last = 1; last <= requests; last++) {
    for (const moment of MOMENTS) {
      begin();
      const stack = await journey.prepare(cloud);
      await runDoomed(journey, stack, new DoomedProcess(last, moment));
      await journey.run(stack, cloud.provider(journey.configuration));
      const where = `killed at request ${last} ${moment}`;
      expect([where, journey.wrong(cloud, stack)]).toEqual([where, undefined]);
      await stack.refresh(cloud.provider(journey.configuration));
      expect([where, journey.wrong(cloud, stack)]).toEqual([where, undefined]);
    }
  }
});

describe.each([
  ["with an id", NAMED],
  ["named by the server", UNNAMED],
])("an association %s", (_what, given: Values) => {
  const create = (stack: FaultyStack) => stack.up(cloud.provider(), given);
  const destroy = (stack: FaultyStack) => stack.up(cloud.provider(), undefined);
  const operations = () => cloud.calls().filter((each) => each.startsWith("POST")).length;

  test("created, destroyed and created again within the hour, three times, is a new association each time", async () => {
    const stack = new FaultyStack(ASSOCIATION);
    const made = new Set<unknown>();
    for (let time = 0; time < 3; time++) {
      await create(stack);
      expect(wrongAssociation(cloud, stack, given)).toBeUndefined();
      made.add(associations(cloud)[0]?.body.createTime);
      await destroy(stack);
      expect(associations(cloud)).toEqual([]);
    }
    expect(made.size).toBe(3);
  });

  test("whose second create within the hour is killed at any request exists once", async () => {
    const attempt = async (last: number) => {
      begin();
      const stack = new FaultyStack(ASSOCIATION);
      await create(stack);
      await destroy(stack);
      cloud.calls();
      const doomed = new DoomedProcess(last, "after its answer");
      await stack.untilKilled(doomed, () => stack.up(cloud.provider({}, doomed.send), given));
      const ended = cloud.calls().length < last;
      await create(stack);
      expect([last, wrongAssociation(cloud, stack, given)]).toEqual([last, undefined]);
      return ended;
    };
    let last = 1;
    while (!(await attempt(last))) last++;
    expect(last).toBeGreaterThan(4);
  });

  test("whose third create within the hour is killed at any request exists once: the next run owns it, or says why not", async () => {
    const outcomes = new Set<string>();
    const attempt = async (last: number) => {
      begin();
      const stack = new FaultyStack(ASSOCIATION);
      for (let time = 0; time < 2; time++) {
        await create(stack);
        await destroy(stack);
      }
      cloud.calls();
      const doomed = new DoomedProcess(last, "after its answer");
      await stack.untilKilled(doomed, () => stack.up(cloud.provider({}, doomed.send), given));
      const ended = cloud.calls().length < last;
      const error = await create(stack).catch((thrown: unknown) => thrown as Error);
      if (!(error instanceof Error)) {
        expect([last, wrongAssociation(cloud, stack, given)]).toEqual([last, undefined]);
      } else {
        // The third request id was random, so that nothing proves whose association it is.
        expect([last, associations(cloud).length, stack.resource]).toEqual([last, 1, undefined]);
        expect(error.message).toMatch(/pulumi import|already has a firewall endpoint association in this zone/);
      }
      outcomes.add(error instanceof Error ? "says why not" : "has it");
      return ended;
    };
    let last = 1;
    while (!(await attempt(last))) last++;
    expect([...outcomes].sort()).toEqual(["has it", "says why not"]);
  });

  test("replaced by an equal one within the hour is not deleted with the old one", async () => {
    const stack = new FaultyStack(ASSOCIATION);
    await create(stack);
    const old = stack.resource as NonNullable<FaultyStack["resource"]>;
    // As `pulumi up --replace` does it: the new one first, then the old one goes, in one process.
    const provider = cloud.provider();
    const { inputs } = await provider.check(ASSOCIATION, given);
    const { id } = await provider.create(ASSOCIATION, inputs, limits());
    await provider.delete(ASSOCIATION, old, limits());
    expect(associations(cloud).map((each) => each.name)).toEqual([id]);
  });

  test("with a stale requestId of the program is explained, and does not adopt the old operation", async () => {
    const requestId = "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11";
    const stack = new FaultyStack(ASSOCIATION);
    const withId = { ...given, requestId };
    await stack.up(cloud.provider(), withId);
    await destroy(stack);
    const error = await failure(stack.up(cloud.provider(), withId));
    expect(error).toBeInstanceOf(ApiError);
    expect(error.message).toContain(requestId);
    expect(error.message).toContain("use a new requestId, or omit it");
    expect(stack.resource).toBeUndefined();
    cloud.clock.advance(3_600_000);
    await stack.up(cloud.provider(), withId);
    expect(wrongAssociation(cloud, stack, given)).toBeUndefined();
  });

  test("is created once if the run is killed and repeated: the second POST gets the operation of the first", async () => {
    const stack = new FaultyStack(ASSOCIATION);
    const doomed = new DoomedProcess(1, "after its answer");
    await stack.untilKilled(doomed, () => stack.up(cloud.provider({}, doomed.send), given));
    const { requests } = cloud.emulator;
    await create(stack);
    const ids = requests().flatMap((each) => (each.method === "POST" ? [each.query.requestId] : []));
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    expect(operations()).toBe(2);
  });
});

test("the provider does not adopt an association that somebody else created after ours was destroyed", async () => {
  const stack = new FaultyStack(ASSOCIATION);
  await stack.up(cloud.provider(), NAMED);
  await stack.up(cloud.provider(), undefined);
  cloud.clock.advance(60_000);
  const other = { ...NAMED, labels: { team: "other" } };
  const stranger = new FaultyStack(ASSOCIATION);
  await stranger.up(cloud.provider(), other);
  const error = await failure(stack.up(cloud.provider(), NAMED));
  expect(error).toBeInstanceOf(AlreadyExistsError);
  expect(error.message).toContain(`pulumi import ${ASSOCIATION} <name> ${ASSOCIATION_NAME}`);
  expect(stack.resource).toBeUndefined();
});
