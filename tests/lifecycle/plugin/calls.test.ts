/** Waits, cancellation and lookups. */
import { setTimeout } from "node:timers/promises";
import { ASSOCIATION } from "../../support/tokens";
import { secret, urn, type Props } from "../plugin-client";
import { LINK, linkInputs, emulator, engine, plugin, describeEachPlugin, failing } from "./scene";

describeEachPlugin(() => {
  describe("time limits", () => {
    /** Longer than any test: the plugin ended a call that ends earlier. */
    const LONG_MS = 30 * 60_000;
    /** Waits until the plugin has polled an operation this many times. */
    const polled = async (times = 1) => {
      const polls = () => emulator.requests().filter(({ path }) => path.includes("/operations/"));
      while (polls().length < times) await setTimeout(10);
    };

    test("a custom timeout ends the wait, and the next run waits for the same operation", async () => {
      emulator.configure({ operationMs: LONG_MS });
      const inputs = linkInputs({ labels: { env: secret("canary") } });
      // On a busy machine the create may not start within the shortest timeout: then the test uses a longer timeout.
      let error = await failing(plugin.create(ASSOCIATION, inputs, { timeout: 2 }));
      for (let timeout = 4; !error.notReady && timeout < 60; timeout *= 2) {
        error = await failing(plugin.create(ASSOCIATION, inputs, { timeout }));
      }
      expect(error.notReady).toMatchObject({ id: LINK, properties: inputs });
      expect(error.notReady?.reasons.join()).toMatch(/Operation .* continues in the cloud/);
      const prior = { outputs: error.notReady?.properties ?? {}, inputs };

      // A refresh must not show it as finished.
      emulator.clearRequests();
      const refreshing = failing(plugin.read(ASSOCIATION, LINK, prior));
      // A run that is cancelled during its first read fails without a result; it waits only after this read.
      await polled(2);
      await plugin.cancel();
      expect((await refreshing).notReady).toMatchObject({ id: LINK, inputs, properties: prior.outputs });

      emulator.clearRequests();
      emulator.advance(LONG_MS);
      await plugin.configure({ project: "demo-project" });
      const outputs = await plugin.update(ASSOCIATION, LINK, prior, inputs);
      expect(outputs.state).toBe("ACTIVE");
      expect(emulator.requests().map((each) => each.method)).not.toContain("POST");
      expect(Object.keys(outputs).filter((name) => name.startsWith("__"))).toEqual([]);
    });

    test("the kept state of an interrupted create shows no secret project or location", async () => {
      emulator.configure({ operationMs: LONG_MS });
      const inputs = linkInputs({
        project: secret("hidden-project"),
        location: secret("us-east7-b"),
        network: "projects/host/global/networks/prod",
        firewallEndpoint: "organizations/1234/locations/us-east7-b/firewallEndpoints/edge",
      });
      const creating = failing(plugin.create(ASSOCIATION, inputs));
      await polled();
      await plugin.cancel();
      const { notReady } = await creating;
      const { firewallEndpoint: _, ...properties } = notReady?.properties ?? {};
      expect(properties.__pending).toEqual(secret({ verb: "create", operation: expect.stringMatching(/^operation-/) }));
      const [mark = ""] = Object.keys(secret(""));
      const plain = JSON.stringify({ ...notReady, properties }, (_key, value: Props | null) =>
        typeof value === "object" && value !== null && mark in value ? "[secret]" : value,
      );
      expect(plain).not.toMatch(/hidden-project|us-east7-b/);

      emulator.advance(LONG_MS);
      await plugin.configure({ project: "demo-project" });
      const prior = { outputs: notReady?.properties ?? {}, inputs };
      const outputs = await plugin.update(ASSOCIATION, notReady?.id ?? "", prior, inputs);
      expect(outputs).toMatchObject({ state: "ACTIVE" });
      expect(outputs).not.toHaveProperty("__pending");
    });

    test("every cancel ends the calls in flight, and no call starts until the next run", async () => {
      emulator.configure({ operationMs: LONG_MS });
      const creating = failing(plugin.create(ASSOCIATION, linkInputs()));
      await polled();
      await Promise.all([plugin.cancel(), plugin.cancel()]);
      expect((await creating).notReady?.id).toBe(LINK);
      emulator.configure({ operationMs: 0 });
      emulator.clearRequests();
      // An engine that is interrupted while resources are being declared still sends resources that it has started.
      const later = linkInputs({ firewallEndpointAssociationId: "later", location: "us-central1-b" });
      const scope = ["perimeter:fleet/v1beta:getScope", { location: "global", scopeId: "team-a" }] as const;
      expect(await failing(plugin.create(ASSOCIATION, later))).toMatchObject({ code: "CANCELLED" });
      expect(await failing(plugin.invoke(...scope))).toMatchObject({ code: "CANCELLED" });
      expect(emulator.requests()).toEqual([]);
      await plugin.configure({ project: "demo-project" });
      await plugin.create(ASSOCIATION, later);
    });

    test("reports a wait of more than a second on the resource's status line", async () => {
      emulator.configure({ operationMs: 1_100 });
      await plugin.create(ASSOCIATION, linkInputs());
      const line = { severity: "INFO", urn: urn(ASSOCIATION), ephemeral: true };
      expect(engine.lines[0]).toEqual({
        ...line,
        message: expect.stringMatching(/^creating: 1 s of at most/) as string,
      });
      expect(engine.lines.at(-1)).toEqual({ ...line, message: expect.stringMatching(/^done after \d+ s$/) as string });
    });

    test("does not report waits shorter than a second", async () => {
      await plugin.create(ASSOCIATION, linkInputs());
      expect(engine.lines).toEqual([]);
    });
  });

  describe("lookups", () => {
    test("return every property", async () => {
      const { result } = await plugin.invoke("perimeter:fleet/v1beta:getScope", {
        location: "global",
        scopeId: secret("team-a"),
      });
      expect(result).toMatchObject({
        name: "projects/demo-project/locations/global/scopes/team-a",
        state: { code: "READY" },
        deleteTime: "",
      });
    });

    test("report every wrong argument with its name", async () => {
      const { failures } = await plugin.invoke("perimeter:eventing/v1:getTriggerIamPolicy", {
        location: "us central",
        optionsRequestedPolicyVersion: 2,
        trigger: "orders",
      });
      expect(failures.map((each) => each.property).sort()).toEqual([
        "location",
        "optionsRequestedPolicyVersion",
        "trigger",
        "triggerId",
      ]);
      expect(emulator.requests()).toEqual([]);
    });

    test("fail with the cloud's message and the requested name", async () => {
      const error = await failing(
        plugin.invoke("perimeter:fleet/v1beta:getScope", { location: "global", scopeId: "nobody" }),
      );
      expect(error.code).toBe("NOT_FOUND");
      expect(error.message).toMatch(
        /^Could not look up the fleet scope projects\/demo-project\/locations\/global\/scopes\/nobody: NOT_FOUND:/,
      );
    });

    test("with an unknown name are refused with a suggestion", async () => {
      const error = await failing(plugin.invoke("perimeter:fleet/v1beta:getScopes", {}));
      expect(error.message).toContain('did you mean "perimeter:fleet/v1beta:getScope"?');
    });
  });
});
