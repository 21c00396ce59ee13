/**
 * Programs whose resources would undo each other, with each front: the update is refused, and nobody loses access. The two
 * resources may name the project by its id and by its number, or belong to two explicit providers.
 */
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { GrantCloud } from "../random-grants/cloud";
import type { Declaration, Front, Program } from "../random-grants/program";
import { casesHere } from "../../support/test-all";
import { EngineStack } from "../random-grants/stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const [A, B] = ["user:a@example.com", "user:b@example.com"];
const STORE = "shared";
const ROLE = "roles/viewer";
const binding: Declaration = { kind: "binding", on: STORE, role: ROLE, members: [A] };
const member: Declaration = { kind: "member", on: STORE, role: ROLE, members: [B] };
const byNumber = { byNumber: true };
const after = { dependsOn: "a" };

/** Programs that both fronts can have, and what differs between their two resources. */
const SPELLINGS: [what: string, program: Program][] = [
  [
    "a member grant under the id, then a binding under the number",
    { a: member, b: { ...binding, ...byNumber, ...after } },
  ],
  [
    "a member grant under the number, then a binding under the id",
    { a: { ...member, ...byNumber }, b: { ...binding, ...after } },
  ],
  [
    "a binding under the id, then a member grant under the number",
    { a: binding, b: { ...member, ...byNumber, ...after } },
  ],
  [
    "two bindings, the first under the id, the second under the number",
    { a: binding, b: { ...binding, members: [B], ...byNumber, ...after } },
  ],
];
const [first, second] = [{ provider: "first" }, { provider: "second" }];
const PROVIDERS: typeof SPELLINGS = [
  [
    "a member grant of one provider, then a binding of another",
    { a: { ...member, ...first }, b: { ...binding, ...second, ...after } },
  ],
  [
    "a binding of one provider, then a member grant of another",
    { a: { ...binding, ...first }, b: { ...member, ...second, ...after } },
  ],
  [
    "two bindings of two providers",
    { a: { ...binding, ...first }, b: { ...binding, members: [B], ...second, ...after } },
  ],
  [
    "a binding of the default provider, then a member grant of an explicit one",
    { a: binding, b: { ...member, ...first, ...after } },
  ],
];

const FRONTS: [Front, typeof SPELLINGS][] = [["npm", SPELLINGS]];
if (missingHost("yaml") === undefined) FRONTS.push(["the executable", [...SPELLINGS, ...PROVIDERS]]);

describe.each(FRONTS)("programs whose resources undo each other, with %s", (front, programs) => {
  let cloud: GrantCloud;
  let stack: EngineStack;
  const BEFORE = [`${STORE} ${ROLE} ${A}`, `${STORE} ${ROLE} ${B}`];
  beforeEach(async () => {
    cloud = await GrantCloud.start([STORE]);
    cloud.change({ added: BEFORE });
    stack = await EngineStack.create("conflicts", front, "merge", cloud);
  });
  afterEach(async () => {
    await stack?.dispose();
    await cloud?.emulator.stop();
  });

  /** tests/lifecycle/transitions/refusals.test.ts has all of them through each front, without an engine. */
  const here = casesHere(
    programs,
    (_, index) => (front === "npm" ? index === 0 : [3, 7].includes(index)),
    ([what]) => what,
  );

  test.each(here)("are refused and nobody loses access: %s", async (_, program) => {
    stack.declare(program);
    const { code, stdout, stderr } = await stack.upWithPreview();
    expect([code === 0 ? stdout + stderr : "refused", [...cloud.grants()].sort()]).toEqual(["refused", BEFORE]);
  });
});
