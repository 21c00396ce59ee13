/** A review of role bindings with the real engine: what it predicts is what the update then does. */
import * as path from "node:path";
import { accessOfStack, readStackAccess, reviewStack } from "../../../access";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import type { Policy } from "../../../provider/iam/policy";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { MIGRATION_JOB, PROJECT } from "../../support/programs";
import { wrongPredictions } from "../../support/review-outcome";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const ROLE = "roles/datamigration.admin";
const TEAM_URN = "urn:pulumi:test::p::perimeter:datamigration/v1beta1:MigrationJobIamBinding::team";
const missing = missingHost("yaml");

(missing === undefined ? describe : describe.skip)(
  `bindings${missing === undefined ? "" : ` [skipped: ${missing}]`}`,
  () => {
    let emulator: Emulator;
    let project: EngineProject;

    const binding = (members: unknown, role = ROLE, more: object = {}) => ({
      type: "perimeter:datamigration/v1beta1:MigrationJobIamBinding",
      properties: { name: MIGRATION_JOB, role, members, ...more },
    });
    const member = (who: string, role = ROLE) => ({
      type: "perimeter:datamigration/v1beta1:MigrationJobIamMember",
      properties: { name: MIGRATION_JOB, role, member: who },
    });
    const program = (resources: object) => ({
      "Pulumi.yaml": JSON.stringify({ name: "p", runtime: "yaml", resources }),
    });
    const users = (...names: string[]) => names.map((name) => `user:${name}@example.com`);
    const policies = () => ({ [MIGRATION_JOB]: (emulator.resource(MIGRATION_JOB)?.policy ?? {}) as Policy });
    const stack = () => ({
      stack: project.stack,
      cwd: project.dir,
      pulumi: path.join(engine().bin, "pulumi"),
      environment: project.env,
    });

    async function declared(resources: object) {
      project.writeFiles(program(resources));
      await project.up();
    }

    /** Reviews the next update, carries it out, and compares. @returns the changes that were predicted */
    async function carriedOut(resources: object, destroy = false) {
      project.writeFiles(program(resources));
      const before = policies();
      const review = await reviewStack({ ...stack(), destroy });
      expect(policies()).toEqual(before);
      if (destroy) await project.destroy();
      else await project.up();
      expect(review.unknown).toEqual([]);
      expect(review.resources.flatMap(({ unknown }) => unknown)).toEqual([]);
      expect(wrongPredictions(review, before, policies())).toEqual([]);
      const changes = review.resources.flatMap((each) =>
        each.changes.map(({ change, principal }) => `${change} ${principal}`),
      );
      return { changes: changes.sort(), code: review.verdict.exitCode };
    }

    beforeEach(async () => {
      emulator = await startEmulator({ seed: demoSeed });
      emulator.mutate(MIGRATION_JOB, { policy: { bindings: [{ role: "roles/viewer", members: users("other") }] } });
      project = await EngineProject.create({
        program: program({}),
        config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
        env: emulator.env,
        path: [pluginFolder()],
        nodeModules: "none",
      });
    });
    afterEach(async () => {
      await project?.dispose();
      await emulator?.stop();
    });

    test("a new binding, other members, another role, and a delete", async () => {
      emulator.mutate(MIGRATION_JOB, {
        policy: {
          bindings: [
            { role: "roles/viewer", members: users("other") },
            { role: ROLE, members: users("by-hand", "ada") },
          ],
        },
      });
      expect(await carriedOut({ team: binding(users("ada", "bob")) })).toEqual({
        changes: ["gained user:bob@example.com", "lost user:by-hand@example.com"],
        code: 2,
      });
      expect(await carriedOut({ team: binding(users("ada", "cyd")) })).toEqual({
        changes: ["gained user:cyd@example.com", "lost user:bob@example.com"],
        code: 2,
      });
      const { changes } = await carriedOut({ team: binding(users("ada"), "roles/viewer") });
      expect(changes).toEqual([
        "gained user:ada@example.com",
        "lost user:ada@example.com",
        "lost user:cyd@example.com",
        "lost user:other@example.com",
      ]);
      expect((await carriedOut({})).changes).toEqual(["lost user:ada@example.com"]);
    });

    test("a new name by an alias together with another role takes the old role", async () => {
      await declared({ team: binding(users("ada")) });
      const renamed = { ...binding(users("ada"), "roles/viewer"), options: { aliases: [TEAM_URN] } };
      expect((await carriedOut({ crew: renamed })).changes).toEqual([
        "gained user:ada@example.com",
        "lost user:ada@example.com",
        "lost user:other@example.com",
      ]);
    });

    test("a delete leaves the members that others added, and the review names them", async () => {
      await declared({ team: binding(users("ada")) });
      const live = [{ role: ROLE, members: users("ada", "by-hand") }];
      emulator.mutate(MIGRATION_JOB, { policy: { bindings: live } });
      project.writeFiles(program({}));
      const { notes } = await reviewStack(stack());
      expect(notes.join("\n")).toContain(`keep the role: 1 principal\n  user:by-hand@example.com ${ROLE}`);
      expect((await carriedOut({})).changes).toEqual(["lost user:ada@example.com"]);
      expect(policies()[MIGRATION_JOB]?.bindings).toEqual([{ role: ROLE, members: users("by-hand") }]);
    });

    test("from members to a binding and back, nobody loses access", async () => {
      await declared({ ada: member("user:ada@example.com"), bob: member("user:bob@example.com") });
      expect(await carriedOut({ team: binding(users("ada", "bob")) })).toEqual({ changes: [], code: 0 });
      expect(await carriedOut({ ada: member("user:ada@example.com"), bob: member("user:bob@example.com") })).toEqual({
        changes: [],
        code: 0,
      });
    });

    test("a destroy takes the members of the binding, and nobody else", async () => {
      await declared({ team: binding(users("ada", "bob")) });
      expect((await carriedOut({}, true)).changes).toEqual(["lost user:ada@example.com", "lost user:bob@example.com"]);
    });

    test("the grants of a binding are managed, and what others add to its role is not; secret members are hidden", async () => {
      await declared({ team: binding(users("ada", "bob")) });
      emulator.mutate(MIGRATION_JOB, {
        policy: { bindings: [{ role: ROLE, members: users("ada", "bob", "by-hand") }] },
      });
      const { resources } = await accessOfStack(stack());
      expect(resources.map(({ unmanaged }) => unmanaged.map(({ principal }) => principal))).toEqual([users("by-hand")]);
      // A member grant beside the binding would be refused.
      const { adoption } = await readStackAccess(stack());
      expect(adoption).toEqual({
        file: { nameTable: {}, resources: [] },
        leftOut: [
          expect.stringMatching(/^user:by-hand@example\.com .* is left out: a binding of the stack owns the role/),
        ],
      });

      project.writeFiles(program({ team: binding([users("ada")[0], { "fn::secret": "user:canary@example.com" }]) }));
      const review = await reviewStack(stack());
      expect(JSON.stringify(review)).not.toContain("canary");
      await project.up();
      expect(JSON.stringify(await accessOfStack(stack()))).not.toContain("canary");
    });
  },
);
