import { FakeCloud } from "../../../../tests/support/grants-cloud";
import { FakeClock } from "../../../testing/clock";
import { apiError } from "../../../core/errors";
import { Claims } from "../../../core/claims";
import type { ApiRequest } from "../../../http/client";
import type { Call } from "../../../http/call";
import type { Policy } from "../../../iam/policy";
import { addGrants } from "../../../iam/policy";
import { DeclaredByPolicy } from "../../../iam/declared-grants";
import { PolicyStore } from "../../../iam/policy-store";
import { ProjectIds } from "../../../iam/project-ids";
import { testCall } from "../../../testing/call";
import type { LifecycleContext } from "../resource";
import { grantParent } from "../parent";
import { grantsIn, memberForm } from "./forms";
import { GrantPolicies } from "./policies";
import { GrantPreview } from "./preview";

const STORE = "projects/p/locations/l/stores/s";
const SET = { name: STORE, role: "roles/viewer", members: ["user:ada@x.com"] };
const PARENT = grantParent({
  service: { module: "stores/v1", api: "stores", version: "v1", title: "Store API", endpointKeys: [] },
  name: "Store",
  kind: "a store",
  template: "projects/{project}/locations/{location}/stores/{store}",
  permissionPrefix: "stores",
  adminRoles: [],
  example: { variable: "store", name: STORE, role: "roles/viewer", member: "user:ada@x.com" },
});

/** @param held the permissions that the caller has. */
function setUp({ policy = {}, held = [] }: { policy?: Policy; held?: string[] } = {}) {
  const clock = FakeClock.waiting();
  const cloud = new FakeCloud(clock);
  cloud.set(STORE, policy);
  const verbs: string[] = [];
  const answer = cloud.answerTo.bind(cloud);
  cloud.answerTo = (request: ApiRequest, by: Call) => {
    verbs.push(request.verb ?? "");
    return request.verb === "testIamPermissions" ? Promise.resolve({ permissions: held }) : answer(request, by);
  };
  const context = {
    api: () => ({ client: cloud, caller: () => Promise.resolve(undefined) }),
    configuration: { grantMode: "merge" },
    claims: new Claims(),
    policies: new PolicyStore(),
    declaredGrants: new DeclaredByPolicy(),
    projectIds: new ProjectIds(() => undefined),
    grantableRoles: { problem: () => Promise.resolve(undefined) },
  } as unknown as LifecycleContext;
  const said: string[] = [];
  const say = (text: string) => said.push(text);
  const call: Call = { ...testCall(clock), reporter: { status: () => {}, info: say, warning: say } };
  const policies = new GrantPolicies(PARENT.targets, context);
  const preview = new GrantPreview(memberForm, policies, context);
  const change = { apply: (live: Policy) => addGrants(live, grantsIn(SET)), admins: () => Promise.resolve(undefined) };
  return {
    cloud,
    verbs,
    said,
    preview: () => clock.until(preview.preview(SET, change, [], call)),
    preflight: () => clock.until(policies.preflight(STORE, call)),
  };
}

describe("a preview in merge mode", () => {
  test("reports a new grant", async () => {
    const { preview, said } = setUp();
    await preview();
    expect(said).toEqual([expect.stringContaining("1 principal will gain a role\n+ user:ada@x.com roles/viewer")]);
  });

  test("does not report an existing grant", async () => {
    const { preview, said } = setUp({ policy: { bindings: [{ role: "roles/viewer", members: ["user:Ada@x.com"] }] } });
    await preview();
    expect(said).toEqual([]);
  });
});

describe("preflight", () => {
  const missing = (permission: string) => `the permission ${permission} on ${STORE} is missing`;

  test.each<[string[], string[]]>([
    [[...PARENT.permissions], []],
    [PARENT.permissions.slice(0, 1), PARENT.permissions.slice(1).map(missing)],
  ])("with the permissions %j, sends one request, which shows that the resource exists", async (held, expected) => {
    const { preflight, verbs } = setUp({ held });
    expect(await preflight()).toEqual(expected);
    expect(verbs).toEqual(["testIamPermissions"]);
  });

  test("without permissions to check, reads the resource to see whether it exists", async () => {
    expect(await setUp().preflight()).toEqual(PARENT.permissions.map(missing));
    const { cloud, preflight } = setUp();
    cloud.readFaults = [
      apiError({ doing: "read", resource: STORE, request: "POST", status: "NOT_FOUND", message: "no" }),
    ];
    expect(await preflight()).toEqual([`${STORE} does not exist`]);
  });
});
