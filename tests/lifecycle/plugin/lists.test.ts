/** Lists of what is in the cloud: every id is one that a read takes. */
import { resources } from "../../../provider/services";
import { tokenOf } from "../../../provider/core/definition";
import { FHIR_STORE } from "../../support/programs";
import { ANY_GRANT, ASSOCIATION, JOB_GRANT, STORE_BINDING, STORE_GRANT } from "../../support/tokens";
import { UNKNOWN, type Props } from "../plugin-client";
import { emulator, engine, plugin, describeEachPlugin, failing, grantInputs, linkInputs, restart, up } from "./scene";

const TOPIC = "//pubsub.googleapis.com/projects/demo-project/topics/orders";
const ANY_BINDING = ANY_GRANT.replace("Member", "Binding");

/** Sets the policy of the store as somebody outside of Pulumi does. */
const setStorePolicy = (...bindings: Props[]) =>
  emulator.mutate(FHIR_STORE, { policy: { bindings: bindings as never } });

describeEachPlugin(() => {
  describe("associations", () => {
    /** Associations of two zones; the id `a` is in both. */
    const inZones = async () => {
      const zoned = (id: string, zone: string) =>
        linkInputs({
          firewallEndpointAssociationId: id,
          location: `us-central1-${zone}`,
          firewallEndpoint: `organizations/1234/locations/us-central1-${zone}/firewallEndpoints/edge`,
          network: `projects/demo-project/global/networks/${id}`,
        });
      for (const [id, zone] of [
        ["a", "a"],
        ["b", "a"],
        ["a", "b"],
      ] as const)
        await up(ASSOCIATION, zoned(id, zone));
    };
    const nameOf = (id: string, zone: string) =>
      `projects/demo-project/locations/us-central1-${zone}/firewallEndpointAssociations/${id}`;

    test("of a zone, of `-`, and of the default, which is all zones of the default project", async () => {
      await inZones();
      expect(await plugin.list(ASSOCIATION, { location: "us-central1-a" })).toMatchObject({
        ids: expect.arrayContaining([nameOf("a", "a"), nameOf("b", "a")]) as string[],
        names: expect.arrayContaining(["a", "b"]) as string[],
      });
      const all = await plugin.list(ASSOCIATION, {});
      expect(all.ids.sort()).toEqual([nameOf("a", "a"), nameOf("b", "a"), nameOf("a", "b")].sort());
      expect(all.names.sort()).toEqual(["a-us-central1-a", "a-us-central1-b", "b-us-central1-a"]);
      const project = { project: "demo-project" };
      expect((await plugin.list(ASSOCIATION, { location: "-", ...project })).ids.sort()).toEqual(all.ids);
    });

    test("an import takes each id of the list", async () => {
      await inZones();
      const { ids } = await plugin.list(ASSOCIATION, {});
      for (const id of ids) expect(await plugin.read(ASSOCIATION, id)).toMatchObject({ id, outputs: { name: id } });
    });

    test("comes in pages, by the tokens of the API", async () => {
      await inZones();
      const first = await plugin.list(ASSOCIATION, {}, { pageSize: 2 });
      expect(first.ids).toHaveLength(2);
      const second = await plugin.list(ASSOCIATION, {}, { pageSize: 2, continuation: first.continuation });
      expect([second.ids.length, second.continuation]).toEqual([1, ""]);
      expect(new Set([...first.ids, ...second.ids]).size).toBe(3);
      const lists = emulator.requests().filter(({ path, method }) => method === "GET" && path.endsWith("Associations"));
      expect(lists[1]?.query).toMatchObject({ pageSize: "2", pageToken: expect.stringMatching(/./) as string });
    });

    test.each([
      ["the limit of the whole list", 2],
      ["what remains of it, as pulumi do list --count", 1],
    ])("a page after the first one ends at the limit, whether the engine sends %s", async (_what, limit) => {
      await inZones();
      const first = await plugin.list(ASSOCIATION, {}, { limit: 2, pageSize: 1 });
      expect(first.ids).toHaveLength(1);
      const second = await plugin.list(ASSOCIATION, {}, { limit, continuation: first.continuation });
      expect([second.ids.length, second.continuation]).toEqual([1, ""]);
    });

    test.each([
      [{ location: "us-central1" }, /^Cannot list .*: location must be a zone, or `-` for all zones/],
      [{ location: "a/b" }, /: location must be one part of a resource name/],
      [{ locaton: "us-central1-a" }, /: locaton is not a property.*did you mean "location"/],
      [{ project: 7 }, /: project must be a string/],
      [{ project: "-" }, /: project must be the id or number of a project/],
    ])("%j is one error that names the property, and sends nothing", async (query, message) => {
      const error = await failing(plugin.list(ASSOCIATION, query));
      expect([error.code, error.message]).toEqual(["INVALID_ARGUMENT", expect.stringMatching(message)]);
      expect(emulator.requests()).toEqual([]);
    });

    test.each([
      [ASSOCIATION, {}, "x"],
      [ANY_GRANT, { resource: TOPIC }, ":x"],
    ])("a token that no page had is an error that names it: %s", async (type, query, continuation) => {
      const error = await failing(plugin.list(type, query, { continuation }));
      expect([error.code, error.message]).toEqual([
        "INVALID_ARGUMENT",
        expect.stringMatching(/continuationToken must be/),
      ]);
    });

    test("an unknown query has an unknown answer, and sends nothing", async () => {
      expect(await plugin.list(ASSOCIATION, { location: UNKNOWN })).toEqual({
        ...{ ids: [], names: [], continuation: "" },
        isComputed: true,
      });
      expect(emulator.requests()).toEqual([]);
    });

    test("associations that no program can declare are left out, and a warning says how many and why", async () => {
      await inZones();
      const body = {
        network: "projects/demo-project/global/networks/odd",
        firewallEndpoint: linkInputs().firewallEndpoint,
      };
      emulator.seed([{ service: "networksecurity", name: nameOf("Odd_Id", "a"), body }]);
      expect((await plugin.list(ASSOCIATION, { location: "us-central1-a" })).ids).toEqual([
        nameOf("a", "a"),
        nameOf("b", "a"),
      ]);
      expect(engine.lines).toEqual([
        expect.objectContaining({
          severity: "WARNING",
          message: expect.stringMatching(
            /^The list lacks 1 association in .* that no FirewallEndpointAssociation can declare: .*\/Odd_Id: firewallEndpointAssociationId must /,
          ) as string,
        }),
      ]);
    });

    test("without a project anywhere, the error says where one may be", async () => {
      await restart({ PERIMETER_EMULATOR_HOST: emulator.env.PERIMETER_EMULATOR_HOST ?? "" });
      await plugin.configure({});
      const error = await failing(plugin.list(ASSOCIATION, {}));
      expect(error.message).toMatch(/: project is required: .*GOOGLE_PROJECT/);
    });
  });

  describe("grants", () => {
    const viewer = "roles/healthcare.fhirStoreViewer";
    const reader = "roles/healthcare.fhirResourceReader";
    const condition = { title: "until-2031", expression: 'request.time < timestamp("2031-01-01T00:00:00Z")' };
    const bindings = [
      { role: viewer, members: ["user:ada@example.com", "group:ops@example.com"] },
      { role: viewer, members: ["user:ada@example.com"], condition },
      { role: reader, members: ["user:bob@example.com"] },
    ];

    test.each([
      [STORE_GRANT, 4, 3],
      [STORE_BINDING, 3, 2],
    ])("%s: all of a resource, or those of a role, with ids that an import takes", async (type, all, ofRole) => {
      setStorePolicy(...bindings);
      const { ids, names } = await plugin.list(type, { name: FHIR_STORE });
      expect([ids.length, new Set(names).size]).toEqual([all, all]);
      for (const id of ids) expect((await plugin.read(type, id)).id).toBe(id);
      expect((await plugin.list(type, { name: FHIR_STORE, role: viewer })).ids).toHaveLength(ofRole);
    });

    test.each([ANY_GRANT, ANY_BINDING])(
      "%s: by the full name of a resource, in each of its spellings",
      async (type) => {
        const { ids } = await plugin.list(type, { resource: TOPIC });
        expect(ids).not.toEqual([]);
        for (const id of ids) expect((await plugin.read(type, id)).id).toBe(id);
        const url = TOPIC.replace("//pubsub.googleapis.com/", "https://pubsub.googleapis.com/v1/");
        expect((await plugin.list(type, { resource: url })).ids).toEqual(ids);
      },
    );

    test("come in pages, too", async () => {
      setStorePolicy(...bindings);
      const query = { name: FHIR_STORE };
      const all = await plugin.list(STORE_GRANT, query);
      const first = await plugin.list(STORE_GRANT, query, { pageSize: 3 });
      const second = await plugin.list(STORE_GRANT, query, { pageSize: 3, continuation: first.continuation });
      expect([...first.ids, ...second.ids]).toEqual(all.ids);
      expect(second.continuation).toBe("");
      expect(await plugin.list(STORE_GRANT, query, { limit: 1 })).toMatchObject({
        ids: [all.ids[0]],
        continuation: "",
      });
    });

    test("grants that the type cannot declare are left out, and a warning says how many and why", async () => {
      setStorePolicy(...bindings.slice(2), { role: viewer, members: ["allUsers", "deleted:user:x@example.com?uid=1"] });
      const { ids } = await plugin.list(STORE_GRANT, { name: FHIR_STORE });
      expect(ids).toEqual([`${FHIR_STORE}/${reader}/user:bob@example.com`]);
      expect(engine.lines).toEqual([
        expect.objectContaining({
          severity: "WARNING",
          message: expect.stringMatching(
            /^The list lacks 2 grants on .* that no DatasetFhirStoreIamMember can declare: roles\/.* of allUsers: member must be/,
          ) as string,
        }),
      ]);
    });

    test("in grant mode replace, a warning says what to do before several are imported", async () => {
      setStorePolicy(...bindings);
      await plugin.list(STORE_GRANT, { name: FHIR_STORE });
      expect(engine.lines.map(({ message }) => message)).toEqual([
        expect.stringMatching(
          /^In grant mode replace, one grant is the whole policy of .*grantMode merge before you import/,
        ),
      ]);
      engine.lines.length = 0;
      await plugin.list(STORE_BINDING, { name: FHIR_STORE });
      await plugin.configure({ grantMode: "merge" });
      await plugin.list(STORE_GRANT, { name: FHIR_STORE });
      expect(engine.lines).toEqual([]);
    });

    test("of a resource that does not exist are an error of the API", async () => {
      const error = await failing(plugin.list(JOB_GRANT, { name: `${String(grantInputs().name)}-missing` }));
      expect(error).toMatchObject({ code: "NOT_FOUND", message: expect.stringMatching(/-missing/) as string });
    });
  });

  test.each(resources.map(({ definition }) => [tokenOf(definition), definition.listInputs?.shape.name ? "name" : ""]))(
    "%s can be listed: without its required properties, the error names each",
    async (type) => {
      if (type === ASSOCIATION) return expect(await plugin.list(type, {})).toMatchObject({ ids: [] });
      const error = await failing(plugin.list(type, {}));
      expect(error.message).toMatch(/^Cannot list perimeter:\S+: (?:name|resource) is required/);
    },
  );
});
