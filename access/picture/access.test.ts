import { comparedGrants, grantsOf, type PolicyLike } from "./grants";
import { accessPictureHtml } from "./html";
import { matrixOf } from "./matrix";
import { compareMembers, memberParts } from "./members";

const forAWhile = { title: "for a while", expression: "request.time < timestamp('2027-01-01T00:00:00Z')" };

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

test("a comparison marks added and removed grants, and a changed condition as both", () => {
  const after: PolicyLike = {
    bindings: [
      { role: "roles/viewer", members: ["user:ada@example.com"] },
      { role: "roles/viewer", members: ["user:ada@example.com"], condition: { ...forAWhile, expression: "true" } },
      { role: "roles/editor", members: ["user:ada@example.com"] },
    ],
  };
  const changes = comparedGrants(after, policy).filter(({ change }) => change !== undefined);
  expect(changes.map(({ change, member, condition }) => [change, member, condition?.expression])).toEqual([
    ["added", "user:ada@example.com", "true"],
    ["removed", "group:team@example.com", undefined],
    ["removed", "user:ada@example.com", forAWhile.expression],
  ]);
  expect(comparedGrants(policy, undefined).every(({ change }) => change === undefined)).toBe(true);
  expect(comparedGrants(policy, null).every(({ change }) => change === "added")).toBe(true);
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
  const html = accessPictureHtml({ policy, before: { bindings: [] }, caption: "Who has access to it" });
  expect(html).toContain("added 4 grants");
  expect(html).toContain(">added, under condition 1<");
  expect(html).toContain("for a while");
  expect(accessPictureHtml({ policy: null, caption: "c" })).toContain("Nobody has been granted a role");
  expect(accessPictureHtml({ policy, caption: "c", find: "zoe" })).toContain("No member contains “zoe”.");
});

test("the HTML of the picture escapes every text", () => {
  const hostile = `<script>"'&`;
  const html = accessPictureHtml({
    policy: {
      bindings: [
        {
          role: hostile,
          members: [hostile],
          condition: { title: hostile, description: hostile, expression: hostile },
        },
      ],
      auditConfigs: [{ service: hostile, auditLogConfigs: [{ logType: hostile, exemptedMembers: [hostile] }] }],
    },
    before: null,
    caption: hostile,
    memberLink: (member) => `#${member}`,
  });
  expect(html).not.toMatch(/<script|&(?!#\d+;)/);
  expect(html.match(/&#60;/g)?.length).toBeGreaterThanOrEqual(9);
});

test("the picture of a plan says that it is a plan; a limit hides unchanged rows before changed rows", () => {
  const options = { policy, before: { bindings: policy.bindings?.slice(1) }, caption: "c", changedBy: "plan" } as const;
  expect(accessPictureHtml(options)).toContain('This plan <span class="access-added-text">adds 2 grants</span>.');
  const html = accessPictureHtml({ ...options, before: { bindings: policy.bindings?.slice(0, 2) }, limit: 1 });
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
  const before = { bindings: [stays, { role: "roles/viewer", members: ["user:zoe@example.com"] }] };
  const [first = "", folded = ""] = accessPictureHtml({
    policy: { bindings: [stays] },
    before,
    caption: "c",
    isFolded: true,
  }).split("<details");
  expect(rowsOf(first)).toEqual(["user:zoe@example.com"]);
  expect(first).toContain('title="roles/viewer"');
  expect(first).not.toContain("roles/browser");
  expect(folded).toContain("<summary>40 unchanged principals</summary>");
  expect(rowsOf(folded)).toEqual(members);

  const allChanged = accessPictureHtml({ policy: before, before: null, caption: "c", isFolded: true });
  expect(rowsOf(allChanged.split("<details")[0] ?? "")).toHaveLength(30);
  expect(allChanged).toContain("<summary>11 more principals with changes</summary>");
  const uncompared = accessPictureHtml({ policy: before, caption: "c", isFolded: true });
  expect(uncompared).toContain("<summary>11 more principals</summary>");
  expect(rowsOf(uncompared)).toHaveLength(41);
});
