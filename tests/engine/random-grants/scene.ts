/** What a seed stands for, and how often it did what. */
import { missingHost } from "../../support/engine";
import { Random } from "../../support/grants-random";
import { JOB } from "./grant-text";
import type { Front, Mode } from "./program";

/** The short names of all targets. */
export const TARGETS = ["east", "west", JOB];

export interface DrawnScene {
  front: Front;
  mode: Mode;
  /** The targets that the programs of this seed use. */
  targets: readonly string[];
}

export function sceneOf(seed: number): DrawnScene {
  const random = new Random(seed * 31);
  const chance = random.next();
  const plugin: Front = chance < 0.3 ? "the script for Node.js" : "the executable";
  return {
    front: chance < 0.15 || missingHost("yaml") !== undefined ? "npm" : plugin,
    mode: random.next() < 0.75 ? "merge" : "replace",
    targets: TARGETS.slice(0, 1 + new Random(seed * 7919).below(TARGETS.length)),
  };
}

/** A test of updates that only succeed would prove little. */
const FIGURES = {
  updates: 0,
  /** Updates that failed or were killed, as they should. */
  failures: 0,
  /** Of these: calls that ran out of time, and refused deletes of associations. */
  late: 0,
  undeletable: 0,
  /** Updates to the program before the one that failed. */
  reverts: 0,
  /** Programs that were refused, as they should be. */
  refusals: 0,
  /** Updates and refreshes that must change nothing. */
  repetitions: 0,
  /** Refreshes while a program marks a member of a list as secret. */
  secrets: 0,
  /** Deleted identities that were recovered. */
  recoveries: 0,
  /** Associations that an update gave another id. */
  ids: 0,
};

export type Figures = typeof FIGURES;

export const noFigures = (): Figures => ({ ...FIGURES });
