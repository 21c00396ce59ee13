/**
 * From one program of grants to the next, with each front: the grants that a binding or a grant gives up go, those that the
 * program still declares stay, and so do those that others made. Each story has a FHIR store of its own.
 */
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { casesHere } from "../../support/test-all";
import { GrantCloud } from "../random-grants/cloud";
import type { GrantDeclaration, Front, Program } from "../random-grants/program";
import { EngineStack } from "../random-grants/stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const [A, B, C, X] = ["user:a@example.com", "user:b@example.com", "group:c@example.com", "user:x@example.com"];
const VIEWER = "roles/viewer";
const READER = "roles/healthcare.fhirResourceReader";

type Options = Omit<Partial<GrantDeclaration>, "kind">;
/** What a program declares for one story. `on` is the store of the story, or `SECOND` for another one. */
type Part = Record<string, Omit<GrantDeclaration, "on"> & { on?: string }>;
const SECOND = "-second";

const binding = (role: string, members: readonly string[], options: Options = {}) =>
  ({ kind: "binding", role, members, ...options }) as const;
const member = (role: string, who: string, options: Options = {}) =>
  ({ kind: "member", role, members: [who], ...options }) as const;

interface Story {
  store: string;
  title: string;
  before: Part;
  /** What others grant between the two programs. */
  others?: readonly string[];
  after: Part;
  /** The grants at the end, on the store of the story and on the second one. */
  policy: readonly string[];
  second?: readonly string[];
}

const STORIES: readonly Story[] = [
  {
    store: "role",
    title: "a binding that gets another name by an alias and another role leaves no grant of the old role",
    before: { a: binding(VIEWER, [A, B]) },
    others: [`${VIEWER} ${X}`],
    after: { b: binding(READER, [A, B], { alias: "a" }) },
    policy: [`${READER} ${A}`, `${READER} ${B}`, `${VIEWER} ${X}`],
  },
  {
    store: "condition",
    title: "a binding that gets another name by an alias and a condition leaves no grant without the condition",
    before: { a: binding(VIEWER, [A, B]) },
    after: { b: binding(VIEWER, [A, B], { alias: "a", condition: "day" }) },
    policy: [`${VIEWER} if day ${A}`, `${VIEWER} if day ${B}`],
  },
  {
    store: "resource",
    title: "a binding that gets another name by an alias and another store leaves no grant on the old store",
    before: { a: binding(VIEWER, [A, B]) },
    after: { b: binding(VIEWER, [A, B], { alias: "a", on: SECOND }) },
    policy: [],
    second: [`${VIEWER} ${A}`, `${VIEWER} ${B}`],
  },
  {
    store: "members",
    title: "a binding that gets another name by an alias and other members has exactly these members",
    before: { a: binding(VIEWER, [A, B]) },
    after: { b: binding(VIEWER, [B, C], { alias: "a" }) },
    policy: [`${VIEWER} ${B}`, `${VIEWER} ${C}`],
  },
  {
    store: "grant",
    title: "a member grant that gets another name by an alias and another role leaves no grant of the old role",
    before: { a: member(VIEWER, A) },
    after: { b: member(READER, A, { alias: "a" }) },
    policy: [`${READER} ${A}`],
  },
  {
    store: "to-number",
    title: "a binding that becomes member grants which name the project by its number keeps their members",
    before: { a: binding(VIEWER, [A, B, C]) },
    after: { b: member(VIEWER, A, { byNumber: true }), c: member(VIEWER, B, { byNumber: true }) },
    policy: [`${VIEWER} ${A}`, `${VIEWER} ${B}`],
  },
  {
    store: "from-number",
    title: "member grants that name the project by its number and become a binding keep their members",
    before: { b: member(VIEWER, A, { byNumber: true }), c: member(VIEWER, B, { byNumber: true }) },
    after: { a: binding(VIEWER, [A, B]) },
    policy: [`${VIEWER} ${A}`, `${VIEWER} ${B}`],
  },
  {
    store: "renamed",
    title: "a binding that gets another name, other members and the project's number has exactly these members",
    before: { a: binding(VIEWER, [A, B]) },
    after: { b: binding(VIEWER, [C, B], { byNumber: true }) },
    policy: [`${VIEWER} ${B}`, `${VIEWER} ${C}`],
  },
  {
    store: "deleted",
    title: "a binding that is deleted leaves the members that others added",
    before: { a: binding(VIEWER, [A, B]) },
    others: [`${VIEWER} ${X}`],
    after: {},
    policy: [`${VIEWER} ${X}`],
  },
  {
    store: "replaced",
    title: "a binding that gets another role leaves the members that others added to the old role",
    before: { a: binding(VIEWER, [A, B]) },
    others: [`${VIEWER} ${X}`],
    after: { a: binding(READER, [A, B]) },
    policy: [`${READER} ${A}`, `${READER} ${B}`, `${VIEWER} ${X}`],
  },
  {
    store: "divided",
    title: "a binding that becomes member grants leaves the members that others added",
    before: { a: binding(VIEWER, [A, B]) },
    others: [`${VIEWER} ${X}`],
    after: { b: member(VIEWER, A) },
    policy: [`${VIEWER} ${A}`, `${VIEWER} ${X}`],
  },
];

const STORES = STORIES.flatMap(({ store }) => [store, store + SECOND]);

/** The program of all stories. */
function programOf(step: "before" | "after"): Program {
  const all = STORIES.flatMap((story) =>
    Object.entries(story[step]).map(([name, { on = "", alias, ...rest }]) => [
      `${story.store}-${name}`,
      { ...rest, on: story.store + on, ...(alias === undefined ? {} : { alias: `${story.store}-${alias}` }) },
    ]),
  );
  return Object.fromEntries(all) as Program;
}

const FRONTS: Front[] = missingHost("yaml") === undefined ? ["the executable", "npm"] : ["npm"];
/** tests/lifecycle/transitions has such stories through each front. calls.test.ts shows that its calls are the engine's. */
const HERE = casesHere(
  FRONTS,
  (_, index) => index === 0,
  (front) => `from one program to the next, with ${front}`,
);

describe.each(HERE)("from one program to the next, with %s", (front) => {
  let cloud: GrantCloud;
  let stack: EngineStack;
  /** The grants on a store at the end, sorted. */
  const grantsOn = (store: string) =>
    [...cloud.grants()]
      .flatMap((grant) => (grant.startsWith(`${store} `) ? [grant.slice(store.length + 1)] : []))
      .sort();

  beforeAll(async () => {
    cloud = await GrantCloud.start(STORES);
    stack = await EngineStack.create("stories", front, "merge", cloud);
    stack.declare(programOf("before"));
    expect((await stack.up()).code).toBe(0);
    cloud.change({ added: STORIES.flatMap(({ store, others = [] }) => others.map((grant) => `${store} ${grant}`)) });
    stack.declare(programOf("after"));
    expect(await stack.up()).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await stack?.dispose();
    await cloud?.emulator.stop();
  });

  test.each(STORIES)("$title", ({ store, policy, second = [] }) => {
    expect([grantsOn(store), grantsOn(store + SECOND)]).toEqual([[...policy].sort(), [...second].sort()]);
  });

  test("a preview after the last update shows no change, and a destroy leaves what others granted", async () => {
    expect(await stack.preview(["--expect-no-changes"])).toMatchObject({ code: 0 });
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    const others = STORIES.flatMap(({ store, others: some = [] }) => some.map((grant) => `${store} ${grant}`));
    expect([...cloud.grants()].sort()).toEqual(others.sort());
  });
});
