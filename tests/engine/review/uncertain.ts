import { type OneStack } from "../../support/answers";
/** What a review cannot know it says, and it never shows a secret. */
import { storeOf } from "../../support/programs";
import type { Grants } from "../../support/review-fronts";
import { wrongPredictions, type Policies } from "../../support/review-outcome";
import { changeLines, line, onStore, type Reviewed, type ReviewWorld } from "../../support/review-world";

const CANARY = "canary-7f3a9c";
const SCENARIOS = ["unreadable", "unsure", "unknown", "secret"] as const;

/** What the program declares before the change and after it. */
const grant = (scenario: string, member: string) => ({ name: storeOf(scenario), member });
const group = (scenario: string, name: string) => grant(scenario, `group:${name}@example.com`);
const secret = (name: string) => grant("secret", `secret:group:${CANARY}-${name}@example.com`);
export const FIRST: Grants = {
  "unreadable-goes": group("unreadable", "goes"),
  "unreadable-stays": group("unreadable", "stays"),
  "unsure-stays": group("unsure", "stays"),
  "unknown-goes": group("unknown", "goes"),
  "secret-goes": secret("goes"),
  "secret-moves": secret("before"),
  "secret-stays": secret("stays"),
};
export const SECOND: Grants = {
  "unreadable-stays": group("unreadable", "stays"),
  "unsure-stays": group("unsure", "stays"),
  "unsure-comes": group("unsure", "comes"),
  "unknown-unknown": grant("unknown", "unknown"),
  "unknown-known": group("unknown", "known"),
  "secret-moves": secret("after"),
  "secret-stays": secret("stays"),
  "secret-plain": group("secret", "plain"),
};

/** Stores on which nobody else has anything. */
export function makeStores(world: ReviewWorld): void {
  for (const name of SCENARIOS) world.others([], storeOf(name));
}

/** Takes from the reviewer what it may read. */
export function hidePolicies(world: ReviewWorld): void {
  const unreadable = ["unreadable", "unsure"].map((scenario) => ({
    match: { path: `**/${storeOf(scenario)}:getIamPolicy` },
    times: 0,
    fault: { status: 403, message: "no" },
  }));
  world.emulator.setFaults(unreadable);
}

/** A review of each scenario's part of a plan: a verdict is on all of it. */
export async function reviewEach(
  world: ReviewWorld,
  changed: Reviewed,
): Promise<Record<(typeof SCENARIOS)[number], OneStack>> {
  const names = Object.keys({ ...FIRST, ...SECOND });
  const of = async (scenario: string) => {
    const grants = names.filter((name) => name.startsWith(`${scenario}-`));
    return (await world.reviewPart(changed, grants)).result;
  };
  return {
    unreadable: await of("unreadable"),
    unsure: await of("unsure"),
    unknown: await of("unknown"),
    secret: await of("secret"),
  };
}

export interface Steps {
  before: Policies;
  after: Policies;
  /** Of the whole plan of the change. */
  all: OneStack;
  /** Of each scenario's part of it. */
  reviews: Awaited<ReturnType<typeof reviewEach>>;
  /** Of the whole plan with the state and its secrets. */
  followed: OneStack;
  /** Of the destroy, with them too. */
  destroyed: OneStack;
}

/** Defines the tests. */
export function uncertain(steps: () => Steps, urn: (name: string) => string): void {
  /** The policy of one store, as `wrongPredictions` takes it. */
  const only = (policies: Policies, store: string): Policies => ({ [store]: policies[store] ?? {} });

  test("a policy that cannot be read is no policy without changes", () => {
    const { unreadable, unsure } = steps().reviews;
    expect(unreadable.resources).toMatchObject([{ resource: storeOf("unreadable"), before: null, after: null }]);
    expect(unreadable.resources[0]?.unknown.map(({ code }) => code)).toContain("unreadable policy");
    // The state says that it has the grant, and the plan takes it away: that is a loss, whatever else the policy has.
    expect(changeLines(unreadable)).toEqual([line("-", "group:goes@example.com")]);
    expect(unreadable.resources[0]?.noAccessLeft).toEqual([]);
    expect(unreadable.verdict.exitCode).toBe(2);
    expect(unreadable.summary.unknown).toBe(1);
    expect(unsure.verdict.exitCode).toBe(3);
  });

  test("what is not known yet is said so, and the rest is predicted", () => {
    const { unknown: result } = steps().reviews;
    const [resource] = result.resources;
    expect(resource?.unknown).toMatchObject([{ code: "not known yet", step: urn("unknown-unknown") }]);
    expect(changeLines(result)).toEqual(
      [
        line("+", "[known after the update]"),
        line("+", "group:known@example.com"),
        line("-", "group:goes@example.com"),
      ].sort(),
    );
    expect(resource?.changes.find(({ principal }) => principal.startsWith("["))?.hidden).toBe("known after the update");
    expect(result.verdict.exitCode).toBe(2);
    // All but the name of the unknown one is as predicted.
    const named = JSON.parse(
      JSON.stringify(result).replaceAll("[known after the update]", "group:active@example.com"),
    ) as typeof result;
    const store = storeOf("unknown");
    expect(wrongPredictions(named, only(steps().before, store), only(steps().after, store))).toEqual([]);
  });

  test("secret members are counted and never shown; with the state's secrets they are followed", () => {
    const { all, reviews, followed, before, after, destroyed } = steps();
    expect(JSON.stringify([all, reviews, followed, destroyed])).not.toContain(CANARY);
    const store = storeOf("secret");
    expect(reviews.secret.resources[0]?.unknown.map(({ code }) => code)).toContain("secret");
    expect(reviews.secret.verdict.exitCode).not.toBe(0);
    expect(changeLines(reviews.secret)).toContain(line("+", "group:plain@example.com"));

    const [resource] = onStore(followed, store).resources;
    const lost = resource?.changes.filter(({ change }) => change === "lost") ?? [];
    expect(lost.map(({ steps: by }) => by).sort()).toEqual([[urn("secret-goes")], [urn("secret-moves")]].sort());
    expect(lost.every(({ hidden, principal }) => hidden === "secret" && principal.includes("[secret]"))).toBe(true);
    const count = (policy?: { bindings?: readonly { members?: readonly string[] }[] }) =>
      (policy?.bindings ?? []).reduce((sum, { members }) => sum + (members?.length ?? 0), 0);
    expect(count({ bindings: resource?.before ?? [] })).toBe(count(before[store]));
    expect(count({ bindings: resource?.after ?? [] })).toBe(count(after[store]));
    expect([count(before[store]), count(after[store])]).toEqual([3, 3]);

    const gone = onStore(destroyed, store).resources.flatMap(({ changes }) => changes);
    expect(gone.map(({ change }) => change)).toEqual(["lost", "lost", "lost"]);
  });
}
