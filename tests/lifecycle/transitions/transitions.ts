/**
 * Runs tables of transitions: the programs of two runs of the engine, and the policy after the second one.
 *
 * After a run, the policy has what the program declares and what others granted. A binding that was created or updated
 * removed the other members of its role. A deleted resource removed no grant but those that it declared.
 */
import { SimulatedStack } from "../../support/simulated-stack";
import { endFaults, failingAt, grant, lines, live, programOf, refresh, run, setDeleted, useCloud } from "./cloud";
import { combinations, oneAtATime, titleOf, type Combination } from "./combinations";
import { casesHere } from "../../support/test-all";
import { declaredBy, together, type PolicyText, type ProgramText, type Store } from "./notation";

export interface Transition {
  /** What holds, as a sentence. */
  title: string;
  before: ProgramText;
  /** What others granted after the first run, besides BYSTANDERS. */
  others?: PolicyText;
  /** The identity of this member was deleted after the first run, and recovered after a refresh. */
  recovered?: string;
  after: ProgramText;
  /** The policy after the last run, without BYSTANDERS. */
  expected: PolicyText;
  /**
   * What holds with grantMode `replace`: the same, or a store of the program has what the program declares alone, because a
   * member grant was made. Absent: the row does not run in this mode.
   */
  inReplaceMode?: "the same" | "alone";
  /** The call of the second run during which policies cannot be written, such as `create b`. A third run follows. */
  failing?: string;
  /** This call is interrupted before or after its write is made, and the provider does not know it. */
  interrupted?: "before" | "after";
  /** The program of the third run. Default: the one of the second run. */
  then?: ProgramText;
  /** A resource is protected in the second run. A third run follows, after `pulumi state unprotect --all`. */
  isProtected?: boolean;
  /** What the policy has after a second run that fails. */
  meanwhile?: PolicyText;
}

/** What others granted on both stores after the first run, and what no row may touch. */
export const BYSTANDERS: PolicyText = {
  viewer: "olga",
  "reader if weekends": "olga",
  "viewer on second": "olga",
  "reader if weekends on second": "olga",
};

/**
 * What `make test` runs of a row: one combination in each mode, from another place for each row. So each combination runs with
 * many rows, and the fronts take turns.
 */
function chosen(row: number, all: readonly Combination[]): ReadonlySet<Combination | undefined> {
  const modes = (["merge", "replace"] as const).map((mode) => all.filter((each) => each.mode === mode));
  // A front has five combinations: seven is of the next row with the other front.
  return new Set(modes.map((each) => each[(7 * row) % each.length]));
}

/** Declares the tests of these rows. */
export function describeTransitions(rows: readonly Transition[]): void {
  useCloud();
  for (const [number, row] of rows.entries()) {
    describe(row.title, () => {
      const all = combinationsOf(row);
      const ofRow = chosen(number, all);
      const here = casesHere(all, (each) => ofRow.has(each), titleOf);
      for (const combination of here) test(titleOf(combination), () => play(row, combination));
    });
  }
}

function combinationsOf({ before, after, inReplaceMode, failing }: Transition): Combination[] {
  const entries = [...Object.values(before), ...Object.values(after)];
  const merging = combinations("merge", entries);
  // A program has few resources in this mode, so the order makes no difference.
  const replacing = inReplaceMode ? oneAtATime(combinations("replace", entries)) : [];
  // With several calls at the same time, no write is the write of one call.
  return [...(failing === undefined ? merging : oneAtATime(merging)), ...replacing];
}

async function play(row: Transition, combination: Combination): Promise<void> {
  const { before, after, mode } = combination;
  const stack = new SimulatedStack();
  expect(await run(stack, programOf(row.before, before, before), combination)).toMatchObject({ errors: [] });
  grant(together(BYSTANDERS, row.others ?? {}));
  if (row.recovered !== undefined) {
    setDeleted(row.recovered, true);
    await refresh(stack, combination);
    setDeleted(row.recovered, false);
  }

  const program = programOf(row.after, before, after);
  if (row.failing !== undefined || row.isProtected) {
    const { errors } = await run(stack, program, combination, {
      before: failingAt(row.failing, row.interrupted),
    });
    endFaults();
    if (row.isProtected || row.then !== undefined) expect(errors).not.toEqual([]);
    expect(live()).toEqual(expect.arrayContaining(lines(row.meanwhile ?? {})));
    stack.unprotect();
  }
  const last = row.then === undefined ? program : programOf(row.then, before, before);
  expect(await run(stack, last, combination)).toMatchObject({ errors: [] });
  const all = together(BYSTANDERS, row.expected);
  const isAlone = mode === "replace" && row.inReplaceMode === "alone";
  const declared = row.then ?? row.after;
  const stores = new Set<Store>(Object.values(declared).map(({ on = "first" }) => on));
  expect(live()).toEqual(lines((store) => (isAlone && stores.has(store) ? declaredBy(declared) : all)));
}
