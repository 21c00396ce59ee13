import { byEffect, onlyStack, type OneStack } from "../../support/answers";
/**
 * A review of role bindings with the real engine: what it predicts is what the update then does. Each scenario has a migration
 * job of its own in one stack.
 */
import { readStackAccess, review, reviewStack } from "../../../access";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import type { Policy } from "../../../provider/iam/policy";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { MIGRATION_JOB, PROJECT } from "../../support/programs";
import { wrongPredictions } from "../../support/review-outcome";
import { skipped } from "../../support/skipped";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const ROLE = "roles/datamigration.admin";
const VIEWER = "roles/viewer";
const missing = missingHost("yaml");

const jobOf = (scenario: string) => MIGRATION_JOB.replace(/[^/]+$/, scenario);
const MADE = jobOf("made");
const TURNED = jobOf("turned");
const RENAMED = jobOf("renamed");
const LEFT = jobOf("left");
const MOVED = jobOf("moved");
const STAYS = jobOf("stays");
const HIDDEN = jobOf("hidden");
const JOBS = [MADE, TURNED, RENAMED, LEFT, MOVED, STAYS, HIDDEN];
/** Those about which a review can say everything. */
const VISIBLE = JOBS.filter((job) => job !== HIDDEN);

const users = (...names: string[]) => names.map((name) => `user:${name}@example.com`);
const binding = (name: string, members: unknown, role = ROLE) => ({
  type: "perimeter:datamigration/v1beta1:MigrationJobIamBinding",
  properties: { name, role, members },
});
const member = (name: string, who: string) => ({
  type: "perimeter:datamigration/v1beta1:MigrationJobIamMember",
  properties: { name, role: ROLE, member: `user:${who}@example.com` },
});
const renamedUrn = "urn:pulumi:test::p::perimeter:datamigration/v1beta1:MigrationJobIamBinding::renamed";
const members = { ada: member(MOVED, "ada"), bob: member(MOVED, "bob") };

const FIRST = {
  turned: binding(TURNED, users("ada", "cyd")),
  renamed: binding(RENAMED, users("ada")),
  left: binding(LEFT, users("ada")),
  ...members,
  stays: binding(STAYS, users("ada", "bob")),
  hidden: binding(HIDDEN, users("ada", "bob")),
};
const SECOND = {
  made: binding(MADE, users("ada", "bob")),
  turned: binding(TURNED, users("ada"), VIEWER),
  crew: { ...binding(RENAMED, users("ada"), VIEWER), options: { aliases: [renamedUrn] } },
  moved: binding(MOVED, users("ada", "bob")),
  stays: FIRST.stays,
  hidden: FIRST.hidden,
};
const THIRD = {
  made: binding(MADE, users("ada", "cyd")),
  crew: binding(RENAMED, users("ada"), VIEWER),
  ...members,
  stays: FIRST.stays,
  hidden: binding(HIDDEN, [users("ada")[0], { "fn::secret": "user:canary@example.com" }]),
};
const program = (resources: object) => ({ "Pulumi.yaml": JSON.stringify({ name: "p", runtime: "yaml", resources }) });

