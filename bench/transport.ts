import { startEmulator, type Emulator } from "../emulator";
import type { Values } from "../provider/core/unknown";
import { Provider } from "../provider/runtime/provider";
import { compare, machine, table } from "./timer";

/**
 * What waiting for an operation costs over the server's own time, in time and polls, and how many requests each
 * lifecycle takes.
 */
const ASSOCIATION = "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation";
const GRANT = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";
const GET_SCOPE = "perimeter:fleet/v1beta:getScope";
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
const DURATIONS = [0, 200, 2_000];
const ROUNDS = 5;
/** The goal for the time beyond the server's own: at most the larger of the two. */
const ALLOWED = { share: 0.05, ms: 250 };

export async function benchTransport(): Promise<void> {
  const emulator = await startEmulator({
    seed: [
      { service: "healthcare", name: STORE },
      { service: "gkehub", name: "projects/p/locations/global/scopes/s" },
    ],
  });
  try {
    await waiting(emulator);
    await lifecycles(emulator);
  } finally {
    await emulator.stop();
  }
}

const provider = (emulator: Emulator) =>
  new Provider({ emulatorHost: `${emulator.host}:${emulator.port}`, project: "p", grantMode: "merge" }, {});

async function waiting(emulator: Emulator): Promise<void> {
  await createOnce(emulator, 0);
  const contenders = DURATIONS.map((ms) => ({ name: String(ms), run: () => createOnce(emulator, ms) }));
  const measured = await compare(contenders, ROUNDS);
  const rows = DURATIONS.map((ms) => {
    const { waited = NaN, polls = NaN } = measured.get(String(ms)) ?? {};
    const allowed = Math.max(ALLOWED.ms, ms * ALLOWED.share);
    const over = waited - ms;
    return [`${ms} ms`, waited.toFixed(0), over.toFixed(0), (over / allowed).toFixed(2), String(polls)];
  });
  console.log(`Waiting for an operation: ms of a create, median of ${ROUNDS} (${machine()})\n`);
  console.log(table(["operation", "create", "over it", "× allowed (5 % or 250 ms)", "polls"], rows));
}

/** A create, its requests and its time; the delete after it is not measured. */
async function createOnce(emulator: Emulator, operationMs: number): Promise<Record<string, number>> {
  const own = provider(emulator);
  emulator.reset();
  emulator.configure({ operationMs });
  const began = performance.now();
  await own.create(ASSOCIATION, LINK, CALL);
  const waited = performance.now() - began;
  const polls = emulator.requests().filter((each) => each.path.includes("/operations/")).length;
  return { waited, polls };
}

async function lifecycles(emulator: Emulator): Promise<void> {
  const link = async (own: Provider) => ({ ...(await own.create(ASSOCIATION, LINK, CALL)), inputs: LINK as Values });
  const hold = async (own: Provider) => ({ ...(await own.create(GRANT, HOLD, CALL)), inputs: HOLD as Values });
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
        return () => own.delete(ASSOCIATION, prior, CALL);
      },
    },
    { name: "grant: create", least: 2, run: (own) => Promise.resolve(() => own.create(GRANT, HOLD, CALL)) },
    {
      name: "grant: refresh",
      least: 1,
      run: async (own) => {
        const prior = await hold(own);
        return () => provider(emulator).read(GRANT, prior.id, prior, CALL);
      },
    },
    {
      name: "grant: delete",
      least: 2,
      run: async (own) => {
        const prior = await hold(own);
        return () => provider(emulator).delete(GRANT, prior, CALL);
      },
    },
  ];
  const rows: string[][] = [];
  for (const { name, least, run } of cases) {
    emulator.reset();
    emulator.mutate(STORE, {
      policy: { bindings: [{ role: "roles/healthcare.admin", members: ["user:eve@example.com"] }] },
    });
    const work = await run(provider(emulator));
    emulator.clearRequests();
    await work();
    const requests = emulator.requests().length;
    rows.push([name, String(requests), String(least), (requests / least).toFixed(2)]);
  }
  console.log("\nRequests of each lifecycle, against the least that does it\n");
  console.log(table(["lifecycle", "requests", "least", "×"], rows));
}

if (require.main === module) {
  benchTransport().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
