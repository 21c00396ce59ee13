/** Errors for mistakes of a program, before any request is sent. */
import * as pulumi from "@pulumi/pulumi";
import { datamigration, fleet, InputError } from ".";

beforeAll(() =>
  pulumi.runtime.setMocks({
    call: () => ({ name: "mocked" }),
    newResource: ({ name, inputs }) => ({ id: name, state: inputs as Record<string, unknown> }),
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
