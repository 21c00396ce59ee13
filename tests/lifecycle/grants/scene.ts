/** Grants on one policy in this process, over HTTP: what the tests of their parts share. */
import type { Policy } from "../../../provider/iam/policy";
import { GrantWorld } from "../../support/grants";

export const ADA = "user:ada@example.com";
export const GRACE = "user:grace@example.com";
export const CONDITION = { title: "on-call", expression: "true" };

/** The cloud of the test that runs, and what providers send to it. */
export let world: GrantWorld;
export const start = async (options: Parameters<typeof GrantWorld.start>[0] = {}): Promise<GrantWorld> => {
  world = await GrantWorld.start(options);
  started.push(world);
  return world;
};

const started: GrantWorld[] = [];

/** For each suite: the clouds of a test, which may have started several, end with it. */
export function useWorlds(): void {
  afterEach(() => Promise.all(started.splice(0).map((each) => each.stop())));
}

export const text = (policy: Policy): string => JSON.stringify({ ...policy, etag: undefined, version: undefined });
export const bindings = (policy: Policy) => (policy.bindings ?? []).map(({ role, members }) => ({ role, members }));
