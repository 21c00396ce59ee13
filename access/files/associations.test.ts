import { clientOf } from "../../provider/http/client";
import { associationsIn, locationNamed } from "./associations";

const LOCATION = "projects/demo/locations/us-central1-a";
const IN_LOCATION = `${LOCATION}/firewallEndpointAssociations`;
const byNumber = (id: string) => ({ name: `${IN_LOCATION.replace("demo", "123")}/${id}` });

/** What is listed in a location whose API answers these pages. */
async function listed(location: string, ...pages: object[]) {
  const warnings: string[] = [];
  const client = clientOf("https://networksecurity.test/", () => Promise.resolve({ ...pages.shift() }));
  const names = await associationsIn(locationNamed(location), client, (sentence) => warnings.push(sentence));
  return { names, warnings };
}

test("the associations of all pages are listed, with the user's spelling of the project", async () => {
  const pages = [
    { firewallEndpointAssociations: [byNumber("a")], nextPageToken: "more" },
    { firewallEndpointAssociations: [byNumber("b")] },
  ];
  expect(await listed(LOCATION, ...pages)).toEqual({ names: [`${IN_LOCATION}/a`, `${IN_LOCATION}/b`], warnings: [] });
});

test("a list of all locations has the location of each association", async () => {
  const { names } = await listed("projects/demo/locations/-", { firewallEndpointAssociations: [byNumber("a")] });
  expect(names).toEqual([`${IN_LOCATION}/a`]);
});

test("the locations that the API cannot reach are named", async () => {
  const { warnings } = await listed(LOCATION, { firewallEndpointAssociations: [], unreachable: [LOCATION] });
  expect(warnings).toEqual([expect.stringContaining(`lacks the associations in ${LOCATION}`)]);
});
