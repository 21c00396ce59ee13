/** What a review cannot know it says, what the update will refuse it refuses too, and it never shows a secret. */
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { FHIR_STORE, storeOf } from "../../support/programs";
import type { Front, Grants } from "../../support/review-fronts";
import { wrongPredictions, type Policies } from "../../support/review-outcome";
import { ADMIN, changeLines, line, onStore, ReviewWorld, VIEWER } from "../../support/review-world";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const FRONTS: Front[] = missing === undefined ? ["plugin", "npm"] : ["npm"];
const CANARY = "canary-7f3a9c";

let world: ReviewWorld;

describe("what is refused", () => {
  afterEach(() => world.dispose());

  test.each(FRONTS)("%s: a lock-out is refused by the review, the preview and the update", async (front) => {
    const config = { "perimeter:grantMode": "replace" };
    world = await ReviewWorld.create(front, { only: { member: "group:nurses@example.com" } }, { config });
    world.others([{ role: ADMIN, members: ["user:grace@example.com"] }]);
    const { result, before } = await world.review();
    expect(result.refused).toEqual([
      {
        step: world.urn("only"),
        resource: FHIR_STORE,
        reason: expect.stringMatching(/nobody would be left with a role/) as string,
      },
    ]);
    expect(result.unknown.map(({ code }) => code)).toContain("incomplete plan");
    expect([2, 3]).toContain(result.verdict.exitCode);
    await world.project.up({ fail: "yes" });
    expect(world.policies()).toEqual(before);
  });

  // What reaches the engine is the same as of a lock-out, so that one front is enough.
  test.each(FRONTS.slice(0, 1))("%s: a limit is refused by the review and by the update", async (front) => {
    world = await ReviewWorld.create(front, { one: { member: "group:one@example.com" } });
    const groups = Array.from({ length: 250 }, (_, at) => `group:g${at}@example.com`);
    world.others([{ role: VIEWER, members: groups }]);
    const { result, before } = await world.review();
    expect(result.refused).toMatchObject([{ step: world.urn("one"), resource: FHIR_STORE }]);
    expect(result.refused[0]?.reason).toMatch(/251 of them groups/);
    expect(result.verdict.exitCode).not.toBe(0);
    await world.project.up({ fail: "yes" });
    expect(world.policies()).toEqual(before);
  });
});

describe.each(FRONTS)("%s", (front) => {
  const grant = (scenario: string, member: string) => ({ name: storeOf(scenario), member });
  const group = (scenario: string, name: string) => grant(scenario, `group:${name}@example.com`);
  const secret = (name: string) => grant("secret", `secret:group:${CANARY}-${name}@example.com`);
  const first: Grants = {
    "unreadable-goes": group("unreadable", "goes"),
    "unreadable-stays": group("unreadable", "stays"),
    "unsure-stays": group("unsure", "stays"),
    "unknown-goes": group("unknown", "goes"),
    "secret-goes": secret("goes"),
    "secret-moves": secret("before"),
    "secret-stays": secret("stays"),
  };
  const second: Grants = {
    "unreadable-stays": group("unreadable", "stays"),
    "unsure-stays": group("unsure", "stays"),
    "unsure-comes": group("unsure", "comes"),
    "unknown-unknown": grant("unknown", "unknown"),
    "unknown-known": group("unknown", "known"),
    "secret-moves": secret("after"),
    "secret-stays": secret("stays"),
    "secret-plain": group("secret", "plain"),
  };

  let steps: Awaited<ReturnType<typeof carryOut>>;
  beforeAll(async () => {
    world = await ReviewWorld.create(front, first);
    for (const name of ["unreadable", "unsure", "unknown", "secret"]) world.others([], storeOf(name));
    steps = await carryOut();
  });
  afterAll(() => world?.dispose());

  async function carryOut() {
    await world.project.up();
    world.declare(second);
    const unreadable = ["unreadable", "unsure"].map((scenario) => ({
      match: { path: `**/${storeOf(scenario)}:getIamPolicy` },
      times: 0,
      fault: { status: 403, message: "no" },
    }));
    world.emulator.setFaults(unreadable);
    const { plan, before, result: all } = await world.review();
    const of = async (scenario: string) => (await world.reviewPlan(planOf(plan, scenario))).result;
    const reviews = {
      unreadable: await of("unreadable"),
      unsure: await of("unsure"),
      unknown: await of("unknown"),
      secret: await of("secret"),
    };
    const state = async () => (await world.project.run(["stack", "export", "--show-secrets"])).stdout;
    const followed = (await world.reviewPlan(plan, { state: await state() })).result;
    world.emulator.setFaults([]);
    await world.project.up();
    const after = world.policies();
    const destroyed = (await world.reviewDestroy([], { state: await state() })).result;
    return { before, all, reviews, followed, after, destroyed };
  }

  /** The policy of one store, as `wrongPredictions` takes it. */
  const only = (policies: Policies, store: string): Policies => ({ [store]: policies[store] ?? {} });

  test("a policy that cannot be read is no policy without changes", () => {
    const { unreadable, unsure } = steps.reviews;
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
    const { unknown: result } = steps.reviews;
    const [resource] = result.resources;
    expect(resource?.unknown).toMatchObject([{ code: "not known yet", step: world.urn("unknown-unknown") }]);
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
    expect(wrongPredictions(named, only(steps.before, store), only(steps.after, store))).toEqual([]);
  });

  test("secret members are counted and never shown; with the state's secrets they are followed", () => {
    const { all, reviews, followed, before, after, destroyed } = steps;
    expect(JSON.stringify([all, reviews, followed, destroyed])).not.toContain(CANARY);
    const store = storeOf("secret");
    expect(reviews.secret.resources[0]?.unknown.map(({ code }) => code)).toContain("secret");
    expect(reviews.secret.verdict.exitCode).not.toBe(0);
    expect(changeLines(reviews.secret)).toContain(line("+", "group:plain@example.com"));

    const [resource] = onStore(followed, store).resources;
    const lost = resource?.changes.filter(({ change }) => change === "lost") ?? [];
    expect(lost.map(({ steps: by }) => by).sort()).toEqual(
      [[world.urn("secret-goes")], [world.urn("secret-moves")]].sort(),
    );
    expect(lost.every(({ hidden, principal }) => hidden === "secret" && principal.includes("[secret]"))).toBe(true);
    const count = (policy?: { bindings?: readonly { members?: readonly string[] }[] }) =>
      (policy?.bindings ?? []).reduce((sum, { members }) => sum + (members?.length ?? 0), 0);
    expect(count({ bindings: resource?.before ?? [] })).toBe(count(before[store]));
    expect(count({ bindings: resource?.after ?? [] })).toBe(count(after[store]));
    expect([count(before[store]), count(after[store])]).toEqual([3, 3]);

    const gone = onStore(destroyed, store).resources.flatMap(({ changes }) => changes);
    expect(gone.map(({ change }) => change)).toEqual(["lost", "lost", "lost"]);
  });
});

/** The part of a plan that is about one scenario: a verdict is on all of it. */
function planOf(plan: string, scenario: string): string {
  const all = JSON.parse(plan) as { steps: { urn: string }[] };
  const isPart = ({ urn }: { urn: string }) => !/IamMember::/.test(urn) || urn.includes(`IamMember::${scenario}-`);
  return JSON.stringify({ ...all, steps: all.steps.filter(isPart) });
}
