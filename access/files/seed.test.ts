import { onlyStack } from "../../tests/support/answers";
import { startEmulator, type Emulator } from "../../emulator";
import type { ServiceDefinition } from "../../provider/core/definition";
import { cloudsOfEnvironment, type Cloud } from "../live/clouds";
import { readAccess } from "../access";
import { resourceNamed } from "../meaning/grant-kinds";
import { AccessPolicies } from "../live/access-policies";
import { Hierarchy } from "../live/hierarchy";
import type { Place } from "../live/place";
import { seedOf } from "./seed";

const role = (project: string) => `projects/${project}/roles/reader`;
const trigger = (project: string) => `projects/${project}/locations/us-central1/triggers/orders`;
const resourcesOf = (project: string) => [
  { service: "eventarc", name: trigger(project), body: {} },
  {
    service: "cloudresourcemanager",
    name: `projects/${project}`,
    policy: { bindings: [{ role: role(project), members: ["user:ada@example.com"] }] },
  },
  { service: "iam", name: role(project), body: { includedPermissions: ["eventarc.triggers.get"] } },
];

let clouds: Emulator[] = [];
afterEach(async () => {
  for (const each of clouds) await each.stop();
  clouds = [];
});

async function cloudWith(seed: object[], more: object = {}): Promise<Emulator> {
  const emulator = await startEmulator({ seed, ...more });
  clouds.push(emulator);
  return emulator;
}

const named = (name: string, { env }: Pick<Emulator, "env">): Place => ({
  ...resourceNamed(name),
  cloud: cloudsOfEnvironment(env).of(),
});

const seedWith = (places: readonly Place[], inherited: boolean) =>
  seedOf(places, new Hierarchy(new AccessPolicies(cloudsOfEnvironment({}))), inherited);

test("reads each custom role in the cloud of the resource", async () => {
  const [first, second] = [await cloudWith(resourcesOf("one")), await cloudWith(resourcesOf("two"))];
  const { resources, unread } = await seedWith([named(trigger("one"), first), named(trigger("two"), second)], true);
  expect(unread).toEqual([]);
  expect(resources.filter(({ service }) => service === "iam").map(({ name }) => name)).toEqual([
    role("one"),
    role("two"),
  ]);
});

test("tries the credentials of each resource's provider for a custom role", async () => {
  const second = `${trigger("one")}-2`;
  const emulator = await cloudWith([...resourcesOf("one"), { service: "eventarc", name: second, body: {} }]);
  const allowed = named(second, emulator);
  const inner = named(trigger("one"), emulator);
  const refuse = () => Promise.reject(new Error("PERMISSION_DENIED"));
  const denied = {
    ...inner,
    cloud: Object.assign(Object.create(inner.cloud) as Cloud, {
      client: (service: ServiceDefinition) =>
        service.api === "iam" ? { ...inner.cloud.client(service), request: refuse } : inner.cloud.client(service),
    }),
  };
  for (const order of [
    [denied, allowed],
    [allowed, denied],
  ]) {
    const { resources, unread } = await seedWith(order, true);
    expect(unread).toEqual([]);
    expect(resources.map(({ name }) => name)).toContain(role("one"));
  }
  expect((await seedWith([denied], true)).unread).toEqual([`${role("one")} is not in the seed: PERMISSION_DENIED`]);
});

test("a seed of named resources needs no stack", async () => {
  const { env } = await cloudWith(resourcesOf("one"));
  const { seed, result } = await readAccess({ resources: [trigger("one")], environment: env, seed: true });
  expect(onlyStack(result).resources).toHaveLength(1);
  expect(seed?.resources.map(({ name }) => name)).toEqual(["projects/one", trigger("one"), role("one")]);
});

test("a seed reads nothing again that the answer has read", async () => {
  const emulator = await cloudWith(resourcesOf("one"));
  await readAccess({ resources: [trigger("one")], environment: emulator.env, seed: true });
  const sent = emulator.requests().map(({ method, path }) => `${method} ${path}`);
  expect(sent.filter((each) => sent.indexOf(each) !== sent.lastIndexOf(each))).toEqual([]);
});

test("a seed of a project has the project itself and what is above it", async () => {
  const emulator = await cloudWith(resourcesOf("one"));
  const service = "cloudresourcemanager";
  emulator.seed([
    { service, name: "projects/one", body: { parent: "folders/7" } },
    { service, name: "folders/7", body: { parent: "organizations/1" } },
    { service, name: "organizations/1" },
  ]);
  const { resources } = await seedWith([named("//cloudresourcemanager.googleapis.com/projects/one", emulator)], true);
  const copied = resources.filter(({ body }) => body).map(({ name }) => name);
  expect(copied).toEqual(["folders/7", "organizations/1", "projects/one"]);
});

test("asks once for the project of all that is in one bucket", async () => {
  const folders = ["one", "two"].map((id) => `b/files/managedFolders/${id}`);
  const emulator = await cloudWith(folders.map((name) => ({ service: "storage", name })));
  emulator.configure({ projectNumbers: { "123": "p" } });
  emulator.seed([{ service: "storage", name: "b/files", body: { projectNumber: "123" } }]);
  const names = folders.map((name) => `//storage.googleapis.com/${name.replace("b/", "projects/_/buckets/")}`);
  const { resources } = await seedWith(
    names.map((name) => named(name, emulator)),
    true,
  );
  expect(resources.map(({ name }) => name)).toContain("projects/p");
  expect(emulator.requests().filter(({ id }) => id === "storage.buckets.get")).toHaveLength(1);
});

test("the name of a managed folder in a folder has its slash in the seed, as the emulator takes it", async () => {
  const name = "b/files/managedFolders/a/b";
  const policy = { bindings: [{ role: "roles/viewer", members: ["user:ada@example.com"] }] };
  const emulator = await cloudWith([{ service: "storage", name, policy }]);
  const full = `//storage.googleapis.com/${name.replace("b/", "projects/_/buckets/")}/`;
  const { resources } = await seedWith([named(full, emulator)], false);
  expect(resources).toMatchObject([{ name, policy }]);
});
