/** The life of an association on the real engine: what is planned, what goes over the wire, what is repaired. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import { association, ASSOCIATIONS, PROJECT, type Declared } from "../../support/programs";
import { World } from "./world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let world: World;
afterEach(() => world?.dispose());

/** One association for each change, each with a network of its own: the API accepts one for a network in a zone. */
const NAMES = ["moved", "projected", "relabelled", "requested", "respelled"] as const;
const FIRST_REQUEST = "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11";
const SECOND_REQUEST = "9b0f0a52-6a0e-4a2e-8e59-3a4f6b1f7c22";

function one(name: string, args: Record<string, unknown> = {}): Declared {
  return association({
    network: `projects/${PROJECT}/global/networks/${name}`,
    firewallEndpointAssociationId: name,
    labels: { team: "network" },
    requestId: name === "requested" ? FIRST_REQUEST : undefined,
    ...args,
  });
}

function all(changes: Partial<Record<(typeof NAMES)[number], Record<string, unknown>>> = {}) {
  return Object.fromEntries(NAMES.map((name) => [name, one(name, changes[name])]));
}

function plans(result: OperationResult): Record<string, string[]> {
  const plans: Record<string, string[]> = {};
  for (const { name, op } of result.steps) if (op !== "same") (plans[name] ??= []).push(op);
  return plans;
}

/** An association lives in the zone of its endpoint, so the two move together. */
const IN_ANOTHER_ZONE = {
  location: "us-central1-b",
  firewallEndpoint: "organizations/123456789/locations/us-central1-b/firewallEndpoints/inspection",
};

const harmless = {
  requested: { requestId: SECOND_REQUEST },
  respelled: {
    network: `https://www.googleapis.com/compute/v1/projects/${PROJECT}/global/networks/respelled`,
    firewallEndpoint:
      "//networksecurity.googleapis.com/organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
  },
};

test("what is planned is what is done: same, update and replace; drift is found and repaired", async () => {
  world = await World.create({ resources: all() });
  const { project, emulator } = world;

  expect((await project.up()).changes).toEqual({ create: NAMES.length + 1 });
  expect(world.heardChanges()).toEqual(NAMES.map(() => `POST ${ASSOCIATIONS}`));
  expect((await project.up()).changes).toEqual({});
  expect(world.heard()).toEqual([]);

  // Every change at once; each resource has its own.
  world.declare(
    all({
      moved: IN_ANOTHER_ZONE,
      projected: { project: "other-project" },
      relabelled: { labels: { team: "security" } },
      ...harmless,
    }),
  );
  const planned = await project.preview();
  expect(planned.changes).toEqual({ replace: 2, update: 1 });
  expect(planned.step("moved", "replace").keys).toEqual(["location"]);
  expect(planned.step("projected", "replace").keys).toEqual(["project"]);
  expect(planned.step("relabelled", "update").keys).toEqual([]);
  expect(plans(planned)).not.toHaveProperty("requested");
  expect(plans(planned)).not.toHaveProperty("respelled");

  // Another default project means another place for all that name none.
  world.declare(all({ projected: { project: PROJECT } }));
  await project.setConfig("perimeter:project", "other-project");
  const elsewhere = await project.preview();
  expect(elsewhere.changes).toEqual({ replace: NAMES.length - 1 });
  expect(elsewhere.step("moved", "replace").keys).toEqual(["project"]);
  await project.setConfig("perimeter:project", PROJECT);
  expect(world.heard()).toEqual([]);

  // The request holds the label and nothing else.
  world.declare(all({ relabelled: { labels: { team: "security" } }, ...harmless }));
  expect((await project.up()).changes).toEqual({ update: 1 });
  const [patch, ...others] = world.heard().filter(({ method }) => method !== "GET");
  expect(others).toEqual([]);
  expect(patch).toMatchObject({ method: "PATCH", path: `${ASSOCIATIONS}/relabelled`, query: { updateMask: "labels" } });
  expect(patch?.body).toEqual({ labels: { team: "security" } });

  // Somebody else changes one and removes another.
  emulator.mutate(`${ASSOCIATIONS}/relabelled`, { patch: { labels: { team: "security", audited: "yes" } } });
  emulator.remove(`${ASSOCIATIONS}/requested`);
  const refreshed = await project.refresh();
  expect(refreshed.changes).toEqual({ update: 1, delete: 1 });
  const drift = refreshed.steps.find(({ name }) => name === "relabelled");
  expect(drift?.old?.outputs).toMatchObject({ labels: { team: "security" } });
  const after = refreshed.events.flatMap((event) => {
    const metadata = (event.resOutputsEvent as { metadata: typeof drift } | undefined)?.metadata;
    return metadata?.urn === drift?.urn ? [metadata] : [];
  });
  expect(after.map((each) => each?.new?.outputs)).toEqual([
    { ...drift?.old?.outputs, labels: { team: "security", audited: "yes" } },
  ]);
  expect(world.heardChanges()).toEqual([]);

  const repaired = await project.up();
  expect(plans(repaired)).toEqual({ relabelled: ["update"], requested: ["create"] });
  const repairs = world.heard().filter(({ method }) => method !== "GET");
  expect(repairs.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    `PATCH ${ASSOCIATIONS}/relabelled`,
    `POST ${ASSOCIATIONS}`,
  ]);
  expect(emulator.resource(`${ASSOCIATIONS}/relabelled`)?.body.labels).toEqual({ team: "security" });
  expect((await project.preview({ refresh: true })).changes).toEqual({});

  await project.destroy();
  expect(emulator.resources().filter(({ name }) => name.startsWith(ASSOCIATIONS))).toEqual([]);
});

