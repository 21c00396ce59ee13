import { demoSeed, type Seed } from "../../emulator";
import { backend } from "../../provider/dynamic/backend";
import { changesAmong } from "../support/changes";
import { emulator, engine, useCloudAndEngine } from "../support/cloud-and-engine";
import { nativeAssociation, nativeGrant, refreshedNativeGrant, type NativeState } from "../support/google-native";
import { ASSOCIATION, JOB_GRANT, STORE_BINDING, STORE_GRANT } from "../support/tokens";
import { PluginClient, secret, urn, type Props } from "./plugin-client";

/** The plugin takes over what google-native left in a state: its ids, its `__inputs`, and grants that it forgot. */

const LINK = "projects/demo-project/locations/us-central1-a/firewallEndpointAssociations/link";
const JOB = "projects/demo-project/locations/us-central1/migrationJobs/orders-to-sql";
const STORE = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";

const LINK_INPUTS: Props = {
  firewallEndpoint: "organizations/1234/locations/us-central1-a/firewallEndpoints/edge",
  network: "projects/demo-project/global/networks/main",
  firewallEndpointAssociationId: "link",
  location: "us-central1-a",
  project: "demo-project",
};
const { firewallEndpoint, network } = LINK_INPUTS;
const MADE_BEFORE: Seed = {
  service: "networksecurity",
  name: LINK,
  body: { firewallEndpoint, network, state: "ACTIVE" },
};
const OTHERS = [
  { role: "roles/viewer", members: ["user:grace@example.com"] },
  { role: "roles/owner", members: ["user:owner@example.com"] },
];

useCloudAndEngine({ seed: [...demoSeed, MADE_BEFORE] });

let plugin: PluginClient;
beforeEach(async () => {
  plugin = await PluginClient.inProcess(engine.address, emulator.env);
  await plugin.configure({ project: "demo-project" });
});

afterEach(() => plugin.close());

/** Requests that change something, as `METHOD path`. */
function changes(): string[] {
  return changesAmong(emulator.requests()).map(({ method, path }) => `${method} ${decodeURIComponent(path)}`);
}

async function failure(promise: Promise<unknown>): Promise<string> {
  const failed = await promise.then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  if (!failed) throw new Error("should have failed");
  return failed.message;
}

