import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { uncheckedConfiguration } from "../../provider/testing/configuration";
import { credentialSource } from "./credentials";

let home: string;
beforeAll(() => {
  home = fs.mkdtempSync(path.join(tmpdir(), "perimeter-credentials-"));
  fs.writeFileSync(path.join(home, "key.json"), JSON.stringify({ type: "service_account" }));
});
afterAll(() => fs.rmSync(home, { recursive: true }));

const of = (given: object, environment: Record<string, string> = {}) =>
  credentialSource(uncheckedConfiguration({ ...given }, { HOME: home, ...environment }));
const KEY = JSON.stringify({ type: "external_account" });

test.each<[string, object, Record<string, string>, string, string | undefined]>([
  ["a token of the stack", { accessToken: "t", credentials: KEY }, {}, "perimeter:accessToken", "access_token"],
  [
    "credentials of the stack before a token of the environment",
    { credentials: KEY },
    { GOOGLE_OAUTH_ACCESS_TOKEN: "t" },
    "perimeter:credentials",
    "external_account",
  ],
  [
    "a token of the environment",
    {},
    { GOOGLE_OAUTH_ACCESS_TOKEN: "t", GOOGLE_CREDENTIALS: KEY },
    "GOOGLE_OAUTH_ACCESS_TOKEN",
    "access_token",
  ],
  ["credentials of the environment", {}, { GOOGLE_CREDENTIALS: KEY }, "GOOGLE_CREDENTIALS", "external_account"],
  ["a type that is no word", {}, { GOOGLE_CREDENTIALS: '{"type": "Secret!"}' }, "GOOGLE_CREDENTIALS", undefined],
  ["nothing", {}, {}, "the metadata server", undefined],
])("%s", (_what, given, environment, source, kind) => {
  expect(of(given, environment)).toEqual({ source, kind });
});

test("files: the file of the variable has priority over gcloud's file", () => {
  const file = path.join(home, "key.json");
  const variable = { source: "GOOGLE_APPLICATION_CREDENTIALS", kind: "service_account" };
  expect(of({}, { GOOGLE_APPLICATION_CREDENTIALS: file })).toEqual(variable);
  const folder = path.join(home, ".config/gcloud");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "application_default_credentials.json"), '{"type": "authorized_user"}');
  expect(of({})).toEqual({ source: "gcloud auth application-default login", kind: "authorized_user" });
  expect(of({}, { GOOGLE_APPLICATION_CREDENTIALS: file })).toEqual(variable);
});
