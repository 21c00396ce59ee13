/**
 * Every kind of request meets every fault, once and until the run ends: the run converges or fails with a clear error, the next
 * run converges, and nothing is duplicated, lost or orphaned. `make test-all` has every request of every resource meet every
 * fault.
 */
import { BugError, PerimeterError } from "../../provider/core/errors";
import { CANARY, FaultyCloud, FAULTS, FEW_ATTEMPTS, type Journey, type NamedFault, type FaultyStack } from "./faults";
import { JOURNEYS, SEED } from "./faults-journeys";
import { leftOut, noteLeftOut } from "../support/test-all";

jest.setTimeout(10 * 60_000);

let cloud: FaultyCloud;
beforeAll(async () => {
  cloud = await FaultyCloud.start(SEED);
});
afterAll(() => cloud.emulator.stop());

type Outcome = "converged" | "failed" | "misled";
interface Trial {
  journey: string;
  fault: string;
  outcome: Outcome;
}

/** The requests of a run without faults, each as "{HTTP method} {API method}". */
async function requestsOf(journey: Journey): Promise<string[]> {
  begin();
  const stack = await journey.prepare(cloud);
  cloud.calls();
  await journey.run(stack, cloud.provider(journey.configuration));
  expect(journey.wrong(cloud, stack)).toBeUndefined();
  return cloud.calls();
}

function begin(): void {
  cloud.emulator.reset();
  // Moves past the hour for which request ids are remembered, so that no trial sees those of the one before.
  cloud.clock.advance(2 * 3_600_000);
}

/** What is wrong with the message of a failure; undefined where it is right. */
function unclear(journey: Journey, error: unknown): string | undefined {
  if (!(error instanceof PerimeterError)) return `is no error of ours: ${String(error)}`;
  if (error instanceof BugError) return "is a bug";
  if (error.message.includes(CANARY)) return "shows a secret";
  if (/\n\s+at /.test(error.message)) return "shows a stack";
  if (!error.message.includes(journey.subject)) return `does not name ${journey.subject}`;
  return undefined;
}

/** What a user does after a failure: once more; where the message asks for it, a refresh or a destroy before. */
async function goOn(journey: Journey, stack: FaultyStack): Promise<void> {
  const { configuration } = journey;
  const again = () => journey.run(stack, cloud.provider(configuration));
  try {
    await again();
  } catch (error) {
    const { message } = error as Error;
    if (message.includes("pulumi destroy --target")) await stack.up(cloud.provider(configuration), undefined);
    else if (message.includes("pulumi refresh")) await stack.refresh(cloud.provider(configuration));
    else throw error;
    await again();
  }
}

/** The next run after one that got a wrong answer: a refresh, and the program again. */
async function findOut(journey: Journey, stack: FaultyStack): Promise<void> {
  await stack.refresh(cloud.provider(journey.configuration));
  if (journey.wanted) await stack.up(cloud.provider(journey.configuration), journey.wanted);
  else await journey.run(stack, cloud.provider(journey.configuration));
}

/**
 * A policy that does not show the grant, as it was before, cannot be told from one that somebody else took the grant out
 * of; nor can a resource that the API says is not there.
 */
function cannotBeTold(journey: Journey, fault: NamedFault): boolean {
  return (
    journey.name.includes("grant") && journey.name.endsWith("delete") && ["stale read", "404"].includes(fault.name)
  );
}

async function trial(journey: Journey, fault: NamedFault, skip: number, times: 0 | 1): Promise<Outcome> {
  begin();
  const stack = await journey.prepare(cloud);
  cloud.calls();
  const { configuration } = journey;
  cloud.emulator.setFaults([{ match: {}, skip, times, fault: fault.fault }]);
  const where = `${journey.name}, ${fault.name} ${times === 1 ? "at" : "from"} request ${skip + 1}`;
  let outcome: Outcome = "converged";
  try {
    await journey.run(stack, cloud.provider({ ...configuration, ...FEW_ATTEMPTS }));
    if (fault.lie && journey.wrong(cloud, stack) !== undefined) outcome = "misled";
  } catch (error) {
    outcome = "failed";
    const what = unclear(journey, error) ?? journey.forgotten?.(cloud, stack);
    if (what !== undefined) throw new Error(`${where}: the error ${what}\n${(error as Error).stack}`, { cause: error });
  }
  cloud.emulator.setFaults([]);
  if (JSON.stringify(stack.resource ?? {}).includes(CANARY)) throw new Error(`${where}: the state shows a secret`);
  try {
    if (outcome === "failed") await goOn(journey, stack);
    if (outcome === "misled") await findOut(journey, stack);
    const wrong = journey.wrong(cloud, stack);
    if (wrong !== undefined) throw new Error(wrong);
    // After that, nothing is left to do.
    if (!journey.name.endsWith("delete")) {
      await stack.refresh(cloud.provider(configuration));
      const after = journey.wrong(cloud, stack);
      if (after !== undefined) throw new Error(`after a refresh ${after}`);
    }
  } catch (error) {
    throw new Error(`${where}: ${outcome}, and the end is wrong: ${(error as Error).message}`, { cause: error });
  }
  return outcome;
}