describe("an association with the API's version in its id", () => {
  let native: NativeState;

  beforeEach(() => {
    native = nativeAssociation(LINK, LINK_INPUTS);
  });

  test("needs no change, and a refresh writes our id", async () => {
    expect((await plugin.diff(ASSOCIATION, native.id, native, LINK_INPUTS)).changes).toBe("DIFF_NONE");
    const { id, inputs } = await plugin.read(ASSOCIATION, native.id, native);
    expect(id).toBe(LINK);
    expect(inputs).toEqual(LINK_INPUTS);
    expect(changes()).toEqual([]);
  });

  test("is updated under its name", async () => {
    const news = { ...LINK_INPUTS, labels: { team: "two" } };
    expect((await plugin.diff(ASSOCIATION, native.id, native, news)).detailed).toEqual({ labels: "ADD" });
    expect(await plugin.update(ASSOCIATION, native.id, native, news, { preview: true })).toMatchObject({ name: LINK });
    expect(await plugin.update(ASSOCIATION, native.id, native, news)).toMatchObject({ name: LINK });
    expect(changes()).toEqual([`PATCH /v1beta1/${LINK}`]);
  });

  test("is deleted", async () => {
    await plugin.delete(ASSOCIATION, native.id, native);
    expect(changes()).toEqual([`DELETE /v1beta1/${LINK}`]);
    expect(emulator.resource(LINK)).toBeUndefined();
  });

  test.each([
    "v1/",
    "v1alpha/",
    "//networksecurity.googleapis.com/",
    "https://networksecurity.googleapis.com/v1beta1/",
  ])("is recognized with %s before its name", async (prefix) => {
    await plugin.delete(ASSOCIATION, `${prefix}${LINK}`, native);
    expect(emulator.resource(LINK)).toBeUndefined();
  });

  test("whose id is not an association's name is neither read nor deleted", async () => {
    const garbled = "v1beta1/projects/demo-project/firewallEndpointAssociations/link";
    const message = await failure(plugin.delete(ASSOCIATION, garbled, native));
    expect(message).toBe(
      `It is unknown which association is meant by ${JSON.stringify(garbled)}: id must look like ` +
        "projects/{project}/locations/{location}/firewallEndpointAssociations/{firewallEndpointAssociationId}",
    );
    expect(emulator.requests()).toEqual([]);
  });

  test("keeps only the secrets that are marked outside of __inputs", async () => {
    const network = secret(LINK_INPUTS.network);
    const marked = { ...native, inputs: { ...native.inputs, network }, outputs: { ...native.outputs, network } };
    const { outputs, inputs } = await plugin.read(ASSOCIATION, native.id, marked);
    expect(inputs).toEqual({ ...LINK_INPUTS, network });
    expect(outputs).toMatchObject({ ...LINK_INPUTS, network, name: LINK });
  });

  test("has the same id in the npm front", async () => {
    const front = backend("networksecurity/v1beta1:FirewallEndpointAssociation");
    const config: Record<string, string> = {
      "perimeter:emulatorHost": `${emulator.host}:${emulator.port}`,
      "perimeter:project": "demo-project",
    };
    const configure = async () =>
      front.configure?.({ config: { get: (key: string) => config[key], require: (key: string) => config[key]! } });
    await configure();
    expect(await front.read?.(native.id, {})).toMatchObject({ id: LINK });
    expect(await front.read?.(native.id, { ...LINK_INPUTS, name: LINK })).toMatchObject({ id: LINK });
    expect(await front.diff?.(native.id, LINK_INPUTS, LINK_INPUTS)).toMatchObject({ changes: false });
    await front.update?.(native.id, LINK_INPUTS, { ...LINK_INPUTS, labels: { team: "two" } });
    // The next run, with another configuration: no run deletes what it has just updated.
    config["perimeter:requestReason"] = "cleaning up";
    await configure();
    await front.delete?.(native.id, { ...LINK_INPUTS, name: LINK });
    expect(changes()).toEqual([`PATCH /v1beta1/${LINK}`, `DELETE /v1beta1/${LINK}`]);

    const grants = backend("datamigration/v1beta1:MigrationJobIamMember");
    await expect(grants.read?.(`v1beta1/${JOB}:getIamPolicy`, {})).rejects.toThrow("id must look like");
  });

  test("has only the secrets that were marked themselves", async () => {
    await plugin.diff(ASSOCIATION, native.id, native, LINK_INPUTS);
    emulator.remove(LINK);
    const news = { ...LINK_INPUTS, labels: { team: "two" } };
    const message = await failure(plugin.update(ASSOCIATION, native.id, native, news));
    expect(message).toContain(LINK);
    expect(message).not.toContain("[secret]");
  });
});

const GRANTS: [type: string, resource: string, ids: Props, grant: Props][] = [
  [
    JOB_GRANT,
    JOB,
    { migrationJobId: "orders-to-sql" },
    { name: JOB, role: "roles/datamigration.admin", member: "user:ada@example.com" },
  ],
  [
    STORE_GRANT,
    STORE,
    { datasetId: "clinic", fhirStoreId: "records" },
    {
      name: STORE,
      role: "roles/healthcare.fhirResourceReader",
      member: "group:nurses@example.com",
      condition: { title: "day", expression: "request.time.getHours() < 19" },
    },
  ],
  [
    STORE_BINDING,
    STORE,
    { datasetId: "clinic", fhirStoreId: "records" },
    {
      name: STORE,
      role: "roles/healthcare.fhirResourceReader",
      members: ["group:nurses@example.com", "user:Ada@example.com"],
    },
  ],
];

