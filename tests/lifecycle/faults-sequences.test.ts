/** Random sequences of runs, each with a few faults or killed at any request, and at the end one run without faults. */
import fc from "fast-check";
import { BugError, PerimeterError } from "../../provider/core/errors";
import type { Values } from "../../provider/core/unknown";
import { CANARY, FaultyCloud, FAULTS, FEW_ATTEMPTS, FaultyStack } from "./faults";
import { associations, GRANT, NAMED, SEED, STORE, UNNAMED, wrongAssociation } from "./faults-journeys";
import { DoomedProcess, MOMENTS, type Moment } from "./faults-kill";
import { countHere } from "../support/test-all";
import { ASSOCIATION, STORE_GRANT } from "../support/tokens";

jest.setTimeout(60_000);

const RUNS = countHere("sequences of runs of a resource", 12, 60);

let cloud: FaultyCloud;
beforeAll(async () => {
  cloud = await FaultyCloud.start(SEED);
});
afterAll(() => cloud.emulator.stop());

// Answers that look right and are wrong are left to the matrix of faults.test.ts.
const faults = FAULTS.filter((each) => !each.lie && !each.name.endsWith("half way"));

interface Step {
  wanted: number;
  refresh: boolean;
  faults: { index: number; skip: number; times: number }[];
  killed: { last: number; moment: Moment } | null;
  later: number;
}

const steps = (programs: number) =>
  fc.array(
    fc.record<Step>({
      wanted: fc.nat(programs - 1),
      refresh: fc.boolean(),
      faults: fc.array(
        fc.record({ index: fc.nat(faults.length - 1), skip: fc.nat(6), times: fc.integer({ min: 1, max: 4 }) }),
        { maxLength: 3 },
      ),
      killed: fc.option(fc.record({ last: fc.integer({ min: 1, max: 7 }), moment: fc.constantFrom(...MOMENTS) }), {
        freq: 2,
      }),
      // Both within the hour for which a request id is remembered, and after it.
      later: fc.constantFrom(0, 1_000, 600_000, 4_000_000),
    }),
    { minLength: 1, maxLength: 6 },
  );

async function disturbed(
  stack: FaultyStack,
  program: Values | undefined,
  step: Step,
  configuration: Values,
): Promise<void> {
  cloud.clock.advance(step.later);
  const plan = step.faults.map(({ index, ...when }) => ({ match: {}, ...when, fault: faults[index]!.fault }));
  cloud.emulator.setFaults(plan);
  const doomed = step.killed && new DoomedProcess(step.killed.last, step.killed.moment);
  const given = { ...FEW_ATTEMPTS, ...configuration };
  const provider = cloud.provider(given, doomed?.send);
  const run = async () => {
    if (step.refresh) await stack.refresh(provider);
    await stack.up(provider, program);
  };
  try {
    await (doomed ? stack.untilKilled(doomed, run) : run());
  } catch (error) {
    if (!(error instanceof PerimeterError) || error instanceof BugError) throw error;
    expect(error.message).not.toContain(CANARY);
  }
  cloud.emulator.setFaults([]);
  expect(JSON.stringify(stack.resource ?? {})).not.toContain(CANARY);
}

/** What a user does in the end: a refresh, for the engine may not know how the runs before ended, and the program. */
async function inPeace(stack: FaultyStack, program: Values | undefined, configuration: Values): Promise<void> {
  await stack.refresh(cloud.provider(configuration));
  try {
    await stack.up(cloud.provider(configuration), program);
  } catch (error) {
    if (!(error as Error).message.includes("pulumi refresh")) throw error;
    await stack.refresh(cloud.provider(configuration));
    await stack.up(cloud.provider(configuration), program);
  }
}

function begin(): void {
  cloud.emulator.reset();
  cloud.clock.advance(2 * 3_600_000);
}

describe.each([
  ["with an id", NAMED, 1],
  ["named by the server", UNNAMED, 2],
])("an association %s", (_what, given, seed) => {
  const programs = [given, { ...given, labels: { env: "test" } }, undefined];

  test("exists once or not at all, as the last program declares", async () => {
    const property = fc.asyncProperty(steps(programs.length), fc.nat(programs.length - 1), async (all, last) => {
      begin();
      const stack = new FaultyStack(ASSOCIATION);
      for (const step of all) await disturbed(stack, programs[step.wanted], step, {});
      // A create that was killed more than an hour before is the program's to declare again, or the user's to delete.
      const program = programs[last];
      const orphan = !stack.resource && associations(cloud).length > 0;
      if (orphan && program === undefined) return;
      try {
        await inPeace(stack, program, {});
      } catch (error) {
        // Then the server refuses a second one, and says why: nothing is duplicated.
        if (!orphan) throw error;
        expect(associations(cloud)).toHaveLength(1);
        expect((error as Error).message).toMatch(/already|import/);
        return;
      }
      if (program) expect(wrongAssociation(cloud, stack, program)).toBeUndefined();
      else expect([associations(cloud), stack.resource]).toEqual([[], undefined]);
    });
    await fc.assert(property, { numRuns: RUNS, seed, endOnFailure: true });
  });
});

test("a grant exists or not, as the last program declares, and grants of others stay", async () => {
  const configuration = { grantMode: "merge", allowLockout: true };
  const others = { role: "roles/editor", members: ["user:grace@example.com"] };
  const programs = [GRANT, undefined];
  const property = fc.asyncProperty(steps(programs.length), fc.nat(programs.length - 1), async (all, last) => {
    begin();
    cloud.emulator.mutate(STORE, { policy: { bindings: [others] } });
    const stack = new FaultyStack(STORE_GRANT);
    for (const step of all) await disturbed(stack, programs[step.wanted], step, configuration);
    const program = programs[last];
    const killedCreate = !stack.resource && program === undefined;
    await inPeace(stack, program, configuration);
    const { bindings } = cloud.emulator.resource(STORE)?.policy as { bindings: { role: string; members: string[] }[] };
    const mine = { role: GRANT.role, members: [GRANT.member] };
    const held = bindings.map(({ role, members }) => ({ role, members }));
    // A grant whose create was killed is the program's to declare again: the engine never knew of it.
    if (killedCreate) expect(held[0]).toEqual(others);
    else expect(held).toEqual(program ? [others, mine] : [others]);
  });
  await fc.assert(property, { numRuns: RUNS, seed: 3, endOnFailure: true });
});