const trials: Trial[] = [];

/** The requests that met a fault, by kind of lifecycle and of request. */
const met = new Set<string>();

/**
 * Whether `make test` leaves a trial out. It does if an earlier trial differs only in the resource or in the number of the
 * request. A fault that can come once or until the run ends comes in one of these ways, by turns. A fault of a grant comes in one
 * of the two modes, by turns.
 */
function isLeftOut(journey: Journey, call: string, index: number, fault: NamedFault, times: 0 | 1): boolean {
  if (leftOut === undefined) return false;
  const lifecycle = journey.name
    .replace(/^\w+ (?=grant, )/, "")
    .replace(/^get\w+?(IamPolicy)?$/, (_, policy) => (policy ? "lookup of a policy" : "lookup"));
  const key = [lifecycle, call.replace(/ .*[.]/, " "), fault.name, times].join();
  if (met.has(key)) return true;
  met.add(key);
  const turn = FAULTS.indexOf(fault) + index;
  const mode = Math.floor(turn / 2) % 2 === 0 ? "merge" : "replace";
  return (!fault.once && turn % 2 !== times) || (journey.configuration?.grantMode ?? mode) !== mode;
}

noteLeftOut("every request of every resource, where one of its kind met the fault");

test.each(JOURNEYS.map((each) => [each.name, each] as const))("%s", async (_name, journey) => {
  const calls = await requestsOf(journey);
  const problems: string[] = [];
  for (const fault of FAULTS) {
    for (const [index, call] of calls.entries()) {
      if ((fault.on && !fault.on(call)) || cannotBeTold(journey, fault)) continue;
      for (const times of fault.once ? ([1] as const) : ([1, 0] as const)) {
        if (isLeftOut(journey, call, index, fault, times)) continue;
        try {
          const outcome = await trial(journey, fault, index, times);
          trials.push({ journey: journey.name, fault: fault.name, outcome });
        } catch (error) {
          problems.push((error as Error).message);
        }
      }
    }
  }
  expect(problems).toEqual([]);
});

afterAll(() => process.stdout.write(tableOf(trials)));

/** Rows are faults, columns groups of lifecycles: trials that converged, and that failed clearly and converged next. */
function tableOf(all: readonly Trial[]): string {
  const groups = [...new Set(all.map((each) => groupOf(each.journey)))];
  const widths = groups.map((each) => Math.max(each.length, 7));
  const line = (head: string, cells: string[]) =>
    `  ${head.padEnd(30)}${cells.map((cell, at) => cell.padStart((widths[at] as number) + 2)).join("")}\n`;
  const cell = (fault: string | undefined, group: string) => {
    const these = all.filter((each) => (fault ?? each.fault) === each.fault && groupOf(each.journey) === group);
    if (these.length === 0) return "-";
    const failed = these.filter((each) => each.outcome === "failed").length;
    const misled = these.filter((each) => each.outcome === "misled").length;
    return `${these.length - failed - misled}/${failed}${misled > 0 ? `/${misled}` : ""}`;
  };
  const names = FAULTS.map((each) => each.name);
  return (
    "\nFault matrix. Runs that converged / that failed clearly / that were told something untrue; after the latter two,\n" +
    "the next run converged\n" +
    line("", groups) +
    names
      .map((name) =>
        line(
          name,
          groups.map((group) => cell(name, group)),
        ),
      )
      .join("") +
    line(
      "all",
      groups.map((group) => cell(undefined, group)),
    )
  );
}

function groupOf(journey: string): string {
  const [subject = "", verb = ""] = journey.split(": ");
  if (subject === "association") return verb === "create, named by the server" ? "unnamed" : verb;
  if (subject.startsWith("get")) return "lookups";
  return `${subject.includes("merge") ? "merge" : "replace"} ${verb}`;
}
