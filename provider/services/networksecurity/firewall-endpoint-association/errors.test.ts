import { ApiError } from "../../../core/errors";
import { explainUpdate } from "./errors";

const refused = (status: string) =>
  new ApiError({ doing: "update the association", request: "PATCH a", resource: "a", status, message: "no" } as never);

test.each([
  ["INVALID_ARGUMENT", ["network"], 'replaceOnChanges to ["network"]'],
  [
    "FAILED_PRECONDITION",
    ["labels", "network", "firewallEndpoint"],
    'replaceOnChanges to ["network", "firewallEndpoint"]',
  ],
])("%s of a change of %j advises a replacement", (status, changed, advice) => {
  const explained = explainUpdate(refused(status), changed);
  expect(explained.message).toContain(advice);
});

test.each([
  ["INVALID_ARGUMENT", ["labels"]],
  ["PERMISSION_DENIED", ["network"]],
])("%s of a change of %j stays as it is: a replacement would not help", (status, changed) => {
  const error = refused(status);
  expect(explainUpdate(error, changed)).toBe(error);
});

test("an error of another kind stays as it is", () => {
  const error = new Error("lost");
  expect(explainUpdate(error, ["network"])).toBe(error);
});
