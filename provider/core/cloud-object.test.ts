import { projectOf, withProject } from "./cloud-object";

test("a name's project can be read and spelled otherwise; a name without one has none", () => {
  expect(projectOf("projects/demo/stores/s")).toBe("demo");
  expect(withProject("projects/demo/stores/s", "123")).toBe("projects/123/stores/s");
  expect(projectOf("organizations/1/projects/demo")).toBe("");
  expect(withProject("organizations/1/projects/demo", "123")).toBe("organizations/1/projects/demo");
});
