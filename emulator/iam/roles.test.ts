import { startEmulator, type Emulator } from "..";

const TOPIC = "projects/p/topics/t";
let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ seed: [{ service: "pubsub", name: TOPIC }] });
});
afterAll(() => emulator.stop());

async function post(path: string, body: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${emulator.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const query = (body: object) => post("/v1/roles:queryGrantableRoles", body);
const grant = (role: string) =>
  post(`/v1/${TOPIC}:setIamPolicy`, { policy: { bindings: [{ role, members: ["user:a@example.com"] }] } });

test("the roles that can be granted on a resource are listed in pages", async () => {
  const fullResourceName = `//pubsub.googleapis.com/${TOPIC}`;
  const { body } = await query({ fullResourceName });
  const names = (body.roles as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["roles/pubsub.publisher", "roles/viewer"]));
  const paged: string[] = [];
  for (let pageToken = ""; paged.length < names.length;) {
    const page = (await query({ fullResourceName, pageSize: 4, pageToken, view: "FULL" })).body;
    paged.push(...(page.roles as { name: string }[]).map(({ name }) => name));
    pageToken = (page.nextPageToken as string | undefined) ?? "";
  }
  expect(paged).toEqual(names);
});

test.each(["//compute.googleapis.com/projects/p/zones/z/instances/i", "pubsub/t", ""])(
  "the roles of %p are not known",
  async (fullResourceName) => {
    expect(await query({ fullResourceName })).toMatchObject({
      status: 400,
      body: { error: { status: "INVALID_ARGUMENT" } },
    });
  },
);

test.each([
  ["roles/pubsub.publisher", 200],
  ["roles/pubsub.publischer", 400],
  ["roles/storage.admin", 400],
  ["roles/owner", 200],
  // The emulator has no list of these.
  ["roles/monitoring.viewer", 200],
  ["projects/p/roles/anything", 200],
])("a write of %s on a topic is answered with %d", async (role, status) => {
  const answer = await grant(role);
  expect(answer.status).toBe(status);
  if (status === 400) {
    expect(answer.body).toMatchObject({ error: { message: `Role ${role} is not supported for this resource.` } });
  }
});

test("a role that the policy has already, from a seed, stays", async () => {
  const bindings = [{ role: "roles/pubsub.newer", members: ["user:a@example.com"] }];
  emulator.seed([{ service: "pubsub", name: TOPIC, policy: { bindings } }]);
  expect((await grant("roles/pubsub.newer")).status).toBe(200);
});
