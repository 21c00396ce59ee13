import type * as re2js from "re2js";
import { glob } from "./glob";

/** A compiled pattern. */
export interface Pattern {
  test(text: string): boolean;
  /** What it counts of the steps that a list may have; a glob counts none. */
  readonly steps: number;
}

const MAX_LENGTH = 1000;
/** Steps of a compiled regular expression. The time of a match is the product of these and the length of the text. */
const MAX_STEPS = 10_000;
/** Steps of all regular expressions of a list. */
const MOST_STEPS = 100_000;
/** What a regular expression counts at least, because compiling a short one takes time, too. */
const FEWEST_STEPS = 100;

/**
 * Compiles the patterns of one list: of a fault plan or a switch. A pattern that starts with `^` is a regular expression. Any
 * other pattern is a glob for the whole text (`glob.ts`).
 *
 * RE2 matches regular expressions, because its time is linear in the length of the text. With those of JavaScript, a pattern can
 * make the emulator hang. RE2 does not support look-around and back references. Its time grows with the size of the patterns, so
 * a list has at most 1000 short ones.
 */
export class PatternList {
  private steps: number;

  /** @param others patterns that are in the list already */
  constructor(others: readonly Pattern[] = []) {
    this.steps = others.reduce((sum, { steps }) => sum + steps, 0);
  }

  /** Whether the list has too many regular expressions to compile another one. */
  get isFull(): boolean {
    return this.steps >= MOST_STEPS;
  }

  /** @throws Error for an invalid regular expression, for one whose repetitions make it large, and for one too many */
  compile(source: string): Pattern {
    if (source.length > MAX_LENGTH) throw new Error(`a pattern has at most ${MAX_LENGTH} characters`);
    if (!source.startsWith("^")) return { test: glob(source), steps: 0 };
    if (this.isFull) {
      const most = MOST_STEPS / FEWEST_STEPS;
      throw new Error(`a list has at most ${most} regular expressions, or fewer large ones; a glob has no limit`);
    }
    // One that is invalid counts, too.
    this.steps += FEWEST_STEPS;
    const compiled = regularExpression(source);
    this.steps += compiled.steps - FEWEST_STEPS;
    return compiled;
  }
}

function regularExpression(source: string): Pattern {
  // Loaded with the first one, because most emulators have none and start faster without RE2.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it at every start
  const { RE2JS } = require("re2js") as typeof re2js;
  const program = RE2JS.compile(source);
  const size = program.programSize();
  if (size > MAX_STEPS) throw new Error("the repetitions of the pattern make it too large");
  return { test: (text) => program.test(text), steps: Math.max(FEWEST_STEPS, size) };
}
