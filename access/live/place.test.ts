import { resourceNamed } from "../meaning/grant-kinds";
import { StackClouds } from "./clouds";
import { anyProjectKey, resourceKey } from "./place";

const NAME = "projects/p/locations/l/instances/i";
const places = (isKnown: boolean, project = "p") => {
  const settings = { key: "urn:pulumi:dev::shop::pulumi:providers:perimeter::p::1", values: {}, hidden: [], isKnown };
  const cloud = new StackClouds({ of: () => settings }, {}).of();
  const name = NAME.replace("/p/", `/${project}/`);
  return ["datafusion", "notebooks"].map((api) => ({ cloud, ...resourceNamed(`//${api}.googleapis.com/${name}`) }));
};

test.each([
  ["a known", true],
  ["an unknown", false],
])("two APIs have two resources of one name, also in %s cloud", (_what, isKnown) => {
  for (const keyOf of [anyProjectKey, resourceKey]) {
    expect(new Set(places(isKnown).map((each) => keyOf(each))).size).toBe(2);
  }
});

test("without the project, the id and the number of a project have one key", () => {
  expect(places(true, "123").map(anyProjectKey)).toEqual(places(true).map(anyProjectKey));
  expect(places(true, "123").map((each) => resourceKey(each))).not.toEqual(
    places(true).map((each) => resourceKey(each)),
  );
});
