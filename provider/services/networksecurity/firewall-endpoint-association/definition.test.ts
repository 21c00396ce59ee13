import { UNKNOWN } from "../../../core/unknown";
import { doubtsAbout, labelMap } from "./definition";
import { collides } from "./associations";

const ID = "firewallEndpointAssociationId";

test.each<[string, object, string[]]>([
  ["an id and a zone of the usual form", { [ID]: "prod-1", location: "us-central1-a" }, []],
  ["an id that the server made", { [ID]: "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11", location: "europe-west12-b" }, []],
  ["an id that begins with a digit", { [ID]: "1st", location: "us-central1-a" }, [ID]],
  ["an id that ends with a hyphen", { [ID]: "first-", location: "us-central1-a" }, [ID]],
  ["a place that is no zone", { [ID]: "prod", location: "my-office" }, ["location"]],
  ["both", { [ID]: "1st", location: "my-office" }, [ID, "location"]],
  ["what is not known yet", { [ID]: UNKNOWN, location: UNKNOWN }, []],
])("the warning about %s names the property", (_what, inputs, properties) => {
  const doubts = doubtsAbout(inputs as Parameters<typeof doubtsAbout>[0]);
  expect(doubts.map((each) => each.split(" ")[0])).toEqual(properties);
});

describe("an association and its replacement", () => {
  const network = "projects/p/global/networks/prod";
  const state = { location: "us-central1-a", network, project: "p", [ID]: "prod" };
  test.each<[string, object, boolean]>([
    ["the same name", { network: "projects/p/global/networks/other" }, true],
    ["the same network", { [ID]: "other" }, true],
    ["another name and network", { [ID]: "other", network: "projects/p/global/networks/other" }, false],
    ["another project and network", { project: "q", network: "projects/p/global/networks/other" }, false],
    ["another zone", { location: "us-central1-b" }, false],
    ["another zone, and a network that is not known yet", { location: "us-central1-b", network: UNKNOWN }, false],
    ["a zone that is not known yet", { location: UNKNOWN }, true],
    ["a network that is not known yet", { [ID]: "other", network: UNKNOWN }, true],
    ["a project that is not known yet", { project: UNKNOWN, network: "projects/p/global/networks/other" }, true],
    ["an id that is not known yet", { [ID]: UNKNOWN, network: "projects/p/global/networks/other" }, true],
  ])("%s: whether both can exist at the same time", (_what, change, expected) => {
    const inputs = { ...state, ...change } as unknown as Parameters<typeof collides>[1];
    expect(collides(state as Parameters<typeof collides>[0], inputs)).toBe(expected);
  });

  test("a state without a network does not collide with another name", () => {
    const { network: _network, ...rest } = state;
    const inputs = { ...state, [ID]: "other" } as unknown as Parameters<typeof collides>[1];
    expect(collides(rest as Parameters<typeof collides>[0], inputs)).toBe(false);
  });
});

test.each([
  [64, []],
  [65, ["must have at most 64 labels, has 65"]],
])("%d labels", (count, problems) => {
  const labels = Object.fromEntries(Array.from({ length: count }, (_, at) => [`l${at}`, "x"]));
  const { error } = labelMap().safeParse(labels);
  expect((error?.issues ?? []).map(({ message }) => message)).toEqual(problems);
});
