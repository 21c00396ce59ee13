/**
 * A review predicts what the real engine then does to the policies of two clouds, or says what it does not know: random
 * programs with member grants and role bindings, renames, duplicates, conditions, replacements, reads, imports, targets,
 * refreshes and deletes in both modes, providers and stacks whose settings differ, another environment than the update's,
 * resources that another provider deletes, grants of `@pulumi/gcp` on the same policies, policies above, and updates that were
 * cut short. A seed makes the same choices each time. `REVIEW_SEED` is the first seed of a run with other seeds, and
 * `REVIEW_RUNS` their number.
 */
import { missingHost } from "../../../support/engine";
import { skipped } from "../../../support/skipped";
import { countHere } from "../../../support/test-all";
import { FIGURES, journey } from "./journey";

const { REVIEW_SEED: FIRST, REVIEW_RUNS: RUNS } = process.env;
const isOther = FIRST !== undefined || RUNS !== undefined;
/**
 * The first seed has merge mode, role bindings, explicit providers, targets, imports, secrets, resources that another provider
 * deletes, grants of `@pulumi/gcp`, and an update that is cut short. The second seed has replace mode and plans that are piped.
 */
const ALL_SEEDS = [23, 3, 5, 4, 1, 2, 6, 12, 17, 19];
const SEEDS = isOther
  ? Array.from({ length: Number(RUNS ?? 1) }, (_, at) => Number(FIRST ?? 1) + at)
  : ALL_SEEDS.slice(0, countHere("random programs that are reviewed", 1, ALL_SEEDS.length));
/** An engine waits for about half of its time. */
const AT_ONCE = 3;
/** A seed takes 15 seconds, and minutes on a busy machine. */
const LONGEST_MS = 10 * 60_000 + SEEDS.length * 60_000;

const missing = missingHost("yaml");

(missing === undefined ? test : test.skip)(
  `a review predicts what random programs change, with the seeds ${SEEDS.join(", ")}${skipped(missing)}`,
  async () => {
    const failures: string[] = [];
    let first: readonly unknown[] = [];
    const sum = { ...FIGURES };
    const seeds = SEEDS.values();
    const lane = async () => {
      for (const seed of seeds) {
        const { wrong, story, figures } = await journey(seed);
        for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += figures[key];
        if (wrong.length === 0) continue;
        if (failures.length === 0) first = story;
        failures.push(`seed ${seed}:`, ...wrong.map((line) => `  ${line}`));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    console.log(`review/random: seeds ${SEEDS.join()}, ${JSON.stringify(sum)}`);
    if (failures.length > 0) {
      throw new Error(`${failures.join("\n")}\nThe story of the first: ${JSON.stringify(first, null, 1)}`);
    }
    if (isOther) return;
    // Reviews in which nobody loses anything, or in which nothing is known, would prove nothing.
    expect(sum.brokenStates).toBeLessThan(SEEDS.length / 2);
    expect(sum.losses).toBeGreaterThan(10 * SEEDS.length);
    // Of a preview that failed, nothing is known, and in some stories half of them do: they read what the update before took away.
    expect(sum.unknown).toBeLessThanOrEqual(sum.reviews - SEEDS.length);
    expect(sum.inherited).toBeGreaterThan(10 * SEEDS.length);
    expect(sum.bindings).toBeGreaterThan(SEEDS.length);
    expect(sum.ofGcp).toBeGreaterThan(SEEDS.length);
    expect(sum.noAccessLeft).toBeGreaterThan(5 * SEEDS.length);
    expect(sum.failedPreviews + sum.failedSteps).toBeLessThan(sum.steps / 2);
  },
  LONGEST_MS,
);
