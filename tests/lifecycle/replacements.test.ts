/** The replacement of a resource by each front, as the engine carries it out. */
import { demoSeed } from "../../emulator";
import { emulator, engine, useCloudAndEngine } from "../support/cloud-and-engine";
import { association, ASSOCIATIONS, fhirGrant, FHIR_STORE, PROJECT } from "../support/programs";
import { DEFAULT, SimulatedStack, type Declaration, type Front } from "../support/simulated-stack";
import { FRONTS, startRun } from "../support/stack-fronts";
import { ASSOCIATION, STORE_GRANT } from "../support/tokens";

useCloudAndEngine({ seed: demoSeed });

const declared = (args: Record<string, unknown> = {}, aliases: string[] = []): Declaration => {
  return { type: ASSOCIATION, inputs: association(args).args, aliases };
};

describe.each(FRONTS)("%s", (name) => {
  async function run<T>(work: (fronts: Record<string, Front>) => Promise<T>): Promise<T> {
    const cloud = { environment: emulator.env, engine: engine.address };
    const { fronts, end } = await startRun(name, { project: PROJECT }, [], cloud);
    return work(fronts).finally(end);
  }
  const up = (stack: SimulatedStack, program: Record<string, Declaration>) =>
    run(async (fronts) => {
      const { calls, errors } = await stack.run(program, { fronts });
      expect(errors).toEqual([]);
      return calls;
    });
  const names = () => emulator.resources().flatMap(({ name: full }) => (full.startsWith(ASSOCIATIONS) ? [full] : []));

  test.each([
    ["another name", { firewallEndpointAssociationId: "test" }, "test"],
    ["the same name", { network: `projects/${PROJECT}/global/networks/test` }, "prod"],
  ])("an association that is renamed by an alias and replaced by one with %s leaves the cloud", async (_, args, id) => {
    const stack = new SimulatedStack();
    await up(stack, { before: declared() });
    await up(stack, { after: declared(args, ["before"]) });
    expect(names()).toEqual([`${ASSOCIATIONS}/${id}`]);
    expect(emulator.resource(`${ASSOCIATIONS}/${id}`)?.body).toMatchObject({ network: declared(args).inputs.network });
    await up(stack, {});
    expect(names()).toEqual([]);
  });

  test("a replacement on request of an association that does not change deletes it first, because its name stays", async () => {
    const stack = new SimulatedStack();
    await up(stack, { prod: declared() });
    const held = stack.resources[0]!;
    const of = { type: ASSOCIATION, name: "prod" };
    await run(async ({ [DEFAULT]: front }) => {
      const wanted = front!.register(of, declared().inputs);
      const { inputs } = await front!.check(of, held.inputs, wanted);
      expect(await front!.diff(of, held, inputs)).toMatchObject({ isReplacement: false, deleteBeforeReplace: true });
      // The replacement is checked without the inputs of the state.
      await front!.check(of, {}, wanted);
      await front!.delete(of, held);
      expect(names()).toEqual([]);
    });
  });

  test("a grant that an alias renames and whose replacement is requested stays in the policy", async () => {
    const stack = new SimulatedStack();
    const { type, inputs: declares } = { type: STORE_GRANT, inputs: fhirGrant().args };
    await up(stack, { before: { type, inputs: declares } });
    const held = stack.resources[0]!;
    const policy = () => emulator.resource(FHIR_STORE)?.policy?.bindings;
    const granted = policy();
    await run(async ({ [DEFAULT]: front }) => {
      const after = { type, name: "after" };
      const wanted = front!.register(after, declares);
      const { inputs } = await front!.check(after, held.inputs, wanted);
      expect(await front!.diff(after, held, inputs)).toMatchObject({ isReplacement: false });
      await front!.check(after, {}, wanted);
      // The delete that comes first has the name of the state.
      await front!.delete({ type, name: "before" }, held);
      await front!.create(after, inputs, false);
    });
    expect(policy()).toEqual(granted);
  });
});
