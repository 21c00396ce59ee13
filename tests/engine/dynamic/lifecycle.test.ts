/** The life of an association on the real engine: what is planned, what goes over the wire, what is repaired. */
import { changesAmong } from "../../support/changes";
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import { association, ASSOCIATIONS, PROJECT, type Declared } from "../../support/programs";
import { drifts } from "../../support/drift";
import { World } from "./world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let world: World;
afterEach(() => world?.dispose());

/**
 * One association for each change, each with a network of its own: the API accepts one for a network in a zone. All but
 * `defaulted` name their project from the second step on.
 */
const NAMES = [
  "apart",
  "collides",
  "defaulted",
  "drifted",
  "forced",
  "moved",
  "projected",
  "relabelled",
  "requested",
  "respelled",
] as const;
type Name = (typeof NAMES)[number];
type Changes = Partial<Record<Name, Record<string, unknown>>>;

const FIRST_REQUEST = "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11";
const SECOND_REQUEST = "9b0f0a52-6a0e-4a2e-8e59-3a4f6b1f7c22";

function all(changes: Changes = {}): Record<string, Declared> {
  const declared = NAMES.map((name): [string, Declared] => {
    const args = {
      network: `projects/${PROJECT}/global/networks/${name}`,
      firewallEndpointAssociationId: name,
      labels: { team: "network" },
      requestId: name === "requested" ? FIRST_REQUEST : undefined,
      ...changes[name],
    };
    // The engine does not ask a provider about what the user has replaced, so here the program has to say it.
    return [name, { ...association(args), deleteBeforeReplace: name === "forced" ? true : undefined }];
  });
  return Object.fromEntries(declared);
}

function plans(result: OperationResult): Record<string, string[]> {
  const plans: Record<string, string[]> = {};
  for (const { type, name, op } of result.steps) {
    if (!type.startsWith("pulumi:") && !["same", "refresh"].includes(op)) (plans[name] ??= []).push(op);
  }
  return plans;
}

/** An association lives in the zone of its endpoint, so the two move together. */
const IN_ANOTHER_ZONE = {
  location: "us-central1-b",
  firewallEndpoint: "organizations/123456789/locations/us-central1-b/firewallEndpoints/inspection",
};
const ELSEWHERE = ASSOCIATIONS.replace("-a/", "-b/");
const TO_SECURITY = { labels: { team: "security" } };

const harmless: Changes = {
  requested: { requestId: SECOND_REQUEST },
  respelled: {
    network: `https://www.googleapis.com/compute/v1/projects/${PROJECT}/global/networks/respelled`,
    firewallEndpoint:
      "//networksecurity.googleapis.com/organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
  },
};

test("updates match their previews: same, update and replace; drift is found and repaired", async () => {
  world = await World.create({ resources: all() });
  const { project, emulator } = world;

  const created = await project.up();
  expect(created.changes).toEqual({ create: NAMES.length + 1 });
  expect(world.heardChanges()).toEqual(NAMES.map(() => `POST ${ASSOCIATIONS}`));

  // Every change at once; each resource has its own. Another default project is another place for what names none.
  const named: Changes = Object.fromEntries(
    NAMES.filter((name) => name !== "defaulted").map((name) => [name, { project: PROJECT, ...harmless[name] }]),
  );
  await project.setConfig("perimeter:project", "other-project");
  world.declare(
    all({
      ...named,
      moved: { project: PROJECT, ...IN_ANOTHER_ZONE },
      projected: { project: "third-project" },
      relabelled: { project: PROJECT, ...TO_SECURITY },
    }),
  );
  const planned = await project.preview();
  expect(planned.changes).toEqual({ replace: 3, update: 1 });
  expect(planned.step("defaulted", "replace").keys).toEqual(["project"]);
  expect(planned.step("moved", "replace").keys).toEqual(["location"]);
  expect(planned.step("projected", "replace").keys).toEqual(["project"]);
  expect(planned.step("relabelled", "update").keys).toEqual([]);
  expect(Object.keys(plans(planned)).sort()).toEqual(["defaulted", "moved", "projected", "relabelled"]);
  expect(world.heard()).toEqual([]);

  // Somebody else changes one and removes another; and of three replacements, each has its reason for its order.
  await project.setConfig("perimeter:project", PROJECT);
  emulator.mutate(`${ASSOCIATIONS}/drifted`, { patch: { labels: { team: "network", audited: "yes" } } });
  emulator.remove(`${ASSOCIATIONS}/requested`);
  world.declare(
    all({
      ...harmless,
      relabelled: TO_SECURITY,
      // Another id, but the network may have one association only.
      collides: { firewallEndpointAssociationId: "another" },
      // Another zone: both can be there at once.
      apart: IN_ANOTHER_ZONE,
    }),
  );
  // What the user replaces keeps its name.
  const updated = await project.up({ args: ["--refresh", "--replace", created.step("forced").urn] });
  expect(plans(updated)).toEqual({
    apart: ["create-replacement", "replace", "delete-replaced"],
    collides: ["delete-replaced", "replace", "create-replacement"],
    drifted: ["update"],
    forced: ["delete-replaced", "replace", "create-replacement"],
    relabelled: ["update"],
    requested: ["create"],
  });
  const changes = changesAmong(world.heard());
  const sent = changes.map(({ method, path }) => `${method} ${path}`);

  // The request holds the label and nothing else.
  const patches = changes.filter(({ method }) => method === "PATCH");
  const patchOf = (name: string) => patches.filter(({ path }) => path === `${ASSOCIATIONS}/${name}`);
  expect(patches).toHaveLength(2);
  expect(patchOf("relabelled")).toMatchObject([{ query: { updateMask: "labels" } }]);
  expect(patchOf("relabelled").map(({ body }) => body)).toEqual([{ labels: { team: "security" } }]);

  // The refresh finds the drift, and no other; the update repairs it.
  const { drifted, ...others } = drifts(updated);
  expect(Object.keys(others)).toEqual(["requested"]);
  expect(drifted?.old?.outputs).toMatchObject({ labels: { team: "network" } });
  expect(drifted?.new?.outputs).toEqual({ ...drifted?.old?.outputs, labels: { team: "network", audited: "yes" } });
  expect(emulator.resource(`${ASSOCIATIONS}/drifted`)?.body.labels).toEqual({ team: "network" });

  // A replacement that would collide with the old one deletes first, any other creates first.
  expect(sent.filter((each) => each.startsWith("DELETE")).sort()).toEqual(
    ["apart", "collides", "forced"].map((name) => `DELETE ${ASSOCIATIONS}/${name}`),
  );
  const made = changes.map(({ query }) => query.firewallEndpointAssociationId);
  expect(sent.indexOf(`POST ${ELSEWHERE}`)).toBeLessThan(sent.indexOf(`DELETE ${ASSOCIATIONS}/apart`));
  expect(sent.indexOf(`DELETE ${ASSOCIATIONS}/collides`)).toBeLessThan(made.indexOf("another"));
  expect(sent.indexOf(`DELETE ${ASSOCIATIONS}/forced`)).toBeLessThan(made.lastIndexOf("forced"));
  expect([...new Set(made)].filter(Boolean).sort()).toEqual(["another", "apart", "forced", "requested"]);
  expect(made.filter((name) => name === "requested")).toHaveLength(1);

  // The refresh before the destroy finds all as the update left it.
  expect(drifts(await project.destroy({ args: ["--refresh"] }))).toEqual({});
  expect(emulator.resources().filter(({ name }) => name.includes("firewallEndpointAssociations"))).toEqual([]);
});