(missing === undefined ? describe : describe.skip)(`bindings${skipped(missing)}`, () => {
  let emulator: Emulator;
  let project: EngineProject;
  let steps: Awaited<ReturnType<typeof carryOut>>;

  beforeAll(async () => {
    const bindings = [{ role: VIEWER, members: users("other") }];
    const seed = JOBS.map((name) => ({ service: "datamigration", name, body: {}, policy: { bindings } }));
    emulator = await startEmulator({ seed: [...demoSeed, ...seed] });
    project = await EngineProject.create({
      program: program(FIRST),
      config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
      env: emulator.env,
      path: [pluginFolder()],
      nodeModules: "none",
    });
    steps = await carryOut();
  });
  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  const stack = () => project.stackOptions;
  const policies = () =>
    Object.fromEntries(JOBS.map((name) => [name, (emulator.resource(name)?.policy ?? {}) as Policy]));
  const others = (name: string, bindings: Policy["bindings"]) => emulator.mutate(name, { policy: { bindings } });

  async function carryOut() {
    await project.up();
    others(MADE, [
      { role: VIEWER, members: users("other") },
      { role: ROLE, members: users("by-hand", "ada") },
    ]);
    others(LEFT, [{ role: ROLE, members: users("ada", "by-hand") }]);
    others(STAYS, [{ role: ROLE, members: users("ada", "bob", "by-hand") }]);
    project.writeFiles(program(SECOND));
    const second = await step(
      () => planned(["preview"]),
      () => project.up(),
    );
    project.writeFiles(program(THIRD));
    const third = await step(
      async () => onlyStack(await reviewStack(stack())),
      () => project.up(),
    );
    const { result: access, adoption } = await readStackAccess(stack());
    const destroyed = await step(
      () => planned(["destroy", "--preview-only"]),
      () => project.destroy(),
    );
    return { second, third, access, adoption, destroyed };
  }

  /** The review of a plan with the stack's state. */
  async function planned(command: string[]): Promise<OneStack> {
    const { stdout: plan } = await project.run([...command, "--json", "--show-sames"]);
    const destroy = command[0] === "destroy";
    const state = JSON.stringify(await project.exportState());
    return onlyStack(await review({ plan, destroy, state, environment: project.env }));
  }

  /** Reviews the next operation, carries it out, and compares. */
  async function step(reviewed: () => Promise<OneStack>, carriedOut: () => Promise<unknown>) {
    const before = policies();
    const result = await reviewed();
    expect(policies()).toEqual(before);
    await carriedOut();
    return { result, wrong: wrongPredictions(result, before, policies(), { resources: VISIBLE }), after: policies() };
  }

  const on = ({ resources }: OneStack, job: string) => resources.filter(({ resource }) => resource === job);
  /** What a step was to change on a scenario's job, and what the verdict says of it. */
  const changes = ({ result }: { result: OneStack }, job: string) => ({
    changes: on(result, job)
      .flatMap((each) => each.changes.map(({ change, principal }) => `${change} ${principal}`))
      .sort(),
    rules: [
      ...new Set(
        byEffect(result.verdict)
          .violations.filter(({ resource }) => resource === job)
          .map(({ rule }) => rule),
      ),
    ],
  });

  test("all predictions are correct, and only a secret member is unknown", () => {
    const { second, third, destroyed } = steps;
    expect([second.wrong, third.wrong, destroyed.wrong]).toEqual([[], [], []]);
    for (const { result } of [second, third, destroyed]) {
      expect(result.unknown).toEqual([]);
      const unclear = result.resources.filter(({ unknown }) => unknown.length > 0).map(({ resource }) => resource);
      expect(unclear.filter((job) => job !== HIDDEN)).toEqual([]);
    }
    expect([second, third, destroyed].map(({ result }) => result.verdict.exitCode)).toEqual([2, 2, 2]);
  });

  test("a new binding, other members, another role, and a delete", () => {
    const { second, third } = steps;
    expect(changes(second, MADE)).toEqual({
      changes: ["gained user:bob@example.com", "lost user:by-hand@example.com"],
      rules: ["loss"],
    });
    expect(changes(third, MADE)).toEqual({
      changes: ["gained user:cyd@example.com", "lost user:bob@example.com"],
      rules: ["loss"],
    });
    expect(changes(second, TURNED).changes).toEqual([
      "gained user:ada@example.com",
      "lost user:ada@example.com",
      "lost user:cyd@example.com",
      "lost user:other@example.com",
    ]);
    expect(changes(third, TURNED).changes).toEqual(["lost user:ada@example.com"]);
  });

  test("a new name by an alias together with another role takes the old role", () => {
    expect(changes(steps.second, RENAMED).changes).toEqual([
      "gained user:ada@example.com",
      "lost user:ada@example.com",
      "lost user:other@example.com",
    ]);
  });

  test("a delete leaves the members that others added, and the review names them", () => {
    const { result, after } = steps.second;
    expect(result.notes.join("\n")).toContain(`keep the role: 1 principal\n  user:by-hand@example.com ${ROLE}`);
    expect(changes(steps.second, LEFT).changes).toEqual(["lost user:ada@example.com"]);
    expect(after[LEFT]?.bindings).toEqual([{ role: ROLE, members: users("by-hand") }]);
  });

  test("from members to a binding and back, nobody loses access", () => {
    const { second, third } = steps;
    for (const each of [second, third]) expect(changes(each, MOVED)).toEqual({ changes: [], rules: [] });
  });

  test("a destroy takes the members of the binding, and nobody else", () => {
    expect(changes(steps.destroyed, STAYS).changes).toEqual(["lost user:ada@example.com", "lost user:bob@example.com"]);
  });

  test("the grants of a binding are managed, and what others add to its role is not; secret members are hidden", () => {
    const { third, access, adoption, destroyed } = steps;
    const unmanaged = on(onlyStack(access), STAYS).map((each) => each.unmanaged.map(({ principal }) => principal));
    expect(unmanaged).toEqual([users("by-hand")]);
    // A member grant beside the binding would be refused.
    expect(adoption.leftOut).toEqual([
      expect.stringMatching(/^user:by-hand@example\.com .* is left out: a binding of the stack owns the role/),
    ]);
    expect(adoption.file.resources.filter(({ id }) => id.startsWith(STAYS))).toEqual([]);
    expect(JSON.stringify(third.after[HIDDEN])).toContain("canary");
    for (const answer of [third.result, access, adoption, destroyed.result]) {
      expect(JSON.stringify(answer)).not.toContain("canary");
    }
  });
});
