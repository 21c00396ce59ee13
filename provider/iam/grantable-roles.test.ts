import { SERVICES } from "../core/services";
import { ConnectionError } from "../core/errors";
import type { Values } from "../core/unknown";
import { apiClient, clientOf, type ApiClient } from "../http/client";
import { testCall } from "../testing/call";
import { FakeClock } from "../testing/clock";
import { GrantableRoles, type RoleHolder } from "./grantable-roles";

const STORE: RoleHolder = {
  fullName: "//healthcare.googleapis.com/projects/p/locations/l/datasets/d/fhirStores/f",
  parent: { kind: "a FHIR store", service: SERVICES.healthcare },
};
const OTHER = { ...STORE, fullName: STORE.fullName.replace("fhirStores/f", "fhirStores/g") };
const TOPIC: RoleHolder = {
  fullName: "//pubsub.googleapis.com/projects/p/topics/t",
  parent: { kind: "a topic", service: SERVICES.iam },
};

/** The roles in pages, by the API of the resource, and what was asked. */
function cloud(pages: Record<string, string[][]>) {
  const asked: Values[] = [];
  const client = clientOf("https://iam.googleapis.com/v1/", ({ body = {} }) => {
    asked.push(body);
    const page = Number(body.pageToken ?? 0);
    const [, , host = ""] = String(body.fullResourceName).split("/");
    const all = pages[host] ?? [];
    const roles = (all[page] ?? []).map((name) => ({ name }));
    return Promise.resolve({ roles, ...(page + 1 < all.length ? { nextPageToken: `${page + 1}` } : {}) });
  }) as ApiClient;
  return { asked, roles: new GrantableRoles(() => client) };
}

const call = () => testCall(new FakeClock());
const PAGES = {
  "healthcare.googleapis.com": [
    ["roles/healthcare.fhirStoreAdmin"],
    ["roles/healthcare.fhirStoreViewer", "roles/owner"],
  ],
  "pubsub.googleapis.com": [["roles/pubsub.admin"]],
};

test("names the nearest role in place of one that cannot be granted, from all pages", async () => {
  const { roles } = cloud(PAGES);
  expect(await roles.problem("roles/healthcare.fhirStoreViewr", STORE, call())).toBe(
    'must be a role that can be granted on a FHIR store, got "roles/healthcare.fhirStoreViewr" ' +
      '(did you mean "roles/healthcare.fhirStoreViewer"?)',
  );
  expect(await roles.problem("roles/healthcare.fhirStoreViewer", STORE, call())).toBeUndefined();
});

test("asks once for each kind of resource, also for grants at the same time", async () => {
  const { asked, roles } = cloud(PAGES);
  const of = (on: RoleHolder) => roles.problem("roles/owner", on, call());
  await Promise.all([of(STORE), of(OTHER), of(TOPIC)]);
  await of(OTHER);
  expect(asked.map(({ fullResourceName, pageToken }) => [fullResourceName, pageToken])).toEqual([
    [STORE.fullName, undefined],
    [TOPIC.fullName, undefined],
    [STORE.fullName, "1"],
  ]);
});

test("kinds whose names differ only in an even part have their own roles", async () => {
  const inProject = (collection: string, kind: string): RoleHolder => ({
    fullName: `//compute.googleapis.com/projects/p/global/${collection}/web`,
    parent: { kind, service: SERVICES.iam },
  });
  const template = inProject("instanceTemplates", "an instance template");
  const service = inProject("backendServices", "a backend service");
  const asked: unknown[] = [];
  const client = clientOf("https://iam.googleapis.com/v1/", ({ body: { fullResourceName = "" } = {} }) => {
    asked.push(fullResourceName);
    return Promise.resolve({ roles: [{ name: fullResourceName === service.fullName ? "roles/b" : "roles/a" }] });
  }) as ApiClient;
  const roles = new GrantableRoles(() => client);
  expect(await roles.problem("roles/a", template, call())).toBeUndefined();
  expect(await roles.problem("roles/b", service, call())).toBeUndefined();
  const other = { ...service, fullName: service.fullName.replace("web", "api") };
  expect(await roles.problem("roles/b", other, call())).toBeUndefined();
  expect(asked).toEqual([template.fullName, service.fullName]);
});

test("does not show a secret role, or the one that it resembles", async () => {
  const secret = { ...call(), secret: ["role"] };
  expect(await cloud(PAGES).roles.problem("roles/pubsub.admn", TOPIC, secret)).toBe(
    "must be a role that can be granted on a topic",
  );
});

test("refuses no role of a service of which no role is listed, because the service may not be enabled in the project", async () => {
  const { roles } = cloud(PAGES);
  expect(await roles.problem("roles/dataflow.serviceAgent", TOPIC, call())).toBeUndefined();
  expect(await roles.problem("roles/pubsub.serviceAgent", TOPIC, call())).toContain("can be granted on a topic");
  expect(await roles.problem("roles/ownr", TOPIC, call())).toContain("can be granted on a topic");
});

test("refuses nothing if the list has more than 20 pages, and asks for no more", async () => {
  const pages = Array.from({ length: 21 }, (_, page) => [`roles/pubsub.role${page}`]);
  const long = cloud({ "pubsub.googleapis.com": pages });
  expect(await long.roles.problem("roles/pubsub.admn", TOPIC, call())).toBeUndefined();
  expect(long.asked).toHaveLength(20);
  const whole = cloud({ "pubsub.googleapis.com": pages.slice(0, 20) });
  expect(await whole.roles.problem("roles/pubsub.admn", TOPIC, call())).toContain("can be granted on a topic");
});

test("custom roles pass without a question", async () => {
  const { asked, roles } = cloud(PAGES);
  expect(await roles.problem("projects/p/roles/own", STORE, call())).toBeUndefined();
  expect(asked).toEqual([]);
});

test("refuses nothing where the cloud of the resource has no IAM API, or the API lists no role", async () => {
  expect(await new GrantableRoles(() => undefined).problem("roles/x", STORE, call())).toBeUndefined();
  expect(await cloud({}).roles.problem("roles/x", STORE, call())).toBeUndefined();
});

test("refuses nothing after ten seconds without an answer", async () => {
  const clock = new FakeClock();
  const send = () => Promise.reject(new ConnectionError("nobody is there", { effect: "none", retryable: true }));
  const retry = { maxAttempts: 100, maxElapsed: 600_000, codes: [] };
  const client = apiClient({ baseUrl: "https://iam.googleapis.com/v1/", send, retry });
  const begun = clock.now();
  const roles = new GrantableRoles(() => client);
  expect(await roles.problem("roles/x", STORE, testCall(clock))).toBeUndefined();
  // Another kind would wait as long, so it is not asked for.
  expect(await roles.problem("roles/x", TOPIC, testCall(clock))).toBeUndefined();
  expect(clock.now() - begun).toBeLessThanOrEqual(10_000);
});
