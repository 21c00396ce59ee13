/**
 * Programs that give one role to two resources which would undo each other. A run refuses them, at its preview or later, and
 * nobody loses access.
 */
import { SimulatedStack } from "../../support/simulated-stack";
import { casesHere } from "../../support/test-all";
import { grant, live, programOf, run, useCloud } from "./cloud";
import { combinations, oneAtATime, titleOf, type Combination } from "./combinations";
import { binding, member, type Entry, type ProgramText } from "./notation";
import { BYSTANDERS } from "./transitions";

interface Rivalry {
  title: string;
  before: ProgramText;
  /** With the resource `rival`, which comes first or last. */
  after: ProgramText;
}

const kept = { keepsSpelling: true };

const ROWS: readonly Rivalry[] = [
  {
    title: "A member grant beside a binding of the same role is refused",
    before: { b: binding("reader", "ada grace") },
    after: { b: binding("reader", "ada grace", kept), rival: member("reader", "linus") },
  },
  {
    title: "A grant of a binding's member beside the binding is refused",
    before: { b: binding("reader", "ada grace") },
    after: { b: binding("reader", "ada grace", kept), rival: member("reader", "ada") },
  },
  {
    title: "A second binding of the same role is refused",
    before: { b: binding("reader", "ada grace") },
    after: { b: binding("reader", "ada grace", kept), rival: binding("reader", "linus") },
  },
  {
    title: "A second binding of the same role and condition is refused",
    before: { b: binding("reader if nights", "ada grace") },
    after: { b: binding("reader if nights", "ada grace", kept), rival: binding("reader if nights", "linus") },
  },
  {
    title: "A binding beside a member grant of the same role is refused",
    before: { m: member("reader", "ada") },
    after: { m: member("reader", "ada", kept), rival: binding("reader", "grace") },
  },
  {
    title: "A binding that gets the role of another binding is refused",
    before: { b: binding("reader", "ada"), rival: binding("editor", "grace") },
    after: { b: binding("reader", "ada", kept), rival: binding("reader", "grace") },
  },
  {
    title: "A member grant that gets the role of a binding is refused",
    before: { b: binding("reader", "ada"), rival: member("editor", "grace") },
    after: { b: binding("reader", "ada", kept), rival: member("reader", "grace") },
  },
  {
    title: "Two new bindings of the same role are refused",
    before: {},
    after: { b: binding("reader", "ada", kept), rival: binding("reader", "grace") },
  },
  {
    title: "A new binding and a new member grant of the same role are refused",
    before: {},
    after: { b: binding("reader", "ada", kept), rival: member("reader", "grace") },
  },
];

useCloud();

for (const [number, row] of ROWS.entries()) {
  describe(row.title, () => {
    const here = casesHere(
      casesOf(row),
      // From another place for each row, so that each combination runs with many rows.
      (_, index) => (number + index) % 9 === 0,
      ({ title }) => title,
    );
    for (const { title, programs, combination } of here) test(title, () => play(programs, combination));
  });
}

interface Case {
  title: string;
  programs: Programs;
  combination: Combination;
}

function casesOf(row: Rivalry): Case[] {
  return (["by default", "explicit"] as const).flatMap((providers) =>
    (["first", "last"] as const).flatMap((place) => {
      const [before, after] = [row.before, row.after].map((program) => withProviders(program, providers)) as Programs;
      const entries = [before, after].flatMap((program) => Object.values(program));
      const given = providers === "explicit" ? "with two explicit providers" : "with one provider";
      // The preview checks all resources before any is made.
      return oneAtATime(combinations("merge", entries)).map((combination) => ({
        title: `${given}, declared ${place}, ${titleOf(combination)}`,
        programs: [before, placed(after, place)],
        combination,
      }));
    }),
  );
}

type Programs = [ProgramText, ProgramText];

/** The rival has another explicit provider than the rest. */
function withProviders(program: ProgramText, providers: "by default" | "explicit"): ProgramText {
  if (providers === "by default") return program;
  const provided = ([name, entry]: [string, Entry]) => [
    name,
    { ...entry, provider: name === "rival" ? "south" : "north" },
  ];
  return Object.fromEntries(Object.entries(program).map(provided)) as ProgramText;
}

function placed({ rival, ...rest }: ProgramText, place: "first" | "last"): ProgramText {
  const last: ProgramText = rival ? { rival } : {};
  return place === "first" ? { ...last, ...rest } : { ...rest, ...last };
}

async function play([before, after]: Programs, combination: Combination): Promise<void> {
  const stack = new SimulatedStack();
  const first = programOf(before, combination.before, combination.before);
  expect(await run(stack, first, combination)).toMatchObject({ errors: [] });
  grant(BYSTANDERS);
  const granted = live();

  const program = programOf(after, combination.before, combination.after);
  const preview = await run(stack, program, combination, { isPreview: true });
  const { errors } = preview.errors.length > 0 ? preview : await run(stack, program, combination);
  expect(errors).not.toEqual([]);
  expect(live()).toEqual(expect.arrayContaining(granted));
}
