/** Runs in the copy of the tree that has the toy API: the provider against the emulator, over HTTP. Prints what it saw. */
import { startEmulator } from "../emulator";
import type { Values } from "../provider/core/unknown";
import { Provider } from "../provider/runtime/provider";

const SHELF = "perimeter:library/v1beta:Shelf";
const GRANT = "perimeter:library/v1beta:ShelfIamMember";
const BINDING = "perimeter:library/v1beta:ShelfIamBinding";
const LOOKUP = "perimeter:library/v1beta:getShelf";
const NAME = "projects/demo-project/locations/europe-west1/shelves/travel";
const OPTIONS = { timeout: 30_000 };

async function walk(): Promise<Values> {
  const emulator = await startEmulator();
  const run = () => new Provider({ project: "demo-project", grantMode: "merge" }, emulator.env);
  const provider = run();
  const inCloud = () => emulator.resource(NAME);
  const checked = async (token: string, inputs: Values) => {
    const { inputs: whole, problems } = await provider.check(token, inputs);
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    return whole;
  };
  try {
    const given = { location: "europe-west1", shelfId: "travel", theme: "travel" };
    const refused = await provider.check(SHELF, { ...given, theme: "" });
    const inputs = await checked(SHELF, given);
    const made = await provider.create(SHELF, inputs, OPTIONS);
    const created = inCloud();

    const wanted = { ...inputs, theme: "travel at sea" };
    const state = await provider.update(SHELF, { id: made.id, inputs, state: made.state }, wanted, OPTIONS);
    const updated = inCloud();
    const read = await provider.read(SHELF, made.id, { inputs: wanted, state }, OPTIONS);
    const found = await provider.invoke(LOOKUP, { location: "europe-west1", shelfId: "travel" }, OPTIONS);

    const grantInputs = await checked(GRANT, {
      name: NAME,
      role: "roles/library.reader",
      member: "user:ann@example.com",
    });
    const grant = await provider.create(GRANT, grantInputs, OPTIONS);
    const granted = inCloud();
    // In a run of its own: a run keeps the grants that it made.
    await run().delete(GRANT, { id: grant.id, inputs: grantInputs, state: grant.state }, OPTIONS);
    const revoked = inCloud();

    const members = ["user:ann@example.com", "user:bea@example.com"];
    const bindingInputs = await checked(BINDING, { name: NAME, role: "roles/library.admin", members });
    const binding = await provider.create(BINDING, bindingInputs, OPTIONS);
    const bound = inCloud();
    await run().delete(BINDING, { id: binding.id, inputs: bindingInputs, state: binding.state }, OPTIONS);
    const unbound = inCloud();

    await provider.delete(SHELF, { id: made.id, inputs: wanted, state }, OPTIONS);
    return {
      refused: refused.problems,
      id: made.id,
      created: created?.body,
      updated: updated?.body,
      read: read?.inputs,
      found,
      granted: granted?.policy,
      revoked: revoked?.policy,
      bound: bound?.policy,
      unbound: unbound?.policy,
      gone: inCloud() === undefined,
    };
  } finally {
    await emulator.stop();
  }
}

walk().then(
  (seen) => console.log(JSON.stringify(seen)),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
