import { resultOf } from "../../tests/support/review-results";
import { partOf, partsOf, unknownOf } from "./parts";
import type { Uncertainty } from "./result";

const STEP = (stack: string) => `urn:pulumi:prod::${stack}::a:b:C::grant`;

const of =
  (stack: string) =>
  (each: Uncertainty): Uncertainty => ({ ...each, stack });

/** A review of two stacks, of which the second loses access. */
const both = resultOf({
  stacks: [
    { name: "network/prod", exitCode: 0 },
    { name: "data/prod", exitCode: 2 },
  ],
  refused: [{ step: STEP("data"), reason: "no", stack: "data/prod" }],
  unknown: [
    ...unknownOf([{ code: "secret", message: "hidden", step: STEP("network") }], "network/prod").map(
      of("network/prod"),
    ),
    ...unknownOf([{ code: "secret", message: "hidden" }], "data/prod").map(of("data/prod")),
  ],
  verdict: {
    exitCode: 2,
    violations: [{ rule: "loss", message: "lost", stack: "data/prod" }],
    allowed: [],
    rules: null,
  },
});

test("a part of a review of several stacks has the exit code, the violations and the steps of its stack", () => {
  const [network, data] = partsOf(both);
  expect(network).toMatchObject({ project: "network", stack: "prod", refused: [], unknown: [{ message: "hidden" }] });
  expect(network?.verdict).toMatchObject({ exitCode: 0, violations: [] });
  expect(data).toMatchObject({ project: "data", stack: "prod", refused: [{ reason: "no" }] });
  expect(data?.unknown).toEqual([{ code: "secret", message: "data/prod: hidden" }]);
  expect(data?.verdict).toMatchObject({ exitCode: 2, violations: [{ message: "lost" }] });
});

test("a stack that was not reviewed has no part; a review of one stack is its own part", () => {
  expect(partOf(both, { project: "shop", stack: "prod" })).toBeUndefined();
  const one = resultOf({});
  expect(partsOf(one)).toEqual([one]);
});
