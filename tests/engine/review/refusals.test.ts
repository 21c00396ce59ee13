/** What the update will refuse, the review refuses too. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { FHIR_STORE } from "../../support/programs";
import { FRONTS } from "../../support/review-fronts";
import { casesHere, testInAll } from "../../support/test-all";
import { ADMIN, ReviewedStack, VIEWER } from "../../support/reviewed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let stack: ReviewedStack;

describe("refused changes", () => {
  afterEach(() => stack.dispose());

  const [first] = FRONTS;
  const fronts = casesHere(FRONTS, (front) => front === first);

  // A front passes on the refusal of the same check. tests/engine/dynamic has refusals through the npm front.
  test.each(fronts)("%s: the review, the preview and the update report a lock-out", async (front) => {
    const config = { "perimeter:grantMode": "replace" };
    stack = await ReviewedStack.create(front, { only: { member: "group:nurses@example.com" } }, { config });
    stack.others([{ role: ADMIN, members: ["user:grace@example.com"] }]);
    const { result, before } = await stack.review();
    expect(result.refused).toMatchObject([
      {
        step: stack.urn("only"),
        resource: FHIR_STORE,
        reason: expect.stringMatching(/no identity would keep a role/) as string,
      },
    ]);
    // The preview fails at the lock-out, so the plan is incomplete.
    expect(result.unknown.map(({ code }) => code)).toContain("incomplete plan");
    expect(result.verdict.exitCode).toBe(3);
    await stack.project.up({ fail: "yes" });
    expect(stack.policies()).toEqual(before);
  });

  // What reaches the engine is the same as of a lock-out. tests/lifecycle/rehearsal.test.ts has the review.
  testInAll("the review and the update report an exceeded limit", async () => {
    stack = await ReviewedStack.create(first ?? "npm", { one: { member: "group:one@example.com" } });
    const groups = Array.from({ length: 250 }, (_, at) => `group:g${at}@example.com`);
    stack.others([{ role: VIEWER, members: groups }]);
    const { result, before } = await stack.review();
    expect(result.refused).toMatchObject([{ step: stack.urn("one"), resource: FHIR_STORE }]);
    expect(result.refused[0]?.reason).toMatch(/251 of them groups/);
    expect(result.unknown.map(({ code }) => code)).toContain("incomplete plan");
    expect(result.verdict.exitCode).toBe(3);
    await stack.project.up({ fail: "yes" });
    expect(stack.policies()).toEqual(before);
  });
});
