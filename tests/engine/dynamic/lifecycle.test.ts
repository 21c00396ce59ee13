/** Changes of associations through the npm front, on the real engine. */
import { changesAmong } from "../../support/changes";
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import { association, ASSOCIATIONS, PROJECT, type Declared } from "../../support/programs";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let stack: PackedStack;
afterEach(() => stack?.dispose());

/** Each with a network of its own: the API accepts one for a network in a zone. */
const NAMES = ["apart", "collides", "relabelled", "respelled"] as const;
type Changes = Partial<Record<(typeof NAMES)[number], Record<string, unknown>>>;

function all(changes: Changes = {}): Record<string, Declared> {
  return Object.fromEntries(
    NAMES.map((name) => [
      name,
      association({
        network: `projects/${PROJECT}/global/networks/${name}`,
        firewallEndpointAssociationId: name,
        labels: { team: "network" },
        ...changes[name],
      }),
    ]),
  );
}

/** The operations of the engine by resource, without those that change nothing. */
function plans(result: OperationResult): Record<string, string[]> {
  const plans: Record<string, string[]> = {};
  for (const { type, name, op } of result.steps) {
    if (!type.startsWith("pulumi:") && op !== "same") (plans[name] ??= []).push(op);
  }
  return plans;
}

test("an update does what its preview plans, and replaces in the order that the API allows", async () => {
  stack = await PackedStack.create({ resources: all() });
  const { project } = stack;
  await project.up();
  stack.declare(
    all({
      // Another zone: both can be there at once. An association lives in the zone of its endpoint, so the two move together.
      apart: {
        location: "us-central1-b",
        firewallEndpoint: "organizations/123456789/locations/us-central1-b/firewallEndpoints/inspection",
      },
      // Another id, but the network may have one association only.
      collides: { firewallEndpointAssociationId: "another" },
      relabelled: { labels: { team: "security" } },
      respelled: { network: `https://www.googleapis.com/compute/v1/projects/${PROJECT}/global/networks/respelled` },
    }),
  );
  stack.heard();
  const planned = await project.preview();
  expect(planned.step("apart", "replace").keys).toEqual(["location"]);
  expect(stack.heard()).toEqual([]);

  const updated = await project.up();
  const expected = {
    apart: ["create-replacement", "replace", "delete-replaced"],
    collides: ["delete-replaced", "replace", "create-replacement"],
    relabelled: ["update"],
  };
  expect([plans(planned), plans(updated)]).toEqual([expected, expected]);
  const sent = changesAmong(stack.heard()).map(({ method, path, query }) =>
    [method, path, query.firewallEndpointAssociationId ?? query.updateMask].join(" ").trim(),
  );
  const orderOf = (...requests: string[]) => requests.map((each) => sent.indexOf(each));
  const apart = orderOf(`POST ${ASSOCIATIONS.replace("-a/", "-b/")} apart`, `DELETE ${ASSOCIATIONS}/apart`);
  const collides = orderOf(`DELETE ${ASSOCIATIONS}/collides`, `POST ${ASSOCIATIONS} another`);
  for (const [first = -1, second = -1] of [apart, collides]) {
    expect(first).toBeGreaterThan(-1);
    expect(second).toBeGreaterThan(first);
  }
  expect(sent).toContain(`PATCH ${ASSOCIATIONS}/relabelled labels`);
  expect(sent).toHaveLength(5);
});
