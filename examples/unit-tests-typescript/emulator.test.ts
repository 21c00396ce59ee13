import * as perimeter from "pulumi-perimeter";
import { startEmulator, type Emulator } from "pulumi-perimeter/emulator";

/** Lookups against an emulator in this process: real requests and real answers, without an engine. */
let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({
    seed: [
      {
        service: "gkehub",
        name: "projects/demo-project/locations/global/scopes/team-a",
        body: { labels: { tier: "gold" } },
      },
    ],
  });
  Object.assign(process.env, emulator.env, { GOOGLE_PROJECT: "demo-project" });
});
afterAll(() => emulator.stop());

const scope = (scopeId: string) => perimeter.fleet.v1beta.getScope({ location: "global", scopeId });

test("a scope has the labels of the seed", async () => {
  expect((await scope("team-a")).labels).toEqual({ tier: "gold" });
});

test("a scope that is not there is a NotFoundError", async () => {
  await expect(scope("nobody")).rejects.toBeInstanceOf(perimeter.NotFoundError);
});

test("what the cloud does when it fails can be tried", async () => {
  emulator.setFaults([{ match: { id: "gkehub.*.get" }, fault: { status: "PERMISSION_DENIED" } }]);
  await expect(scope("team-a")).rejects.toBeInstanceOf(perimeter.PermissionDeniedError);
});
