import { FakeCloud } from "../../tests/support/grants-cloud";
import { VirtualClock } from "../../tests/support/grants-clock";
import { testCall } from "../testing/call";
import { addGrant } from "./policy";
import { waitUntilVisible } from "./policy-api";

const STORE = "projects/p/locations/l/stores/s";
const ada = { role: "roles/viewer", member: "user:ada@x.com" };

/** A cloud whose reads follow the text: `+` shows the grant, `-` does not. The last character applies to all later reads. */
function setUp(seen: string) {
  const clock = new VirtualClock();
  const cloud = new FakeCloud(clock);
  let reads = 0;
  cloud.policy = () => (seen.charAt(Math.min(reads++, seen.length - 1)) === "+" ? addGrant({}, ada) : {});
  const warnings: string[] = [];
  const call = testCall(clock);
  call.reporter.warning = (text) => void warnings.push(text);
  return { clock, cloud, call, warnings };
}

describe("waiting until a grant is visible", () => {
  test.each([
    ["+", 3],
    ["---+", 6],
    ["+-++-+", 8],
  ])("with reads that see %s, ends after three in a row, which takes %i reads", async (seen, reads) => {
    const { clock, cloud, call, warnings } = setUp(seen);
    await clock.until(waitUntilVisible(cloud.target(STORE), ada, call));
    expect(cloud.count("getIamPolicy")).toBe(reads);
    expect(warnings).toEqual([]);
  });

  test("ends after two minutes with a warning", async () => {
    const { clock, cloud, call, warnings } = setUp("-");
    const began = clock.now();
    await clock.until(waitUntilVisible(cloud.target(STORE), ada, call));
    expect(clock.now() - began).toBeLessThanOrEqual(120_000);
    expect(warnings[0]).toContain("was made, but is not yet visible");
  });

  test("a failed read gives a warning and no error, because the grant was made", async () => {
    const { clock, cloud, call, warnings } = setUp("-");
    cloud.request = () => Promise.reject(new Error("denied"));
    await clock.until(waitUntilVisible(cloud.target(STORE), ada, call));
    expect(warnings[0]).toContain("was made, but it is unknown whether it is visible: denied");
  });
});
