import { grantsOf, type Grant, type PolicyLike } from "./grants";
import { accessPictureHtml } from "./html";
import { matrixOf } from "./matrix";
import { compareMembers, memberParts } from "./members";

const forAWhile = { title: "for a while", expression: "request.time < timestamp('2027-01-01T00:00:00Z')" };

/** The grants of a policy, marked as a change leaves them. */
const marked = (grants: readonly Grant[], change: NonNullable<Grant["change"]>): Grant[] =>
  grants.map((grant) => ({ ...grant, change }));

const policy: PolicyLike = {
  bindings: [
    { role: "roles/viewer", members: ["user:ada@example.com", "group:team@example.com"] },
    { role: "roles/viewer", members: ["user:ada@example.com"], condition: forAWhile },
    { role: "roles/editor", members: ["user:ada@example.com"] },
  ],
};

test("a role with and without a condition is two grants; equal grants are one", () => {
  const twice = { bindings: [...(policy.bindings ?? []), { role: "roles/editor", members: ["user:ada@example.com"] }] };
  expect(grantsOf(twice)).toHaveLength(4);
  expect(grantsOf(null)).toEqual([]);
});

test("a matrix has a fixed order of rows and roles, and counts those beyond its limit", () => {
  const options = { rowOf: ({ member }: { member: string }) => member, compareRows: compareMembers };
  const { roles, rows, conditions, total } = matrixOf(grantsOf(policy), { ...options, limit: 1 });
  expect({ roles, total, conditions }).toEqual({
    roles: ["roles/editor", "roles/viewer"],
    total: 2,
    conditions: [forAWhile],
  });
  expect(rows).toEqual([{ key: "group:team@example.com", cells: [[], [{}]] }]);
});

test.each([
  ["allUsers", "allUsers", "everyone on the internet"],
  ["user:ada@example.com", "ada@example.com", "user"],
  ["deleted:user:kim@example.com?uid=123", "kim@example.com", "deleted user"],
  ["something:else", "something:else", "member"],
  ["constructor", "constructor", "member"],
])("the member %s has the name %s and the kind %s", (member, name, kind) => {
  expect(memberParts(member)).toMatchObject({ name, kind });
});

test("the HTML of the picture expresses its colors in words, too", () => {
  const html = accessPictureHtml({
    grants: marked(grantsOf(policy), "added"),
    isCompared: true,
    caption: "Who has access to it",
  });
  expect(html).toContain("added 4 grants");
  expect(html).toContain(">added, under condition 1<");
  expect(html).toContain("for a while");
  expect(accessPictureHtml({ grants: [], caption: "c" })).toContain("Nobody has been granted a role");
  expect(accessPictureHtml({ grants: grantsOf(policy), caption: "c", find: "zoe" })).toContain(
    "No member contains “zoe”.",
  );
});

test("the HTML of the picture escapes every text", () => {
  const hostile = `<script>"'&`;
  const html = accessPictureHtml({
    grants: [
      {
        role: hostile,
        member: hostile,
        condition: { title: hostile, description: hostile, expression: hostile },
        change: "added",
      },
    ],
    auditConfigs: [{ service: hostile, auditLogConfigs: [{ logType: hostile, exemptedMembers: [hostile] }] }],
    isCompared: true,
    caption: hostile,
    memberLink: (member) => `#${member}`,
  });
  expect(html).not.toMatch(/<script|&(?!#\d+;)/);
  expect(html.match(/&#60;/g)?.length).toBeGreaterThanOrEqual(9);
});

describe("the sentence about a comparison counts a grant once if only its condition changes", () => {
  const granted = (member: string, change: "added" | "removed", expression?: string) => ({
    ...{ member, role: "roles/viewer", change },
    ...(expression === undefined ? {} : { condition: { title: "c", expression } }),
  });
  test.each([
    [[granted("user:a", "added")], "adds 1 grant."],
    [[granted("user:a", "removed"), granted("user:b", "removed")], "removes 2 grants."],
    [[granted("user:a", "removed"), granted("user:a", "added", "true")], "changes the condition of 1 grant."],
    [[granted("user:a", "added"), granted("user:b", "removed")], "adds 1 grant and removes 1 grant."],
    [
      [granted("user:a", "removed"), granted("user:a", "removed", "x"), granted("user:a", "added", "y")],
      "removes 1 grant and changes the condition of 1 grant.",
    ],
  ])("%j", (grants, expected) => {
    const html = accessPictureHtml({ grants, isCompared: true, caption: "c", changedBy: "plan" });
    expect(html.replaceAll(/<[^>]*>/g, "")).toContain(`This plan ${expected}`);
  });
});

test("the picture of a plan says that it is a plan; a limit hides unchanged rows before changed rows", () => {
  const [ada, team, ...others] = grantsOf(policy);
  const options = { isCompared: true, caption: "c", changedBy: "plan" } as const;
  const grants = [
    ...marked(
      [ada, team].filter((each) => each !== undefined),
      "added",
    ),
    ...others,
  ];
  expect(accessPictureHtml({ ...options, grants })).toContain(
    'This plan <span class="access-added-text">adds 2 grants</span>.',
  );
  const last = [...grantsOf({ bindings: policy.bindings?.slice(0, 2) }), ...marked(others.slice(-1), "added")];
  const html = accessPictureHtml({ ...options, grants: last, limit: 1 });
  expect(html).toContain('title="user:ada@example.com"');
  expect(html).not.toContain('title="group:team@example.com"');
  expect(html).toContain("1 more are not shown.</p>");
});

test("a folded picture begins with the changed rows, and shows only the roles of its rows", () => {
  const members = [...Array(40).keys()].map((index) => `user:member-${index + 10}@example.com`);
  const stays = { role: "roles/browser", members };
  const rowsOf = (html: string): string[] =>
    [...html.matchAll(/<tr class="[^"]*"><th scope="row"><span class="access-member" title="([^"]*)"/g)].map(
      ([, title = ""]) => title,
    );
  const removed = marked(
    grantsOf({ bindings: [{ role: "roles/viewer", members: ["user:zoe@example.com"] }] }),
    "removed",
  );
  const [first = "", folded = ""] = accessPictureHtml({
    grants: [...grantsOf({ bindings: [stays] }), ...removed],
    isCompared: true,
    caption: "c",
    isFolded: true,
  }).split("<details");
  expect(rowsOf(first)).toEqual(["user:zoe@example.com"]);
  expect(first).toContain('title="roles/viewer"');
  expect(first).not.toContain("roles/browser");
  expect(folded).toContain("<summary>40 unchanged principals</summary>");
  expect(rowsOf(folded)).toEqual(members);

  const all = [...grantsOf({ bindings: [stays] }), ...removed].map(({ change: _, ...grant }) => grant);
  const added = marked(all, "added");
  const allChanged = accessPictureHtml({ grants: added, isCompared: true, caption: "c", isFolded: true });
  expect(rowsOf(allChanged.split("<details")[0] ?? "")).toHaveLength(30);
  expect(allChanged).toContain("<summary>11 more principals with changes</summary>");
  const uncompared = accessPictureHtml({ grants: all, caption: "c", isFolded: true });
  expect(uncompared).toContain("<summary>11 more principals</summary>");
  expect(rowsOf(uncompared)).toHaveLength(41);
});
