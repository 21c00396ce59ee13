/** The calls of `pulumi do … --stateless`: a provider without a name, and one URN for all resources of a type. */
import { ANY_GRANT, ASSOCIATION, JOB_GRANT, STORE_BINDING, STORE_GRANT } from "../../support/tokens";
import { FHIR_STORE } from "../../support/programs";
import type { Props } from "../plugin-client";
import { describePlugin, emulator, engine, failing, grantInputs, LINK, linkInputs, plugin, restart, up } from "./scene";

const PROVIDER = "urn:pulumi:dev::default::pulumi:providers:perimeter::";
const TOPIC = "//pubsub.googleapis.com/projects/demo-project/topics/orders";
const PUBLISHERS = { resource: TOPIC, role: "roles/pubsub.publisher", member: "group:orders@example.com" };
const OWNED = { name: FHIR_STORE, role: "roles/healthcare.fhirStoreViewer", members: ["user:ada@example.com"] };

const CASES: [type: string, inputs: Props, spellings: string[]][] = [
  [ASSOCIATION, linkInputs(), [LINK, `https://networksecurity.googleapis.com/v1beta1/${LINK}`]],
  [JOB_GRANT, grantInputs(), [Object.values(grantInputs()).join("/"), Object.values(grantInputs()).join(" ")]],
  [STORE_BINDING, OWNED, [`${OWNED.name}/${OWNED.role}`, `${OWNED.name} ${OWNED.role}`]],
  [ANY_GRANT, PUBLISHERS, [Object.values(PUBLISHERS).join("/"), Object.values(PUBLISHERS).join(" ")]],
];

describePlugin(() => {
  test.each(CASES.flatMap(([type, inputs, ids]) => ids.map((id) => [type, id, inputs] as const)))(
    "a delete of %s %s removes it from the cloud: the read before it is of no program",
    async (type, id, inputs) => {
      await plugin.configure({ project: "demo-project", grantMode: "merge" }, PROVIDER);
      const checked = await plugin.check(type, inputs);
      await plugin.create(type, checked.inputs);
      // The next command has a plugin of its own.
      await restart();
      await plugin.configure({ project: "demo-project", grantMode: "merge" }, PROVIDER);
      const found = await plugin.read(type, id);
      expect(found.id).not.toBe("");
      await plugin.delete(type, found.id, found);
      expect((await plugin.read(type, id)).id).toBe("");
    },
  );

  test.each(CASES)(
    "a delete of %s with its id alone, as the CLI 3.250 sends it, removes it, too",
    async (type, inputs) => {
      await plugin.configure({ project: "demo-project", grantMode: "merge" }, PROVIDER);
      const { id } = await plugin.create(type, (await plugin.check(type, inputs)).inputs);
      await restart();
      await plugin.configure({ project: "demo-project", grantMode: "merge" }, PROVIDER);
      await plugin.delete(type, id, { outputs: {} });
      expect((await plugin.read(type, id)).id).toBe("");
      await plugin.delete(type, id, { outputs: {} });
    },
  );

  test("a patch changes the association, and a second one, too", async () => {
    await plugin.configure({ project: "demo-project" }, PROVIDER);
    await plugin.create(ASSOCIATION, (await plugin.check(ASSOCIATION, linkInputs())).inputs);
    for (const env of ["one", "two"]) {
      await restart();
      await plugin.configure({ project: "demo-project" }, PROVIDER);
      const found = await plugin.read(ASSOCIATION, LINK);
      const { inputs, failures } = await plugin.check(ASSOCIATION, { ...found.inputs, labels: { env } });
      expect(failures).toEqual([]);
      expect((await plugin.diff(ASSOCIATION, LINK, found, inputs)).diffs).toEqual(["labels"]);
      expect(await plugin.update(ASSOCIATION, LINK, found, inputs)).toMatchObject({ labels: { env } });
    }
  });

  describe("who loses access is named before the write", () => {
    const ROLE = "roles/healthcare.fhirResourceReader";
    const LOST = [
      "- user:ada@example.com roles/healthcare.fhirResourceReader",
      "- group:clinicians@example.com roles/healthcare.fhirResourceReader",
    ];
    const NURSES = { name: FHIR_STORE, role: ROLE, member: "group:nurses@example.com" };
    const warnings = () => engine.lines.filter(({ severity }) => severity === "WARNING").map(({ message }) => message);

    test.each([
      ["a create", {}],
      ["its dry run", { preview: true }],
    ])("once, by the check of %s, after which the command asks for a confirmation", async (_what, options) => {
      await plugin.configure({ project: "demo-project" }, PROVIDER);
      const { inputs, failures } = await plugin.check(STORE_GRANT, NURSES);
      expect(failures).toEqual([]);
      expect(warnings()).toEqual([expect.stringContaining("This replaces the access policy")]);
      for (const line of LOST) expect(warnings()[0]).toContain(line);
      await plugin.create(STORE_GRANT, inputs, options);
      expect(warnings()).toHaveLength(1);
    });

    test("who only gains access is named by the dry run: the command prints it before the JSON of its output", async () => {
      await plugin.configure({ project: "demo-project", grantMode: "merge" }, PROVIDER);
      const gained = expect.objectContaining({
        message: expect.stringContaining("1 principal will gain a role") as string,
      });
      const { inputs } = await plugin.check(STORE_GRANT, NURSES);
      expect(engine.lines).toEqual([]);
      await plugin.create(STORE_GRANT, inputs, { preview: true });
      expect(engine.lines).toContainEqual(gained);
    });

    test("a check that finds a wrong input reads nothing", async () => {
      await plugin.configure({ project: "demo-project" }, PROVIDER);
      expect((await plugin.check(STORE_GRANT, { ...NURSES, role: "reader" })).failures).toHaveLength(1);
      expect(emulator.requests()).toEqual([]);
    });

    test("by the update of a patch: the command shows how the inputs change", async () => {
      await plugin.configure({ project: "demo-project" }, PROVIDER);
      const found = await plugin.read(STORE_BINDING, `${FHIR_STORE}/${ROLE}`);
      const news = { ...found.inputs, members: ["user:new@example.com"] };
      const { inputs } = await plugin.check(STORE_BINDING, news, "it", found.inputs);
      expect(warnings()).toEqual([]);
      await plugin.update(STORE_BINDING, found.id, found, inputs);
      expect(warnings()).toEqual([expect.stringContaining("This sets the members of a role")]);
      for (const line of LOST) expect(warnings()[0]).toContain(line);
    });

    test("and by the preview alone where there is one", async () => {
      await up(STORE_GRANT, NURSES);
      expect(warnings()).toEqual([]);
    });
  });

  test("a repeated create says that the association exists if it is not what was asked for", async () => {
    const create = async () => {
      await restart();
      await plugin.configure({ project: "demo-project" }, PROVIDER);
      return up(ASSOCIATION, linkInputs());
    };
    const { id } = await create();
    // It may be repeated as it is: the first one may have been interrupted.
    expect((await create()).id).toBe(id);
    const network = "projects/demo-project/global/networks/theirs";
    emulator.mutate(id, { patch: { network } });
    expect(await failing(create())).toMatchObject({ code: "ALREADY_EXISTS" });
    expect(emulator.resource(id)?.body).toMatchObject({ network });
  });
});
