/**
 * Random programs of member grants and role bindings on the real engine: after each update that succeeded, the policies have
 * what the programs declare and what others granted. A seed makes the same choices each time. `RANDOM_GRANTS_SEED` is the
 * first seed of a run with other seeds, of which `RANDOM_GRANTS_RUNS` is the number; with `RANDOM_GRANTS_SECONDS`, the run
 * begins seeds for so long.
 */
import { countHere } from "../../support/test-all";
import { journey, type Figures } from "./journey";

const { RANDOM_GRANTS_SEED: FIRST, RANDOM_GRANTS_RUNS: RUNS, RANDOM_GRANTS_SECONDS: SECONDS } = process.env;
/**
 * These seeds run programs with each front, in both modes, with updates that fail, are killed and are refused. The first seed
 * runs the executable in replace mode, with an update that fails and one that is refused. tests/engine/dynamic has grants,
 * renames and failures of the npm package, and grants/transitions.test.ts has programs in merge mode.
 */
const ALL_SEEDS = [1, 4, 15, 3, 2, 5, 6, 7, 8];
const SEEDS = ALL_SEEDS.slice(0, countHere("random programs of grants", 1, ALL_SEEDS.length));
const seconds = Number(SECONDS ?? 0);
/** An engine waits for about half of its time. */
const AT_ONCE = 3;
/** A seed takes 10 seconds, and minutes on a busy machine. */
const LONGEST_MS = 10 * 60_000;

function* otherSeeds(first: number): Generator<number> {
  const runs = Number(RUNS ?? (seconds > 0 ? Infinity : 1));
  const until = seconds > 0 ? Date.now() + seconds * 1000 : Infinity;
  for (let seed = first; seed < first + runs && Date.now() < until; seed++) yield seed;
}

const isOther = [FIRST, RUNS, SECONDS].some((each) => each !== undefined);
const timeout = LONGEST_MS + (seconds > 0 ? seconds * 1000 : Number(RUNS ?? 0) * 60_000);

const title = isOther ? `from seed ${FIRST ?? 1}` : `of the seeds ${SEEDS.join(", ")}`;
test(
  `policies have what random programs declare and what others granted, ${title}`,
  async () => {
    const failures: string[] = [];
    const stories: string[] = [];
    const sum: Figures = { updates: 0, failures: 0, refusals: 0, previews: 0 };
    const seeds = isOther ? otherSeeds(Number(FIRST ?? 1)) : SEEDS.values();
    const lane = async () => {
      for (const seed of seeds) {
        const { scene, wrong, story, figures } = await journey(seed);
        for (const key of Object.keys(sum) as (keyof Figures)[]) sum[key] += figures[key];
        if (wrong.length === 0) continue;
        failures.push(`seed ${seed} (${scene.front}, ${scene.mode}):`, ...wrong.map((line) => `  ${line}`));
        stories.push(`\nThe story of seed ${seed}:`, ...story);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    console.log(`random-grants: ${JSON.stringify(sum)}`);
    if (failures.length > 0) throw new Error([...failures, ...stories].join("\n"));
    if (isOther) return;
    // Updates that only succeed would prove little.
    expect(sum.updates).toBeGreaterThan(6 * SEEDS.length);
    expect(sum.failures).toBeGreaterThanOrEqual(Math.max(1, Math.floor(SEEDS.length / 2)));
    expect(sum.refusals).toBeGreaterThanOrEqual(Math.max(1, Math.floor(SEEDS.length / 4)));
    expect(sum.previews).toBeGreaterThan(SEEDS.length);
  },
  timeout,
);
