/** Errors for mistakes of a program, before any request is sent. */
import * as pulumi from "@pulumi/pulumi";
import { datamigration, fleet, InputError, networksecurity } from ".";

/** The inputs with which each resource was registered, by its name. */
const registered = new Map<string, Record<string, unknown>>();

beforeAll(() =>
  pulumi.runtime.setMocks({
    call: () => ({ name: "mocked" }),
    newResource: ({ name, inputs }) => {
      const state = inputs as Record<string, unknown>;
      registered.set(name, state);
      return { id: name, state };
    },
  }),
);

type Args = Parameters<typeof fleet.v1beta.getScope>[0];

test.each<[string, unknown, string]>([
  ["no arguments", undefined, "getScope: its arguments are required; if they come from outputs, use getScopeOutput"],
  ["a list", [], "getScope: its arguments are required"],
  ["wrapped arguments", pulumi.output({ location: "global" }), "its arguments must be plain values, but are wrapped"],
  [
    "an output among them",
    { location: pulumi.output("global"), scopeId: "team-a" },
    "getScope: location must be a plain value, but is an output or a promise: use getScopeOutput",
  ],
  ["a promise among them", { location: "global", scopeId: Promise.resolve("a") }, "scopeId must be a plain value"],
])("the error for the direct form with %s names the output form", async (_what, args, message) => {
  const refused = fleet.v1beta.getScope(args as Args);
  await expect(refused).rejects.toBeInstanceOf(InputError);
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.toThrow("use getScopeOutput, which takes outputs and promises");
});

test("passes plain arguments to the mocks", async () => {
  await expect(fleet.v1beta.getScope({ location: "global", scopeId: "team-a" })).resolves.toEqual({ name: "mocked" });
});

class PluginProvider extends pulumi.ProviderResource {}

test("a resource of the npm package refuses a provider of the plugin, and names the option", async () => {
  const args = { name: "projects/p/locations/l/migrationJobs/j", role: "roles/viewer", member: "user:a@example.com" };
  const Grant = datamigration.v1beta1.MigrationJobIamMember;
  const provider = new PluginProvider("perimeter", "plugin");
  expect(() => new Grant("grant", args, { provider })).toThrow(InputError);
  expect(() => new Grant("grant", args, { provider })).toThrow(
    /^MigrationJobIamMember grant: the option provider must not be a provider of the package "perimeter".*pulumi-perimeter-sdk$/,
  );
  // The provider of dynamic resources is not a mistake.
  const made = new Grant("grant", args, { provider: new PluginProvider("pulumi-nodejs", "dynamic") });
  expect(await new Promise((resolve) => made.id.apply(resolve))).toBe("grant");
});

/** A transformation in the program, with properties for the resource. */
const returning =
  (props: pulumi.Inputs): pulumi.ResourceTransformation =>
  ({ opts }) => ({ props, opts });

const created = (resource: pulumi.CustomResource) => new Promise((resolve) => resource.id.apply(resolve));

test("a transformation that returns its own properties loses no property of this front, and its secrets are known", async () => {
  const args = { name: "written", role: "roles/viewer", member: "user:a@example.com" };
  const props = { name: "transformed", role: "roles/viewer", member: pulumi.secret("user:b@example.com") };
  const { MigrationJobIamMember } = datamigration.v1beta1;
  const grant = new MigrationJobIamMember("sparse", args, { transformations: [returning(props)] });
  await created(grant);
  expect(registered.get("sparse")).toEqual({
    name: "transformed",
    role: "roles/viewer",
    member: expect.objectContaining({ value: "user:b@example.com" }) as unknown,
    __provider: expect.stringContaining("datamigration/v1beta1:MigrationJobIamMember") as unknown,
    __identity: expect.stringContaining("::sparse") as unknown,
    __secrets: [["member"]],
  });
  // The outputs that the program may use exist.
  expect(pulumi.Output.isInstance(grant.etag)).toBe(true);
});

test("a secret setting that is the default of an input stays secret if a transformation leaves the input out", async () => {
  pulumi.runtime.setAllConfig({ "perimeter:project": "canary-project" }, ["perimeter:project"]);
  const args = { firewallEndpoint: "e", network: "n", location: "us-central1-a" };
  const Association = networksecurity.v1beta1.FirewallEndpointAssociation;
  await created(new Association("link", args, { transformations: [returning(args)] }));
  const project = expect.objectContaining({ value: "canary-project" }) as unknown;
  expect(registered.get("link")).toMatchObject({ project, __secrets: [["project"]] });
});

test("transformations of a parent also run before the properties are complete, and once for each resource", async () => {
  const args = { name: "written", role: "roles/viewer", member: "user:a@example.com" };
  const { MigrationJobIamMember } = datamigration.v1beta1;
  const transformations = [returning({ ...args, name: "parent's" })];
  const parent = new pulumi.ComponentResource("test:index:Edge", "edge", {}, { transformations });
  const first = new MigrationJobIamMember("first", args, { parent });
  await created(new MigrationJobIamMember("child", args, { parent: first }));
  for (const name of ["first", "child"]) {
    const { name: given, __identity: identity } = registered.get(name) ?? {};
    expect([given, identity]).toEqual(["parent's", expect.stringMatching(`::${name}$`)]);
  }
});

test("a transformation that adds a provider of another package is refused, as the option provider is", () => {
  const args = { name: "projects/p/locations/l/migrationJobs/j", role: "roles/viewer", member: "user:a@example.com" };
  const provider = new PluginProvider("perimeter", "other");
  const adding: pulumi.ResourceTransformation = ({ props, opts }) => ({ props, opts: { ...opts, provider } });
  const Grant = datamigration.v1beta1.MigrationJobIamMember;
  expect(() => new Grant("refused", args, { transformations: [adding] })).toThrow(InputError);
});
