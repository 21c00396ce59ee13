import { projectOf, withProject } from "./cloud-object";

test("reads and replaces the project of a name, and returns no project for a name without one", () => {
  expect(projectOf("projects/demo/stores/s")).toBe("demo");
  expect(withProject("projects/demo/stores/s", "123")).toBe("projects/123/stores/s");
  expect(projectOf("organizations/1/projects/demo")).toBe("");
  expect(withProject("organizations/1/projects/demo", "123")).toBe("organizations/1/projects/demo");
});