test("a replacement that would collide with the old one deletes first, any other creates first", async () => {
  // The engine does not ask a provider about what the user has replaced, so here the program has to say it.
  const forced = { ...one("three"), deleteBeforeReplace: true };
  world = await World.create({ resources: { collides: one("one"), apart: one("two"), forced } });
  const { project } = world;
  const urn = (await project.up()).step("forced").urn;
  world.heard();

  world.declare({
    // Another id, but the network may have one association only.
    collides: one("another", { network: `projects/${PROJECT}/global/networks/one` }),
    // Another zone: both can be there at once.
    apart: one("two", IN_ANOTHER_ZONE),
    forced,
  });
  // The name stays, and the user has to say so.
  const replaced = await project.up({ args: ["--replace", urn] });
  expect(replaced.changes).toEqual({ replace: 3 });
  const changes = world.heardChanges();
  const elsewhere = ASSOCIATIONS.replace("-a/", "-b/");
  for (const name of ["one", "three"]) {
    expect(changes).toContain(`DELETE ${ASSOCIATIONS}/${name}`);
    expect(changes.indexOf(`DELETE ${ASSOCIATIONS}/${name}`)).toBeLessThan(changes.lastIndexOf(`POST ${ASSOCIATIONS}`));
  }
  expect(world.emulator.resources().filter(({ name }) => name.startsWith(ASSOCIATIONS))).toHaveLength(2);
  const order = Object.fromEntries(replaced.steps.map(({ name }) => [name, opsOf(replaced, name)]));
  expect(order.collides).toEqual(["delete-replaced", "create-replacement"]);
  expect(order.forced).toEqual(["delete-replaced", "create-replacement"]);
  expect(order.apart).toEqual(["create-replacement", "delete-replaced"]);
  expect(changes.indexOf(`POST ${elsewhere}`)).toBeLessThan(changes.indexOf(`DELETE ${ASSOCIATIONS}/two`));
});

function opsOf(result: OperationResult, name: string): string[] {
  return result.steps.filter((step) => step.name === name && step.op !== "replace").map(({ op }) => op);
}
