/** No answer, message or log line shows a secret that the plugin gets, as a setting or as an input. */
import { demoSeed } from "../../emulator";
import { emulator, engine, useCloudAndEngine } from "../support/cloud-and-engine";
import { ASSOCIATION, GET_SCOPE, JOB_GRANT } from "../support/tokens";
import { CallError, PluginClient, secret, type Prior, type Props } from "./plugin-client";

const PROJECT = "canary-project";

const LINK: Props = {
  firewallEndpoint: "organizations/1234/locations/us-central1-a/firewallEndpoints/edge",
  network: "projects/demo-project/global/networks/main",
  firewallEndpointAssociationId: "link",
  location: "us-central1-a",
};
const NAME = `projects/${PROJECT}/locations/us-central1-a/firewallEndpointAssociations/link`;
const GRANT = {
  name: "projects/demo-project/locations/us-central1/migrationJobs/orders-to-sql",
  role: "roles/viewer",
  member: secret("domain:canary.example"),
};
const SCOPE = `projects/${PROJECT}/locations/global/scopes/team-a`;

useCloudAndEngine({ seed: [...demoSeed, { service: "gkehub", name: SCOPE }] });

let plugin: PluginClient;
async function start(environment: Record<string, string> = {}): Promise<void> {
  plugin = await PluginClient.inProcess(engine.address, { ...emulator.env, ...environment });
  await plugin.configure({ project: secret(PROJECT) });
}
afterEach(() => plugin.close());

const failing = async (call: Promise<unknown>): Promise<CallError> => {
  const outcome = await call.catch((error: unknown) => error);
  if (outcome instanceof CallError) return outcome;
  throw new Error("the call succeeded");
};

describe("a secret default project", () => {
  beforeEach(() => start());

  test("is secret in the inputs that it fills in, and nowhere else", async () => {
    expect((await plugin.check(ASSOCIATION, LINK)).inputs.project).toEqual(secret(PROJECT));
    const own = await plugin.check(ASSOCIATION, { ...LINK, project: "demo-project" });
    expect(own.inputs.project).toBe("demo-project");
    const wrong = await plugin.check(ASSOCIATION, { ...LINK, location: 1, project: "UPPER CASE" });
    expect(wrong.failures.map((each) => each.property).sort()).toEqual(["location", "project"]);
  });

  test("is secret in the outputs that show it, and in no id, through the whole life of a resource", async () => {
    const { inputs } = await plugin.check(ASSOCIATION, LINK);
    const shown = { project: secret(PROJECT), name: secret(NAME), location: LINK.location };
    const preview = await plugin.create(ASSOCIATION, inputs, { preview: true });
    expect(preview.outputs).toMatchObject(shown);
    const { id, outputs } = await plugin.create(ASSOCIATION, inputs);
    expect(id).toMatch(/^hidden-/);
    expect(outputs).toMatchObject(shown);
    const prior: Prior = { inputs, outputs };
    const read = await plugin.read(ASSOCIATION, id, prior);
    expect([read?.id, read?.inputs]).toEqual([id, inputs]);
    expect(read?.outputs).toMatchObject(shown);
    const changed = { ...inputs, labels: { env: "test" } };
    expect(await plugin.update(ASSOCIATION, id, prior, changed)).toMatchObject(shown);
    // Another run: this one has declared the association.
    await plugin.close();
    await start();
    await plugin.delete(ASSOCIATION, id, prior);
    expect(emulator.resource(NAME)).toBeUndefined();
  });

  test("is not in messages of a lookup; the lookup's result is not secret, because language hosts support no secrets there", async () => {
    const error = await failing(plugin.invoke(GET_SCOPE, { location: "global", scopeId: "nobody" }));
    expect(error.message).toContain("projects/[secret]/");
    expect(JSON.stringify([error.message, engine.lines])).not.toContain(PROJECT);
    const { result } = await plugin.invoke(GET_SCOPE, { location: "global", scopeId: "team-a" });
    expect(result).toMatchObject({ name: SCOPE, state: { code: "READY" }, labels: {} });
  });
});

test.each(["debug", "trace"])(
  "no line of PERIMETER_LOG=%s shows a secret of the program or of a setting",
  async (level) => {
    const lines: string[] = [];
    const spy = jest.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
    try {
      await start({ PERIMETER_LOG: level });
      const link = {
        ...LINK,
        network: secret("projects/net/global/networks/canary-net"),
        labels: { a: secret("canary-label") },
      };
      await plugin.create(ASSOCIATION, (await plugin.check(ASSOCIATION, link)).inputs);
      await plugin.create(JOB_GRANT, (await plugin.check(JOB_GRANT, GRANT)).inputs);
    } finally {
      spy.mockRestore();
    }
    const text = lines.join("");
    expect(text).toContain("perimeter: POST ");
    expect(text).toContain("/projects/[secret]/locations/");
    expect(text.includes("perimeter: > {")).toBe(level === "trace");
    expect(text).not.toContain("canary");
  },
);
