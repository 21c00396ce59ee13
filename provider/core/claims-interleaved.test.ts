/** Random runs of several provider processes, in random interleavings of what they do in the cloud. */
import * as fc from "fast-check";
import { countHere } from "../../tests/support/test-all";
import { Claims } from "./claims";
import { SharedFacts } from "./facts";

const objectOf = (part: string) => ({ url: "https://a/", name: "projects/demo/stores/s", within: [part] });
const PARTS = ["a", "b", "c"];
const NAMES = ["u", "v", "w", "x"];

interface Planned {
  /** What the state has as this resource's, and the process of its provider then. */
  old?: { part: string; process: number };
  /** What the program declares of it now. */
  wanted?: { part: string; process: number; fails: boolean; deletedFirst: boolean };
}

const part = fc.constantFrom(...PARTS);
const process = fc.integer({ min: 0, max: 2 });
const planned: fc.Arbitrary<Planned> = fc.record(
  {
    old: fc.record({ part, process }),
    wanted: fc.record({
      part,
      process,
      fails: fc.boolean(),
      deletedFirst: fc.boolean(),
    }),
  },
  { requiredKeys: [] },
);
const plan = fc.tuple(...NAMES.map(() => planned));

/** Plays one run as the engine does, and returns what the cloud has and what each resource came to. */
async function play(resources: readonly Planned[], isRefreshed: boolean, scheduler: fc.Scheduler) {
  const facts = new SharedFacts();
  const processes = [0, 1, 2].map(() => new Claims(facts));
  const claims = (at: number) => processes[at] as Claims;
  const cloud = new Set(resources.flatMap(({ old }) => old?.part ?? []));
  const before = new Set(cloud);
  const tick = () => scheduler.schedule(Promise.resolve());
  /** Names of the resources that have what they want. */
  const settled: string[] = [];
  /** The parts that a delete removed before a create. */
  const removedFirst = new Set<string>();
  const refused: string[] = [];

  async function create(name: string, { part, process, fails }: Required<Planned>["wanted"]) {
    const ensure = async () => {
      await tick();
      if (fails) throw new Error("failed");
      // A policy that has the grant is not written; one that changed since it was read is read again.
      cloud.add(part);
      await tick();
    };
    const read = async () => {
      await tick();
      if (!cloud.has(part)) return ensure();
      if (fails) throw new Error("failed");
      await tick();
    };
    await claims(process).make(objectOf(part), name, read, tick);
    settled.push(name);
  }

  async function remove(name: string, { part, process }: Required<Planned>["old"], isFirst = false) {
    const { kind } = await claims(process).remove(objectOf(part), name, {
      whyUnclear: () => "",
      createAdopts: true,
      remove: async () => {
        if (isFirst) removedFirst.add(part);
        await tick();
        cloud.delete(part);
        await tick();
      },
    });
    if (kind === "declared") refused.push(part);
    return kind !== "declared";
  }

  for (const [at, { old }] of resources.entries()) {
    if (old && isRefreshed) claims(old.process).noteHeld(objectOf(old.part), NAMES[at]);
  }
  const leftOver: (() => Promise<unknown>)[] = [];
  await Promise.all(
    resources.map(async ({ old, wanted }, at) => {
      const name = NAMES[at] as string;
      if (!wanted) {
        if (old) leftOver.push(() => remove(name, old));
        return;
      }
      await tick();
      claims(wanted.process).declare(objectOf(wanted.part), name);
      await tick();
      try {
        if (old && old.part === wanted.part && !wanted.deletedFirst) {
          if (claims(wanted.process).noteHeld(objectOf(old.part), name)) settled.push(name);
          else await create(name, wanted);
        } else if (old && wanted.deletedFirst) {
          if (await remove(name, old, true)) await create(name, wanted);
        } else {
          await create(name, wanted);
          if (old) leftOver.push(() => remove(name, old));
        }
      } catch {
        // The engine goes on with the other resources (--continue-on-error).
      }
    }),
  );
  await Promise.all(leftOver.map((each) => each()));
  return { cloud, before, settled, removedFirst, refused };
}

const RUNS = countHere("interleavings of two runs", 150, 500);

test("no interleaving removes an object of a resource of the program, or leaves an object that no resource wants", async () => {
  await fc.assert(
    fc.asyncProperty(plan, fc.boolean(), fc.scheduler(), async (resources, isRefreshed, scheduler) => {
      const { cloud, before, settled, removedFirst, refused } = await scheduler.waitFor(
        play(resources, isRefreshed, scheduler),
      );
      const wantedBy = (name: string) => resources[NAMES.indexOf(name)]?.wanted?.part as string;
      expect(settled.filter((name) => !cloud.has(wantedBy(name)))).toEqual([]);
      for (const each of before) {
        const isWanted = resources.some(({ wanted }) => wanted?.part === each);
        if (isWanted && !removedFirst.has(each)) expect(cloud).toContain(each);
        const isKept = resources.some(({ old, wanted }) => old?.part === each && wanted?.fails);
        if (!isWanted && !isKept && !refused.includes(each)) expect(cloud).not.toContain(each);
      }
    }),
    { numRuns: RUNS },
  );
});
