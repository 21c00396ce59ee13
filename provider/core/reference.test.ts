import fc from "fast-check";
import { segments } from "../testing/arbitrary";
import {
  expectedReference,
  isPolicyPath,
  nameInId,
  nameTemplate,
  normalName,
  parseReference,
  sameName,
  type NameTemplate,
  projectOf,
  withProject,
} from "./reference";

const scope = nameTemplate("projects/{project}/locations/{location}/scopes/{scope}");
const network = {
  kind: "a network",
  api: "compute",
  templates: [nameTemplate("projects/{project}/global/networks/{network}")],
};

describe("nameTemplate", () => {
  test("format and parse are inverse functions", () => {
    fc.assert(
      fc.property(fc.record({ project: segments, location: segments, scope: segments }), (variables) => {
        expect(scope.parse(scope.format(variables))).toEqual(variables);
      }),
    );
  });

  test.each([
    ["another collection", "projects/p/locations/l/triggers/t"],
    ["too few parts", "projects/p/locations/l/scopes"],
    ["too many parts", "projects/p/locations/l/scopes/s/x"],
    ["an empty part", "projects//locations/l/scopes/s"],
    ["a blank", "projects/p/locations/l/scopes/my scope"],
    ["a placeholder that was left in", "projects/{project}/locations/l/scopes/s"],
    ["a query", "projects/p/locations/l/scopes/s?x=1"],
    ["a folder", "projects/p/locations/./scopes/s"],
    ["the folder above", "projects/p/locations/l/scopes/.."],
    ["NUL", "projects/p/locations/l/scopes/s\0"],
    ["a control character", "projects/p/locations/l/scopes/s\u007f"],
    ["half of a character", "projects/p/locations/l/scopes/\ud83d"],
  ])("parse refuses %s", (_what, name) => {
    expect(scope.parse(name)).toBeUndefined();
  });

  test.each(["...", ".a", "a..b", "\u{1f600}"])("parse accepts %s", (id) => {
    expect(scope.parse(`projects/p/locations/l/scopes/${id}`)).toMatchObject({ scope: id });
  });

  test("format refuses a missing variable", () => {
    const untyped: NameTemplate = scope;
    expect(() => untyped.format({ project: "p", location: "l" })).toThrow("{scope}");
  });
});

describe("normalName", () => {
  const name = "projects/p/global/networks/n";
  test.each([
    name,
    `//compute.googleapis.com/${name}`,
    `https://compute.googleapis.com/${name}`,
    `https://compute.googleapis.com/v1/${name}`,
    `https://www.googleapis.com/compute/v1/${name}`,
    `http://127.0.0.1:8080/compute/beta/${name}`,
  ])("%s is the same network", (spelling) => {
    expect(normalName(spelling)).toBe(name);
    expect(sameName(spelling, name)).toBe(true);
    expect(parseReference(network, spelling)).toEqual({ project: "p", network: "n" });
  });

  test("does not change an organization's name or a text that is not a name", () => {
    const endpoint = "organizations/1/locations/z/firewallEndpoints/e";
    expect(normalName(`//networksecurity.googleapis.com/${endpoint}`)).toBe(endpoint);
    expect(normalName("n")).toBe("n");
    expect(normalName("https://example.com/elsewhere")).toBe("https://example.com/elsewhere");
  });

  test("is idempotent, and removes any prefix from any name", () => {
    const prefixes = fc.constantFrom("", "//host/", "https://host/", "https://host/v1beta1/", "http://h:80/a/v2/");
    const names = fc.tuple(segments, segments).map(([project, id]) => `projects/${project}/global/networks/${id}`);
    fc.assert(
      fc.property(prefixes, names, (prefix, each) => {
        expect(normalName(prefix + each)).toBe(each);
        expect(normalName(normalName(prefix + each))).toBe(each);
      }),
    );
  });
});

describe("nameInId", () => {
  const job = "projects/p/locations/l/migrationJobs/j";
  test.each([
    job,
    `v1beta1/${job}`,
    `v1/${job}`,
    `v2alpha/${job}`,
    `https://datamigration.googleapis.com/v1beta1/${job}`,
    `v1beta1/${job}:getIamPolicy`,
    `${job}:setIamPolicy`,
    ` ${job} `,
  ])("%s is the id of one job", (id) => {
    expect(nameInId(id)).toBe(job);
    expect(nameInId(nameInId(id))).toBe(job);
  });

  test.each(["v1beta1", "v1beta1/j", "version/projects/p/x", "projects/v1/locations/l/migrationJobs/j"])(
    "%s begins with no version of an API",
    (id) => {
      expect(nameInId(id)).toBe(id);
    },
  );

  test("isPolicyPath recognizes the ids of google-native's grants", () => {
    expect(isPolicyPath(`v1beta1/${job}:getIamPolicy`)).toBe(true);
    expect(isPolicyPath(`${job}/roles/viewer/user:getIamPolicy@example.com`)).toBe(false);
  });
});

describe("sameName", () => {
  test.each([
    ["another id", "projects/p/global/networks/m", false],
    ["another project id", "projects/q/global/networks/n", false],
    ["the project's number", "projects/123/global/networks/n", true],
    ["case", "projects/p/global/networks/N", false],
    ["a part more", "projects/p/global/networks/n/x", false],
  ])("%s", (_what, other, same) => {
    expect(sameName("projects/p/global/networks/n", other)).toBe(same);
    expect(sameName(other, "projects/p/global/networks/n")).toBe(same);
  });

  test("different project numbers, and numbers in other parts, are not equal", () => {
    expect(sameName("projects/1/global/networks/n", "projects/2/global/networks/n")).toBe(false);
    expect(sameName("organizations/1/locations/l/x/e", "organizations/acme/locations/l/x/e")).toBe(false);
    expect(sameName("projects/p/global/networks/1", "projects/p/global/networks/n")).toBe(false);
  });
});

test("expectedReference shows every template of a name", () => {
  const endpoint = { kind: "an endpoint", api: "x", templates: [nameTemplate("a/{a}"), nameTemplate("b/{b}")] };
  expect(expectedReference(endpoint)).toBe("an endpoint: a/{a} or b/{b}, or the full URL of one");
});

test("reads and replaces the project of a name, and returns no project for a name without one", () => {
  expect(projectOf("projects/demo/stores/s")).toBe("demo");
  expect(withProject("projects/demo/stores/s", "123")).toBe("projects/123/stores/s");
  expect(projectOf("organizations/1/projects/demo")).toBe("");
  expect(withProject("organizations/1/projects/demo", "123")).toBe("organizations/1/projects/demo");
});
