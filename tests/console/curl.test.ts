import { execFileSync } from "node:child_process";
import { curlCommand } from "../../emulator/console/page/curl";
import { fullNameOf, nameParts, resourceOfRequest, splitName } from "../../emulator/console/page/names";
import type { Bodies, RequestRecord } from "../../emulator/console/page/types";

/** What a shell hands to curl when it runs the command. */
function argumentsOf(record: Partial<RequestRecord>, bodies: Bodies | null = null): string[] {
  const whole: RequestRecord = {
    seq: 1,
    time: "2026-01-01T00:00:00Z",
    method: "GET",
    path: "/v1/projects/p/locations/global/scopes/s",
    query: {},
    status: 200,
    authorization: false,
    headers: {},
    bodyBytes: 0,
    ...record,
  };
  const command = curlCommand(whole, bodies, "http://127.0.0.1:8790");
  const shell = `curl() { printf '%s\\0' "$@"; }; ${command}`;
  return execFileSync("sh", ["-c", shell], { encoding: "utf8", env: { TOKEN: "a token" } })
    .split("\0")
    .slice(0, -1);
}

test("copies a read as a plain curl command", () => {
  expect(argumentsOf({})).toEqual(["http://127.0.0.1:8790/v1/projects/p/locations/global/scopes/s"]);
});

test("copies a write with its method, its body, and the headers that affect the response", () => {
  const headers = {
    "content-type": "application/json",
    "x-goog-user-project": "p",
    "user-agent": "x",
    connection: "close",
  };
  expect(argumentsOf({ method: "PATCH", headers, bodyBytes: 9 }, { request: '{"a": 1}' })).toEqual([
    "--request",
    "PATCH",
    "http://127.0.0.1:8790/v1/projects/p/locations/global/scopes/s",
    "--header",
    "content-type: application/json",
    "--header",
    "x-goog-user-project: p",
    "--data-raw",
    '{"a": 1}',
  ]);
});

test("replaces a token by a shell variable, and omits keys in the query", () => {
  const [url, ...options] = argumentsOf({
    authorization: true,
    query: { key: "REDACTED", access_token: "REDACTED", filter: "a b", view: ["1", "2"] },
  });
  expect(url).toBe("http://127.0.0.1:8790/v1/projects/p/locations/global/scopes/s?filter=a+b&view=1&view=2");
  expect(options).toEqual(["--header", "Authorization: Bearer a token"]);
});

test("quotes all texts of a request for the shell and curl", () => {
  const hostile = `'; touch x #$(id)\`id\`"\\!{a,b}[1-3]\n@file`;
  const [globoff, asIs, url, ...options] = argumentsOf(
    {
      path: `/v1/../${hostile}`,
      query: { q: hostile },
      headers: { "x-goog-request-reason": hostile.replace("\n", " "), "x-goog-user-project": "" },
      bodyBytes: 5,
      method: "POST",
    },
    { request: hostile },
  );
  expect([globoff, asIs]).toEqual(["--globoff", "--path-as-is"]);
  expect(url).toBe(`http://127.0.0.1:8790/v1/../${hostile}?${new URLSearchParams({ q: hostile }).toString()}`);
  expect(options).toEqual([
    "--header",
    "x-goog-user-project;",
    "--header",
    `x-goog-request-reason: ${hostile.replace("\n", " ")}`,
    "--header",
    "content-type:",
    "--data-raw",
    hostile,
  ]);
});

test("reads a body that was not stored from a file", () => {
  expect(argumentsOf({ method: "POST", bodyBytes: 100_000, headers: { "content-type": "text/x" } }).slice(-2)).toEqual([
    "--data-binary",
    "@body.json",
  ]);
});

const PLACE = "projects/p/locations/l";
test.each([
  ["GET", `/v1/${PLACE}/gateways/edge`, {}, `${PLACE}/gateways/edge`],
  ["POST", `/apigateway/v1beta/${PLACE}/gateways/edge:setIamPolicy`, {}, `${PLACE}/gateways/edge`],
  ["GET", "/v1/projects/example.com%3Ap/locations/l/scopes/s", {}, "projects/example.com:p/locations/l/scopes/s"],
  ["POST", `/v1/${PLACE}/gateways`, { requestId: "1", gatewayId: "new" }, `${PLACE}/gateways/new`],
  ["POST", `/v1/${PLACE}/gateways`, {}, undefined],
  ["GET", `/v1/${PLACE}/gateways`, {}, undefined],
  ["GET", `/v1/${PLACE}`, {}, undefined],
  ["GET", `/v1/${PLACE}/operations/known`, {}, `${PLACE}/gateways/made`],
  ["GET", `/v1/${PLACE}/operations/unknown`, {}, undefined],
  ["POST", "/v3/projects/p:getIamPolicy", {}, "projects/p"],
  ["POST", "/pubsub/v1/projects/p/topics/t:setIamPolicy", {}, "projects/p/topics/t"],
  ["GET", "/compute/beta/projects/p/global/images/i/getIamPolicy", {}, "projects/p/global/images/i"],
  ["GET", "/storage/v1/b/my-bucket/o/a%2Fb/iam/testPermissions", {}, "b/my-bucket/o/a/b"],
  ["GET", "/v1/organizations/1/roles/auditor", {}, "organizations/1/roles/auditor"],
  ["POST", "/token", {}, undefined],
  ["GET", "/v1/%", {}, undefined],
])("%s %s with %j is about %s", (method, path, query, expected) => {
  const operations = new Map([[`${PLACE}/operations/known`, { target: `${PLACE}/gateways/made` }]]);
  expect(resourceOfRequest({ method, path, query }, operations)).toBe(expected);
});

test.each([
  [`${PLACE}/datasets/clinic/fhirStores/records`, "projects/p", "l", "datasets.fhirStores", "clinic / records"],
  ["projects/p", "projects/p", "", "projects", "p"],
  ["projects/p/roles/auditor", "projects/p", "", "roles", "auditor"],
  ["projects/p/zones/z/instances/i", "projects/p", "z", "instances", "i"],
  ["projects/p/global/images/i", "projects/p", "global", "images", "i"],
  ["b/my-bucket", "b/my-bucket", "", "b", "my-bucket"],
  ["//compute.googleapis.com/projects/p/zones/z/instances/i", "projects/p", "z", "instances", "i"],
])("%s belongs to %s", (name, owner, location, collection, id) => {
  expect(nameParts(name)).toEqual({ owner, location, collection, id });
});

test.each([
  ["pubsub", "projects/p/topics/t", "//pubsub.googleapis.com/projects/p/topics/t"],
  ["bigtableadmin", "projects/p/instances/i", "//bigtable.googleapis.com/projects/p/instances/i"],
] as const)("the full name of %s %s is %s", (service, name, full) => {
  expect(fullNameOf({ service, name })).toBe(full);
  expect(splitName(full)).toEqual({ service, name });
  expect(splitName(name)).toEqual({ name });
});