describe.each(GRANTS)("what google-native granted, %s", (type, resource, ids, grant) => {
  const ours = {
    role: grant.role,
    members: grant.members ?? [grant.member],
    ...(grant.condition ? { condition: grant.condition } : {}),
  };

  beforeEach(() => {
    emulator.mutate(resource, { policy: { bindings: [...OTHERS, ours] } });
    emulator.clearRequests();
  });

  const bindings = () => (emulator.resource(resource)?.policy as { bindings: object[] }).bindings;

  test("needs no change, gets our id by a refresh, and its delete removes only this grant", async () => {
    const native = nativeGrant(resource, grant, ids);
    expect((await plugin.diff(type, native.id, native, grant)).changes).toBe("DIFF_NONE");
    const { id, inputs, outputs } = await plugin.read(type, native.id, native);
    expect(id).toMatch(new RegExp(`^${resource}/${String(grant.role)}(?:/${String(grant.member)}|$)`));
    expect(inputs).toEqual(grant);
    expect(outputs).toMatchObject({ ...grant, project: "demo-project" });
    await plugin.delete(type, native.id, native);
    expect(bindings()).toEqual(OTHERS);
  });

  test("belongs to the resource in its id, even if its input name differs", async () => {
    const native = nativeGrant(resource, { ...grant, name: "records" }, ids);
    expect((await plugin.diff(type, native.id, native, grant)).changes).toBe("DIFF_NONE");
    await plugin.delete(type, native.id, native);
    expect(bindings()).toEqual(OTHERS);
  });

  describe("after its refresh, which drops name, role and member", () => {
    let native: NativeState;
    beforeEach(() => {
      native = refreshedNativeGrant(resource, ids, { bindings: [...OTHERS, ours], etag: "BwY=", version: 3 });
    });

    test("needs no change, also in a refresh, and the program completes its state", async () => {
      expect((await plugin.diff(type, native.id, native, grant)).changes).toBe("DIFF_NONE");
      const { inputs, outputs } = await plugin.read(type, native.id, native);
      expect((await plugin.diff(type, native.id, { inputs, outputs }, native.inputs)).changes).toBe("DIFF_NONE");
      // As the engine writes a resource without a change: the new inputs, and the old outputs.
      const completed = { id: native.id, inputs: grant, outputs: native.outputs };
      expect((await plugin.diff(type, native.id, completed, grant)).changes).toBe("DIFF_NONE");
      expect((await plugin.read(type, native.id, completed)).outputs).toMatchObject({
        ...grant,
        project: "demo-project",
      });
      await plugin.delete(type, native.id, completed);
      expect(bindings()).toEqual(OTHERS);
    });

    test("is not written by an update that finds it in the policy, and nobody loses access", async () => {
      const outputs = await plugin.update(type, native.id, native, grant);
      expect(outputs).toMatchObject({ ...grant, project: "demo-project" });
      expect(bindings()).toEqual([...OTHERS, ours]);
      expect(changes()).toEqual([]);
    });

    test("creates a grant that is gone again, and keeps the others", async () => {
      emulator.mutate(resource, { policy: { bindings: OTHERS } });
      await plugin.update(type, native.id, native, grant);
      expect(bindings()).toEqual([...OTHERS, ours]);
    });

    test("is not replaced by a grant on another resource", async () => {
      const other = { ...grant, name: resource.replace("demo-project", "elsewhere") };
      const message = await failure(plugin.diff(type, native.id, native, other));
      expect(message).toContain(`The state does not say which member and role were granted on ${resource}`);
      expect(message).toContain("run `pulumi up` with the grant as it was");
    });

    test("is not deleted, and the message says how to delete it", async () => {
      const message = await failure(plugin.delete(type, native.id, native));
      expect(message).toContain(`The state does not say which member and role were granted on ${resource}`);
      expect(message).toContain(`pulumi state delete '${urn(type)}'`);
      expect(emulator.requests()).toEqual([]);
    });

    test("stays in the state at a refresh, twice, with advice", async () => {
      const first = await plugin.read(type, native.id, native);
      expect(first.id).toBe(native.id);
      const second = await plugin.read(type, first.id, first);
      expect(second).toEqual(first);
      const said = engine.lines.map(({ severity, message }) => `${severity} ${message}`);
      expect(said).toEqual([
        expect.stringContaining("WARNING The state does not say which member and role"),
        expect.stringContaining("run `pulumi up` with the grant in the program"),
      ]);
      await plugin.update(type, first.id, first, grant);
      expect(bindings()).toEqual([...OTHERS, ours]);
    });

    test("is gone if its resource is gone", async () => {
      emulator.remove(resource);
      expect((await plugin.read(type, native.id, native)).id).toBe("");
    });
  });

  test("cannot be imported by google-native's id, because the id does not name a grant", async () => {
    const message = await failure(plugin.read(type, `v1beta1/${resource}:getIamPolicy`));
    expect(message).toContain("id must look like");
  });
});
