/** An association's life in this process, over HTTP: what the tests of its parts share. */
import type { Values } from "../../../provider/core/unknown";
import type { Provider } from "../../../provider/runtime/provider";
import { Bench, limits } from "../../support/provider";
import { ASSOCIATION } from "../../support/tokens";

export const ZONE = "us-central1-a";
export const ENDPOINT = `organizations/1/locations/${ZONE}/firewallEndpoints/e`;
export const NAME = `projects/p/locations/${ZONE}/firewallEndpointAssociations/a`;
export const POLICY = "projects/p/locations/us-central1/tlsInspectionPolicies/t";
export const REQUEST_ID = "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11";
export const network = (id: string) => `projects/p/global/networks/${id}`;
export const basic = {
  firewallEndpoint: ENDPOINT,
  network: network("n"),
  location: ZONE,
  firewallEndpointAssociationId: "a",
};

export const inZone = (zone: string) => ({ ...basic, location: zone, firewallEndpoint: ENDPOINT.replace(ZONE, zone) });

export let bench: Bench;
export let provider: Provider;

/** A provider of the next run, for deletes: a run does not delete what it has made itself. */
export const nextRun = () => bench.provider();
export const live = (name = NAME) => bench.emulator.resource(name)?.body;
export const all = () => bench.emulator.resources().map((each) => each.name);

export async function check(given: Values, by = provider): Promise<Values> {
  const { inputs, problems } = await by.check(ASSOCIATION, given);
  expect(problems).toEqual([]);
  return inputs;
}

export async function make(given: Values = basic, by = provider) {
  const inputs = await check(given, by);
  const { id, state } = await by.create(ASSOCIATION, inputs, limits());
  return { id, state, inputs };
}

/** For each suite: a cloud whose operations take five seconds, and for each test a provider. */
export function useBench(): void {
  beforeAll(async () => {
    bench = await Bench.start({ operationMs: 5_000 });
  });
  beforeEach(() => {
    bench.emulator.reset();
    provider = bench.provider();
  });
  afterAll(() => bench.emulator.stop());
}
