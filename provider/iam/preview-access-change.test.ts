import { announcedLoss, firstLines, grantLine, previewAccessChange, type HiddenMembers } from "./preview-access-change";
import { accessChange, type Policy } from "./policy";
import { kindOfMember } from "./member";

function reported(before: Policy, after: Policy, hidden?: HiddenMembers) {
  const said: string[] = [];
  const reporter = {
    status: () => {},
    info: (text: string) => void said.push(`info: ${text}`),
    warning: (text: string) => void said.push(`warning: ${text}`),
  };
  previewAccessChange("projects/p/x", accessChange(before, after), reporter, hidden);
  return said;
}

const viewers = (...members: string[]): Policy => ({ bindings: [{ role: "roles/viewer", members }] });

describe("the report of a preview about access", () => {
  test("a warning names everybody who loses and who gains", () => {
    const [text] = reported(viewers("user:a@x.com", "user:b@x.com"), viewers("user:c@x.com"));
    expect(text).toMatch(/^warning: .*2 principals will lose and 1 principal gain a role/);
    expect(text).toContain("- user:a@x.com roles/viewer");
    expect(text).toContain("- user:b@x.com roles/viewer");
    expect(text).toContain("+ user:c@x.com roles/viewer");
  });

  test("a review can read the number of principals that lose a role from the warning, and nothing from other messages", () => {
    const [warning = ""] = reported(viewers("user:a@x.com", "user:b@x.com"), viewers("user:c@x.com"));
    expect(announcedLoss(warning)).toEqual({ resource: "projects/p/x", principals: 2 });
    const [information = ""] = reported(viewers(), viewers("user:c@x.com"));
    expect(announcedLoss(information)).toBeUndefined();
  });

  test("a principal that loses two roles counts once", () => {
    const twice: Policy = {
      bindings: [
        { role: "roles/viewer", members: ["user:a@x.com"] },
        { role: "roles/editor", members: ["user:A@x.com"] },
      ],
    };
    expect(reported(twice, viewers("user:c@x.com"))[0]).toContain("1 principal will lose");
  });

  test("without losses, it is information and not a warning", () => {
    expect(reported(viewers("user:a@x.com"), viewers("user:a@x.com", "user:c@x.com"))[0]).toMatch(/^info: /);
  });

  test("names the condition of a removed grant", () => {
    const conditional: Policy = {
      bindings: [
        { role: "roles/viewer", members: ["user:a@x.com"], condition: { title: "until-july", expression: "true" } },
      ],
    };
    expect(reported(conditional, viewers("user:a@x.com"))[0]).toContain("- user:a@x.com roles/viewer if until-july");
  });

  test("has at most a screen of lines, and the number of omitted ones", () => {
    const many = viewers(...Array.from({ length: 100 }, (_, index) => `user:u${index}@x.com`));
    const lines = (reported(many, {})[0] as string).split("\n");
    expect(lines.length).toBeLessThan(25);
    expect(lines).toContain("… and 80 more");
  });

  test("is empty if nothing changes; it never shows a secret member", () => {
    expect(reported(viewers("user:A@x.com"), viewers("user:a@x.com"))).toEqual([]);
    const hidden = { members: ["user:Canary@x.com"], others: false };
    const [text] = reported(viewers("user:b@x.com"), viewers("user:canary@x.com"), hidden);
    expect(text).toContain("+ [secret] roles/viewer");
    expect(text).toContain("- user:b@x.com roles/viewer");
    expect(text).not.toContain("canary");
  });

  test("shows only the kinds of all members if the other members are hidden, too", () => {
    const before = viewers("user:canary@x.com", "deleted:user:b@x.com?uid=1", "allUsers");
    const [text] = reported(before, viewers("user:a@x.com"), { members: ["user:a@x.com"], others: true });
    expect(text?.split("\n").slice(1, -1)).toEqual([
      "- user:[secret] roles/viewer",
      "- deleted:user:[secret] roles/viewer",
      "- allUsers roles/viewer",
      "+ [secret] roles/viewer",
    ]);
  });
});

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
