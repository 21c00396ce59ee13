import { reviewedGrant } from "./grants";

test("a grant keeps the description of its condition, and has none where the policy has an empty one", () => {
  const condition = { title: "nights", expression: "true" };
  const grant = { role: "roles/viewer", member: "user:ada@example.com" };
  const of = (description: string) => reviewedGrant({ ...grant, condition: { ...condition, description } }).condition;
  expect(of("night shifts")).toEqual({ ...condition, description: "night shifts" });
  expect(of("")).toEqual(condition);
});
