import { startEmulator, type Emulator } from "../emulator";
import type { Values } from "../provider/core/unknown";
import { Provider } from "../provider/runtime/provider";
import { ASSOCIATION, GET_SCOPE, STORE_GRANT } from "../tests/support/tokens";
import { counts } from "./framework/measure";
import type { Bench, Row } from "./framework/result";

/** How many requests does each lifecycle take? waits.ts measures the cost of waiting for operations. */
const ZONE = "us-central1-a";
const LINK = {
  project: "p",
  location: ZONE,
  firewallEndpoint: `organizations/1/locations/${ZONE}/firewallEndpoints/e`,
  network: "projects/p/global/networks/n",
  firewallEndpointAssociationId: "a",
};
const STORE = "projects/p/locations/us/datasets/d/fhirStores/f";
const HOLD = { name: STORE, role: "roles/viewer", member: "user:ada@example.com" };
const CALL = { timeout: 600_000 };

export const transport: Bench = {
  name: "transport",
  async run() {
    const emulator = await startEmulator({
      seed: [
        { service: "healthcare", name: STORE },
        { service: "gkehub", name: "projects/p/locations/global/scopes/s" },
      ],
    });
    try {
      return {
        title: "Requests of each lifecycle, against the least that does it",
        tables: [
          {
            of: "lifecycle",
            columns: [
              { key: "requests", title: "requests" },
              { key: "least", title: "least" },
            ],
            rows: await lifecycles(emulator),
          },
        ],
        plots: [],
        notes: [],
      };
    } finally {
      await emulator.stop();
    }
  },
};

const provider = (emulator: Emulator) =>
  new Provider({ emulatorHost: `${emulator.host}:${emulator.port}`, project: "p", grantMode: "merge" }, {});

async function lifecycles(emulator: Emulator): Promise<Row[]> {
  const link = async (own: Provider) => ({ ...(await own.create(ASSOCIATION, LINK, CALL)), inputs: LINK as Values });
  const hold = async (own: Provider) => ({ ...(await own.create(STORE_GRANT, HOLD, CALL)), inputs: HOLD as Values });
  // `least`: the change itself, one read of the result, and one poll for each operation.
  const cases: { name: string; least: number; run(own: Provider): Promise<() => Promise<unknown>> }[] = [
    {
      name: "lookup",
      least: 1,
      run: (own) => Promise.resolve(() => own.invoke(GET_SCOPE, { location: "global", scopeId: "s" }, CALL)),
    },
    { name: "association: create", least: 3, run: (own) => Promise.resolve(() => own.create(ASSOCIATION, LINK, CALL)) },
    {
      name: "association: update",
      least: 3,
      run: async (own) => {
        const prior = await link(own);
        return () => own.update(ASSOCIATION, prior, { ...LINK, labels: { a: "b" } }, CALL);
      },
    },
    {
      name: "association: refresh",
      least: 1,
      run: async (own) => {
        const prior = await link(own);
        return () => own.read(ASSOCIATION, prior.id, prior, CALL);
      },
    },
    {
      name: "association: delete",
      least: 2,
      run: async (own) => {
        const prior = await link(own);
        // Uses a new provider, as in a later run: a provider that created the association keeps it.
        return () => provider(emulator).delete(ASSOCIATION, prior, CALL);
      },
    },
    { name: "grant: create", least: 2, run: (own) => Promise.resolve(() => own.create(STORE_GRANT, HOLD, CALL)) },
    {
      name: "grant: refresh",
      least: 1,
      run: async (own) => {
        const prior = await hold(own);
        return () => provider(emulator).read(STORE_GRANT, prior.id, prior, CALL);
      },
    },
    {
      name: "grant: delete",
      least: 2,
      run: async (own) => {
        const prior = await hold(own);
        return () => provider(emulator).delete(STORE_GRANT, prior, CALL);
      },
    },
  ];
  const rows: Row[] = [];
  for (const { name, least, run } of cases) {
    emulator.reset();
    emulator.mutate(STORE, {
      policy: { bindings: [{ role: "roles/healthcare.admin", members: ["user:eve@example.com"] }] },
    });
    const work = await run(provider(emulator));
    emulator.clearRequests();
    await work();
    const requests = emulator.requests().length;
    if (requests < least) throw new Error(`${name}: ${requests} requests cannot have done it, it takes ${least}`);
    rows.push({ name, figures: counts({ requests, least }) });
  }
  return rows;
}
