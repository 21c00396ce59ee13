import * as pulumi from "@pulumi/pulumi";
import { program } from "./program";

/** Nothing is asked and nothing is made: the mocks say what a lookup finds and what a resource becomes. */
const made: pulumi.runtime.MockResourceArgs[] = [];
let tier = "gold";

beforeAll(async () => {
  pulumi.runtime.setAllConfig({ "perimeter:project": "demo-project" });
  await pulumi.runtime.setMocks({
    newResource: (args) => {
      made.push(args);
      return { id: `${args.name}-id`, state: args.inputs };
    },
    call: ({ token }) => (token === "perimeter:fleet/v1beta:getScope" ? { labels: { tier } } : {}),
  });
});

function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

test("the gold tier's migration is the platform team's", async () => {
  tier = "gold";
  expect(await valueOf(program().member)).toBe("group:platform@example.com");
});

test("others' migration is their own team's", async () => {
  tier = "silver";
  expect(await valueOf(program().member)).toBe("group:orders@example.com");
});

test("the grant is on the migration job", async () => {
  made.length = 0;
  await valueOf(program().resource);
  expect(made.map(({ type, inputs }) => [type, inputs.name, inputs.role])).toEqual([
    [
      "pulumi-nodejs:dynamic/datamigration/v1beta1:MigrationJobIamMember",
      "projects/demo-project/locations/us-central1/migrationJobs/orders-to-sql",
      "roles/datamigration.admin",
    ],
  ]);
});
