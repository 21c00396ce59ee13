import { DEFAULT_CONFIG } from "../base/config";
import { Permissions } from "./permissions";

const api = { service: "pubsub", notes: { title: "Cloud Pub/Sub API" } };

test("after 20,000 resources, the used permissions count the other resources together", () => {
  const permissions = new Permissions(() => DEFAULT_CONFIG);
  for (let index = 0; index < 20_100; index++)
    permissions.require(api, "pubsub.topics.get", `projects/p/topics/t${index}`);
  permissions.require(api, "pubsub.topics.get", "projects/p/topics/t0");
  permissions.require(api, "pubsub.topics.update", "projects/p/topics/new");
  const used = permissions.used();
  expect(used.length).toBeLessThanOrEqual(20_002);
  const others = used.filter(({ resource }) => resource === "*");
  expect(others).toEqual([
    { permission: "pubsub.topics.get", resource: "*", uses: 100, denied: 0 },
    { permission: "pubsub.topics.update", resource: "*", uses: 1, denied: 0 },
  ]);
  expect(used.find(({ resource }) => resource === "projects/p/topics/t0")).toMatchObject({ uses: 2 });
});
