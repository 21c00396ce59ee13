import { answerWith, onlyStack, verdictOf, type OneStack } from "../../tests/support/answers";
import { resourceOf } from "../../tests/support/review-results";
import type { Answer, StackAnswer } from "./result";
import { answerOf, partOf, resourcesBeside, sentenceOf } from "./stacks";

/** The answer about a stack with this exit code and this resource. */
function stack(project: string, exitCode: 0 | 2 | 3, more: Partial<OneStack> = {}): StackAnswer {
  const verdict = verdictOf({ exitCode, violations: [], allowed: [] });
  const { stacks } = answerWith({
    project,
    stack: "prod",
    resources: [resourceOf({ resource: project, unchanged: 2 })],
    verdict,
    ...more,
  });
  return stacks[0] as StackAnswer;
}

const [network, data] = [stack("network", 0), stack("data", 2)];
const both = answerOf({ operation: "update" }, [network, data]);

test("an answer has the counts of all stacks, and keeps each apart", () => {
  expect(both.summary.unchanged).toBe(4);
  expect(both.stacks).toEqual([network, data]);
  expect(partOf(both, { project: "data", stack: "prod" })).toBe(data);
  expect(resourcesBeside(both, { project: "data", stack: "prod" })).toEqual(network.resources);
});

test.each<[Answer["exitCode"], string, StackAnswer[]]>([
  [0, "no stack has findings", [network, stack("shop", 0)]],
  [2, "one stack violates a rule, whatever is unknown in others", [stack("shop", 3), data]],
  [3, "something is unknown in one stack", [network, stack("shop", 3)]],
  [
    3,
    "the plan of one stack is incomplete",
    [data, stack("shop", 3, { unknown: [{ code: "incomplete plan", message: "It failed." }] })],
  ],
])("the exit code is %d if %s", (code, _why, stacks) => {
  expect(answerOf({ operation: "update" }, stacks).exitCode).toBe(code);
});

test("a stack that was not reviewed has no part; an answer about one stack is about any that asks", () => {
  const shop = { project: "shop", stack: "prod" };
  expect(partOf(both, shop)).toBeUndefined();
  expect(resourcesBeside(both, shop)).toEqual([]);
  const one = answerWith({});
  expect(partOf(one, shop)).toBe(one.stacks[0]);
  expect(resourcesBeside(one, shop)).toEqual([]);
});

test("a sentence names its stack among several", () => {
  expect(sentenceOf(both, data, "It is secret.")).toBe("data/prod: It is secret.");
  expect(sentenceOf(answerWith({}), onlyStack(answerWith({})), "It is secret.")).toBe("It is secret.");
});
