import { comparableMember, memberProblem, sameMember } from "./member";

describe("memberProblem", () => {
  test.each([
    "user:ada@example.com",
    "serviceAccount:robot@p.iam.gserviceaccount.com",
    "group:team@example.com",
    "domain:example.com",
    "serviceAccount:p.svc.id.goog[default/app]",
    "principal://iam.googleapis.com/locations/global/workforcePools/pool/subject/ada",
    "principalSet://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/*",
  ])("accepts %s", (member) => {
    expect(memberProblem(member)).toBeUndefined();
  });

  test.each([
    ["allUsers", "would open the resource to the public"],
    ["allAuthenticatedUsers", "would open the resource to the public"],
    ["deleted:user:ada@example.com?uid=1", "deleted: principals can only be read from policies"],
    ["deleted:serviceAccount:a@b.c?uid=1", "deleted: principals can only be read from policies"],
    ["deleted:group:a@b.c?uid=1", "deleted: principals can only be read from policies"],
    ["ada@example.com", "must be one of user:{emailid}"],
    ["User:ada@example.com", 'did you mean "user"?'],
    ["serviceaccount:a@b.c", 'did you mean "serviceAccount"?'],
    ["principals://x/y", 'did you mean "principal"?'],
    ["principal:x", "must have a host and a path after principal://"],
    ["principalSet://iam.googleapis.com/pools/p/group/data team", "after principalSet://, with %20 for a blank"],
    ["user:ada\u200b@example.com", "must not contain the invisible character U+200B"],
    ["group:\u{e0020}team@example.com", "must not contain the invisible character U+E0020"],
    ["domain:example.com\u00a0", "must not contain the invisible character U+00A0"],
    ["user:ada\u2800@example.com", "must not contain the invisible character U+2800"],
    ["user:ada@example.com\n", "must have an email address after user:"],
    ["user:Calling [toString] on an [Output<T>]\n\nis not supported", "must have an email address after user:"],
    ["principal://x/subject/ada\ufeff", "must not contain the invisible character U+FEFF"],
    ["projectOwner:p", "must be one of"],
    ["user:ada", "must have an email address after user:"],
    ["user:a b@c.d", "must have an email address after user:"],
    ["group:", "must have an email address after group:"],
    ["group:p.svc.id.goog[default/app]", "must have an email address after group:"],
    ["domain:https://example.com", "must name a domain after domain:"],
    ["domain:localhost", "must name a domain after domain:"],
    ["principal://", "must have a host and a path after principal://"],
    ["", "must be one of"],
  ])("refuses %s with the reason", (member, reason) => {
    expect(memberProblem(member)).toContain(reason);
  });
});

test.each([
  ["allUsers", true],
  ["projectViewer:my-project", true],
  ["projectOwner:123", true],
  ["projectViewer:example.com:my-project", true],
  ["projectViewer:projectViewer:my-project", false],
  ["projectViewer:example.com:", false],
  ["projectViewer:", false],
  ["projectViewer:my-project\u200b", false],
])("on any resource, %s is a member: %p", (member, isMember) => {
  expect(memberProblem(member, true) === undefined).toBe(isMember);
});

describe("comparableMember", () => {
  test.each([
    ["user:Ada@Example.com", "user:ada@example.com", true],
    ["domain:Example.COM", "domain:example.com", true],
    ["deleted:user:Ada@b.c?uid=1", "deleted:user:ada@b.c?uid=1", true],
    ["deleted:user:a@b.c?uid=1", "user:a@b.c", false],
    ["user:a@b.c", "group:a@b.c", false],
    ["principal://x/subject/Ada", "principal://x/subject/ada", false],
    ["principalSet://x/A", "principalSet://x/a", false],
    ["deleted:principal://x/A?uid=1", "deleted:principal://x/a?uid=1", false],
    ["allUsers", "allusers", false],
  ])("%s and %s are the same principal: %p", (left, right, same) => {
    expect(sameMember(left, right)).toBe(same);
    expect(comparableMember(comparableMember(left))).toBe(comparableMember(left));
  });
});
