/** Grants on one policy in this process, over HTTP: what the tests of their parts share. */
import type { Policy } from "../../../provider/iam/policy";
import { GrantCloud } from "../../support/grants";

export const ADA = "user:ada@example.com";
export const GRACE = "user:grace@example.com";
export const CONDITION = { title: "on-call", expression: "true" };

/** The cloud of the test that runs, and what providers send to it. */
export let cloud: GrantCloud;
export const start = async (options: Parameters<typeof GrantCloud.start>[0] = {}): Promise<GrantCloud> => {
  cloud = await GrantCloud.start(options);
  started.push(cloud);
  return cloud;
};

const started: GrantCloud[] = [];

/** For each suite: the clouds of a test, which may have started several, end with it. */
export function useClouds(): void {
  afterEach(() => Promise.all(started.splice(0).map((each) => each.stop())));
}

export const text = (policy: Policy): string => JSON.stringify({ ...policy, etag: undefined, version: undefined });
export const bindings = (policy: Policy) => (policy.bindings ?? []).map(({ role, members }) => ({ role, members }));
