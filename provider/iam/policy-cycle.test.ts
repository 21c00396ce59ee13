import { hiddenConditionRefusal } from "./policy-cycle";
import type { Policy } from "./policy";

test("a policy whose conditions the API hid in role names is never written back", () => {
  const read = (role: string): Policy => ({ bindings: [{ role, members: ["user:ada@example.com"] }] });
  const refusal = hiddenConditionRefusal("r", read("roles/viewer_withcond_0123456789abcdef0123"));
  expect(refusal?.message).toContain("conditions of 1 binding");
  expect(hiddenConditionRefusal("r", read("roles/viewer"))).toBeUndefined();
});
