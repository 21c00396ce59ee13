import { firstLines, grantLine, kindOfMember } from "./grant-lines";

test("a line has the title of the grant's condition, if it has one", () => {
  const grant = { role: "roles/viewer", member: "user:a@x.com" };
  expect(grantLine(grant)).toBe("user:a@x.com roles/viewer");
  expect(grantLine(grant, "[secret]")).toBe("[secret] roles/viewer");
  const condition = { title: "until-july", expression: "true" };
  expect(grantLine({ ...grant, condition })).toBe("user:a@x.com roles/viewer if until-july");
  expect(grantLine({ ...grant, condition: { ...condition, title: "" } })).toMatch(/ if a condition holds$/);
});

test.each([
  ["user:a@x.com", "user:[secret]"],
  ["deleted:user:a@x.com?uid=1", "deleted:user:[secret]"],
  ["principal://iam.googleapis.com/x/subject/s s\ns", "principal:[secret]"],
  ["allUsers", "allUsers"],
])("shows only the kind of %s", (member, shown) => {
  expect(kindOfMember(member)).toBe(shown);
});

test("shows at most twenty lines and the number of omitted ones", () => {
  const lines = Array.from({ length: 21 }, (_, index) => String(index));
  expect(firstLines(lines.slice(1))).toEqual(lines.slice(1));
  expect(firstLines(lines)).toEqual([...lines.slice(0, 20), "… and 1 more"]);
});
