/** Secret inputs, wherever they could appear. */
import { FHIR_STORE, MIGRATION_JOB } from "../../support/programs";
import { ASSOCIATION, JOB_GRANT, STORE_BINDING } from "../../support/tokens";
import { secret, UNKNOWN } from "../plugin-client";
import {
  NETWORK,
  LINK,
  CANARY,
  linkInputs,
  grantInputs,
  emulator,
  engine,
  plugin,
  describePlugin,
  failing,
  up,
  nextRun,
  refresh,
} from "./scene";

describePlugin(() => {
  describe("secrets", () => {
    test("a secret input is secret in inputs and outputs, and in all outputs that contain it", async () => {
      const news = linkInputs({
        network: secret(NETWORK),
        labels: { env: secret("canary") },
        project: secret("canary-project"),
      });
      const prior = await up(ASSOCIATION, news);
      expect(prior.inputs).toEqual(news);
      expect(prior.outputs).toMatchObject({
        network: secret(NETWORK),
        labels: { env: secret("canary") },
        project: secret("canary-project"),
        name: secret(LINK.replace("demo-project", "canary-project")),
        location: "us-central1-a",
      });
      expect(prior.id).toMatch(/^hidden-/);
    });

    test("stay secret in a preview", async () => {
      const { outputs } = await plugin.create(
        ASSOCIATION,
        linkInputs({ project: secret("canary"), labels: secret(UNKNOWN) }),
        { preview: true },
      );
      expect(outputs).toMatchObject({
        project: secret("canary"),
        labels: secret(UNKNOWN),
        name: secret(LINK.replace("demo-project", "canary")),
      });
    });

    test("a grant to a secret member has a random id, by which it is read, replaced and deleted", async () => {
      const news = grantInputs({ member: secret(`user:${CANARY}`) });
      const prior = await up(JOB_GRANT, news);
      expect(prior.id).toMatch(/^hidden-[0-9a-f-]{36}$/);
      expect(prior.outputs.member).toEqual(secret(`user:${CANARY}`));
      const refreshed = await refresh(JOB_GRANT, prior);
      expect(refreshed?.live).toMatchObject({
        id: prior.id,
        inputs: news,
        outputs: { member: secret(`user:${CANARY}`) },
      });
      expect(refreshed?.drift.changes).toBe("DIFF_NONE");
      await nextRun();
      await plugin.delete(JOB_GRANT, prior.id, prior);
      expect(JSON.stringify(emulator.resource(MIGRATION_JOB)?.policy ?? {})).not.toContain(CANARY);
    });

    test("two grants to secret members have different ids", async () => {
      const [first, second] = [
        await plugin.create(JOB_GRANT, grantInputs({ member: secret("user:one@example.com") })),
        await plugin.create(JOB_GRANT, grantInputs({ member: secret("user:one@example.com") }), { name: "two" }),
      ];
      expect(first.id).not.toBe(second.id);
    });

    test("the cloud's message about a secret member does not show it", async () => {
      emulator.configure({ unknownMembers: [`user:${CANARY}`] });
      const news = grantInputs({ member: secret(`user:${CANARY}`) });
      const error = await failing(plugin.create(JOB_GRANT, news, { timeout: 1 }));
      expect(error.message).toContain("[secret]");
      expect(plugin.answers.join()).not.toContain(CANARY);
      expect(JSON.stringify(engine.lines)).not.toContain(CANARY);
    });

    test("a secret member that the cloud stores under another name is in no message, and secret in the state", async () => {
      emulator.configure({ memberAliases: { [CANARY]: `primary-${CANARY}` } });
      const news = grantInputs({ member: secret(`user:${CANARY}`) });
      const error = await failing(plugin.create(JOB_GRANT, news));
      expect(error.message).toContain("another name of the same identity");
      expect(error.message).not.toContain(CANARY);
      expect(error.notReady?.properties.member).toEqual(secret(`user:primary-${CANARY}`));
      expect(error.notReady?.id).toMatch(/^hidden-/);
      expect(JSON.stringify(engine.lines)).not.toContain(CANARY);
      emulator.configure({ memberAliases: {} });
    });

    test("a secret element of a list stays secret when somebody adds another one before it", async () => {
      const role = "roles/healthcare.fhirResourceReader";
      const [ada, grace, eve] = ["ada", "grace", "eve"].map((name) => `user:${name}-canary@example.com`);
      const news = { name: FHIR_STORE, role, members: [secret(ada), grace] };
      const prior = await up(STORE_BINDING, news);
      const whole = secret([ada, grace]);
      expect([prior.inputs.members, prior.outputs.members]).toEqual([whole, whole]);

      emulator.mutate(FHIR_STORE, { policy: { bindings: [{ role, members: [eve, ada, grace] }] } });
      // The state of an earlier release has the mark at the position.
      const earlier = { ...prior, inputs: news, outputs: { ...prior.outputs, members: news.members } };
      for (const state of [prior, earlier]) {
        const refreshed = await refresh(STORE_BINDING, state);
        const now = secret([eve, ada, grace]);
        expect([refreshed?.live.inputs.members, refreshed?.live.outputs.members]).toEqual([now, now]);
        expect(refreshed?.drift.diffs).toEqual(["members"]);
      }

      // Under `ignoreChanges`, the engine sends the old inputs, and the provider uses the state.
      const outputs = { ...prior.outputs, members: [secret(eve), ada, grace] };
      const kept = await plugin.update(STORE_BINDING, prior.id, { inputs: news, outputs }, news, {
        ignored: ["members"],
      });
      expect(kept.members).toEqual(secret([eve, ada, grace]));
    });

    test("a value that the program no longer marks as secret is plain after the update", async () => {
      const prior = await up(ASSOCIATION, linkInputs({ labels: { env: secret("open") } }));
      const outputs = await plugin.update(
        ASSOCIATION,
        prior.id,
        prior,
        linkInputs({ labels: { env: "open", more: "x" } }),
      );
      expect(outputs.labels).toEqual({ env: "open", more: "x" });
    });
  });
});
