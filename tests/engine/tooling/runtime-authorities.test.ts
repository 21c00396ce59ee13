/* eslint-disable @typescript-eslint/no-require-imports */
import { execFileSync } from "node:child_process";
import { trustedAuthorities } from "../../../provider/http/authorities";

test("a test's process trusts the runtime's authorities alone; a process that it starts has the caller's environment", () => {
  const ofChild = () => execFileSync(process.execPath, ["--print", "process.env.SSL_CERT_FILE"], { encoding: "utf8" });
  const before = ofChild();
  process.env.SSL_CERT_FILE = "/nowhere";
  jest.isolateModules(() => require("../../support/runtime-authorities.cjs"));
  expect(trustedAuthorities()).toBeUndefined();
  expect(ofChild()).toBe(before);
});
