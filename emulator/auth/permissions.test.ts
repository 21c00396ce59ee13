import { RE2JS } from "re2js";
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

test("the regular expressions of a switch are compiled once, and not for each question", () => {
  const entry = (at: number) => ({ permission: "pubsub.topics.get", resource: `^projects/secret-${at}/` });
  const deny = Array.from({ length: 900 }, (_, at) => entry(at));
  const permissions = new Permissions(() => ({ ...DEFAULT_CONFIG, deny }));
  const compile = jest.spyOn(RE2JS, "compile");
  const isOpen = () => permissions.has("pubsub.topics.get", "projects/open/topics/t");
  expect([isOpen(), isOpen(), isOpen()]).toEqual([true, true, true]);
  expect(compile).toHaveBeenCalledTimes(900);
  compile.mockRestore();
  expect(permissions.has("pubsub.topics.get", "projects/secret-899/topics/t")).toBe(false);
});
