import { answerWith, byEffect } from "../../tests/support/answers";
import fc from "fast-check";
import { change, review, STORE, VIEWER } from "../../tests/support/unjudged";
import type { AccessChanged, Found } from "../result/result";
import { principalText } from "../result/sentences";
import { judge as verdictBy, judged, unusedAllowances } from "./judge";
import type { ReviewPolicy, Rules } from "./rules";

const judge = (...[found, rules]: Parameters<typeof verdictBy>) => byEffect(verdictBy(found, rules));

const ADMIN = "roles/healthcare.fhirStoreAdmin";
const condition = { title: "until May", expression: 'request.time < timestamp("2027-05-01T00:00:00Z")' };

const policy = (rules: Omit<ReviewPolicy, "version">): Rules => ({ policy: { version: 1, ...rules } });
const unreadable = { unknown: [{ code: "unreadable policy" as const, message: "The policy could not be read." }] };

describe("the exit code without rules", () => {
  test.each<[string, Found, number]>([
    ["nothing changes", review([]), 0],
    ["somebody gains", review([change("gained")]), 0],
    ["somebody loses", review([change("lost")]), 2],
    ["a grant gets a condition", review([change("condition", { conditionBefore: null, condition })]), 2],
    ["a grant gets another condition", review([change("condition", { conditionBefore: condition, condition })]), 2],
    ["a grant is at all times now", review([change("condition", { conditionBefore: condition })]), 0],
    [
      "an empty condition counts as none",
      review([change("condition", { condition: { title: "", expression: "" } })]),
      0,
    ],
    ["a policy is not readable", review([], unreadable), 3],
    ["something of no resource is not known", review([], {}, unreadable), 3],
    ["somebody loses, and something is not known", review([change("lost")], unreadable), 2],
    ["a step is refused", review([], {}, { refused: [{ step: "urn", reason: "A lock-out." }] }), 2],
    ["an expired grant is removed", review([change("lost", { gaveNoAccess: "expired" })]), 0],
    ["the grant of a deleted principal is removed", review([change("lost", { gaveNoAccess: "deleted" })]), 0],
    [
      "somebody loses, and steps of the plan are missing",
      review([change("lost")], {}, { unknown: [{ code: "incomplete plan", message: "The preview failed." }] }),
      3,
    ],
  ])("%s", (_, result, expected) => {
    expect(judge(result, {}).exitCode).toBe(expected);
  });
});

test("a violation names the rule, the resource and the principal", () => {
  expect(judge(review([change("lost")]), {}).violations).toEqual([
    {
      rule: "loss",
      message: `user:ada@example.com loses ${VIEWER} on ${STORE}.`,
      principal: "user:ada@example.com",
      role: VIEWER,
      resource: STORE,
      finding: { number: 0, kind: "lost", api: "healthcare", steps: [] },
    },
  ]);
});

test("a violation carries what it is about, and each finding has the number of its violations", () => {
  const [urn, grant] = ["urn:pulumi:dev::shop::a:b:C::c", { role: VIEWER, members: ["user:kept@example.com"] }];
  const policy = {
    version: 1 as const,
    gains: "fail" as const,
    unmanaged: "warn" as const,
    forbiddenRoles: [{ roles: [VIEWER], principals: ["user:kept@example.com"], alsoExisting: true, reason: "no" }],
    conditionRequired: [{ roles: [VIEWER], principals: ["user:kept@example.com"], alsoExisting: true, reason: "no" }],
  };
  const found = review(
    [
      change("lost", { steps: [urn] }),
      change("gained", { principal: "user:bob@example.com" }),
      change("condition", { condition, conditionBefore: null }),
    ],
    {
      after: [grant],
      unmanaged: [{ principal: "user:kept@example.com", role: VIEWER }],
      unknown: [{ code: "unreadable policy", message: "no", step: urn }],
    },
    {
      operation: "access",
      refused: [{ step: urn, resource: STORE, reason: "no" }],
      unknown: [{ code: "secret", message: "no" }],
    },
  );
  const { resources, refused, unknown, ...answer } = judged(found, { policy });
  const verdict = byEffect(answer.verdict);
  const [resource] = resources;
  expect(resource?.changes.map(({ finding }) => finding)).toEqual([0, 1, 2]);
  expect([resource?.unknown[0], refused[0], unknown[0]].map((each) => each?.finding)).toEqual([3, 4, 5]);
  const api = "healthcare";
  expect(verdict.violations.map(({ rule, finding }) => [rule, finding])).toEqual([
    ["loss", { number: 0, kind: "lost", api, steps: [urn] }],
    ["loss", { number: 2, kind: "condition", api, steps: [] }],
    ["gain", { number: 1, kind: "gained", api, steps: [] }],
    ["forbiddenRoles[0]", { number: 6, kind: "kept", api, steps: [] }],
    ["conditionRequired[0]", { number: 6, kind: "kept", api, steps: [] }],
    ["refused", { number: 4, kind: "refused", api, steps: [urn] }],
    ["unknown", { number: 3, kind: "unknown", api, steps: [urn] }],
    ["unknown", { number: 5, kind: "unknown", steps: [] }],
  ]);
  expect(verdict.warnings?.map(({ finding }) => finding)).toEqual([{ number: 7, kind: "unmanaged", api, steps: [] }]);
});

test("the same sentence about two clouds is two violations", () => {
  const [first] = review([change("lost")]).resources;
  const resources = first ? [first, { ...first, endpoint: "http://127.0.0.1:1/" }] : [];
  const { violations } = judge({ ...review([]), resources }, {});
  expect(violations.map(({ message, finding }) => [message === violations[0]?.message, finding?.number])).toEqual([
    [true, 0],
    [true, 1],
  ]);
});

describe("--allow-loss", () => {
  test.each([
    ["user:ADA@Example.com", 0],
    [VIEWER, 0],
    [STORE, 0],
    [`//healthcare.googleapis.com/${STORE}`, 0],
    ["user:bob@example.com", 2],
    ["user:*@example.com", 2],
    ["roles/healthcare", 2],
  ])("%s: exit code %i", (value, expected) => {
    const verdict = judge(review([change("lost")]), { allowLoss: [value] });
    expect(verdict.exitCode).toBe(expected);
    expect(verdict.allowed).toEqual(
      expected === 0 ? [`user:ada@example.com loses ${VIEWER} on ${STORE}. Allowed by --allow-loss ${value}.`] : [],
    );
  });

  test("a value that matches nothing in the review is reported", () => {
    const after = [{ role: ADMIN, members: ["group:admins@example.com"] }];
    const allowLoss = ["user:adda@example.com", VIEWER, STORE, "group:admins@example.com"];
    expect(
      unusedAllowances(answerWith(review([change("lost")], { after })), { allowLoss, allowGain: [STORE, "user:bo"] }),
    ).toEqual(["--allow-loss user:adda@example.com", "--allow-gain user:bo"]);
  });

  test("the placeholder of a secret matches no pattern of a name", () => {
    const hidden = review([change("lost", { principal: "user:[secret]", hidden: "secret" })]);
    expect(judge(hidden, { allowLoss: ["user:[secret]"] }).exitCode).toBe(2);
    expect(judge(hidden, { allowLoss: [VIEWER] }).exitCode).toBe(0);
  });
});

describe("the policy file", () => {
  const reason = "because";

  test("allowLoss applies only if all of its properties match", () => {
    const loss = review([change("lost")]);
    const rule = { principals: ["user:*@example.com"], roles: ["roles/*Viewer"], reason };
    expect(judge(loss, policy({ allowLoss: [rule] }))).toEqual({
      exitCode: 0,
      violations: [],
      allowed: [`user:ada@example.com loses ${VIEWER} on ${STORE}. Allowed by allowLoss[0]: because`],
    });
    expect(judge(loss, policy({ allowLoss: [{ ...rule, resources: ["projects/q/*"] }] })).exitCode).toBe(2);
  });

  test("protected principals may not lose access, even if a rule allows the loss", () => {
    const rules = policy({ protectedPrincipals: [{ principals: ["user:ADA@*"], reason }] });
    const verdict = judge(review([change("lost")]), { ...rules, allowLoss: [STORE] });
    expect(verdict).toMatchObject({
      exitCode: 2,
      violations: [{ rule: "protectedPrincipals[0]", reason }],
      allowed: [],
    });
    expect(judge(review([change("gained")]), rules).exitCode).toBe(0);
  });

  test("mayGain allows the gains that it names, and no others", () => {
    const rules = policy({ mayGain: [{ principals: ["group:*@example.com"], roles: ["*"], reason }] });
    expect(judge(review([change("gained", { principal: "group:a@example.com" })]), rules).exitCode).toBe(0);
    expect(judge(review([change("gained")]), rules)).toMatchObject({ exitCode: 2, violations: [{ rule: "mayGain" }] });
    expect(judge(review([change("lost")]), rules).violations.map(({ rule }) => rule)).toEqual(["loss"]);
    const wider = change("condition", { conditionBefore: condition });
    expect(judge(review([wider]), rules).violations.map(({ rule }) => rule)).toEqual(["mayGain"]);
    const narrower = change("condition", { conditionBefore: null, condition });
    expect(judge(review([narrower]), { ...rules, allowLoss: [STORE] }).exitCode).toBe(0);
  });

  test("mayGain takes a secret principal only by *", () => {
    const secret = review([change("gained", { principal: "user:[secret]", hidden: "secret" })]);
    const allowing = (pattern: string) => policy({ mayGain: [{ principals: [pattern], roles: ["*"], reason }] });
    expect(judge(secret, allowing("user:*")).exitCode).toBe(2);
    expect(judge(secret, allowing("*")).exitCode).toBe(0);
  });

  test("a granted forbidden role is a violation; an existing one is a violation only with alsoExisting", () => {
    const rule = { roles: ["roles/*Admin"], reason };
    const rules = policy({ forbiddenRoles: [rule] });
    const gained = judge(review([change("gained", { role: ADMIN })]), rules);
    expect(gained).toMatchObject({ exitCode: 2, violations: [{ rule: "forbiddenRoles[0]", reason, role: ADMIN }] });
    expect(judge(review([change("lost", { role: ADMIN })]), { ...rules, allowLoss: [ADMIN] }).exitCode).toBe(0);
    const there = review([], { after: [{ role: ADMIN, members: ["user:bob@example.com"] }] });
    expect(judge(there, rules).exitCode).toBe(0);
    expect(judge(there, policy({ forbiddenRoles: [{ ...rule, alsoExisting: true }] })).violations).toMatchObject([
      { message: `user:bob@example.com has ${ADMIN} on ${STORE}, and keeps it. This role is forbidden.` },
    ]);
  });

  test("a gained role is reported once, also with alsoExisting", () => {
    const both = review([change("gained", { role: ADMIN })], {
      after: [{ role: ADMIN, members: ["user:ada@example.com"] }],
    });
    const rules = policy({ forbiddenRoles: [{ roles: [ADMIN], alsoExisting: true, reason }] });
    expect(judge(both, rules).violations).toHaveLength(1);
  });

  test("of two grants of one role to one member, the kept one is a violation beside the changed one", () => {
    const members = ["user:ada@example.com"];
    const after = [
      { role: ADMIN, members },
      { role: ADMIN, members, condition },
    ];
    const both = review([change("gained", { role: ADMIN, condition })], { after });
    const rules = policy({ forbiddenRoles: [{ roles: [ADMIN], alsoExisting: true, reason }] });
    expect(judge(both, rules).violations.map(({ message }) => message)).toEqual([
      expect.stringContaining("gains"),
      expect.stringContaining("keeps it"),
    ]);
  });

  test("a role that needs a condition is a violation without one", () => {
    const rules = policy({ conditionRequired: [{ roles: [VIEWER], reason }] });
    expect(judge(review([change("gained")]), rules)).toMatchObject({
      violations: [{ rule: "conditionRequired[0]", reason }],
    });
    expect(judge(review([change("gained", { condition })]), rules).exitCode).toBe(0);
    expect(judge(review([change("condition", { conditionBefore: condition })]), rules).exitCode).toBe(2);
  });

  describe("gains if the policy requires allowances", () => {
    const gained = review([change("gained")]);
    const subject = `user:ada@example.com gains ${VIEWER} on ${STORE}.`;

    test.each([
      ["--no-new-access", { noNewAccess: true }],
      ["--no-new-access before gains: allow", { noNewAccess: true, ...policy({ gains: "allow" }) }],
      ["gains: fail", policy({ gains: "fail" })],
    ])("%s", (_, rules: Rules) => {
      expect(judge(gained, rules)).toMatchObject({ exitCode: 2, violations: [{ rule: "gain", message: subject }] });
      for (const name of ["user:ADA@example.com", VIEWER, STORE]) {
        const verdict = judge(gained, { ...rules, allowGain: [name] });
        expect(verdict).toMatchObject({ exitCode: 0, allowed: [`${subject} Allowed by --allow-gain ${name}.`] });
      }
      expect(judge(gained, { ...rules, allowLoss: [STORE] }).exitCode).toBe(2);
      const wider = review([change("condition", { conditionBefore: condition })]);
      expect(judge(wider, rules).violations.map(({ rule }) => rule)).toEqual(["gain"]);
    });

    test("mayGain has the same allowances as `gains: fail`", () => {
      const mayGain = [{ principals: ["user:*"], roles: ["roles/healthcare.*"], reason }];
      expect(judge(gained, policy({ gains: "fail", mayGain }))).toMatchObject({
        exitCode: 0,
        allowed: [`${subject} Allowed by mayGain[0]: because`],
      });
      expect(judge(gained, { ...policy({ mayGain: [] }), allowGain: [VIEWER] }).exitCode).toBe(0);
    });

    test("are allowed by default; other rules still apply to them", () => {
      expect(judge(gained, policy({ gains: "allow" })).exitCode).toBe(0);
      const rules = policy({ forbiddenRoles: [{ roles: [VIEWER], reason }] });
      expect(judge(gained, { ...rules, noNewAccess: true, allowGain: [VIEWER] }).exitCode).toBe(2);
    });
  });

  describe("unmanaged", () => {
    const grant = { principal: "user:eve@example.com", role: VIEWER };
    const agent = "serviceAccount:service-12@gcp-sa-pubsub.iam.gserviceaccount.com";
    const found = (more: Partial<Found> = {}) =>
      review([], { unmanaged: [grant, { ...grant, principal: agent }] }, { operation: "access", ...more });
    const allowUnmanaged = [{ principals: ["google-service-agents"], reason }];

    test("fail: each unmanaged grant on the stack's resources is a violation, unless it is allowed", () => {
      const verdict = judge(found(), policy({ unmanaged: "fail", allowUnmanaged }));
      expect(verdict).toMatchObject({
        exitCode: 2,
        violations: [{ rule: "unmanaged", ...grant, resource: STORE }],
      });
      const all = [...allowUnmanaged, { roles: [VIEWER], resources: ["projects/p/*"], reason }];
      expect(judge(found(), policy({ unmanaged: "fail", allowUnmanaged: all })).exitCode).toBe(0);
    });

    test("warn: unmanaged grants are warnings, and the exit code is 0", () => {
      const verdict = judge(found(), policy({ unmanaged: "warn", allowUnmanaged }));
      expect(verdict).toMatchObject({ exitCode: 0, violations: [], warnings: [{ rule: "unmanaged", ...grant }] });
      expect(judge(found(), policy({}))).not.toHaveProperty("warnings");
    });

    test("does not apply to a plan; no exception matches a hidden principal", () => {
      expect(judge(found({ operation: "update" }), policy({ unmanaged: "fail" })).exitCode).toBe(0);
      const hidden = review(
        [],
        { unmanaged: [{ ...grant, principal: "user:[secret]", hidden: "secret" }] },
        { operation: "access" },
      );
      expect(judge(hidden, policy({ unmanaged: "fail", allowUnmanaged })).exitCode).toBe(2);
    });
  });

  test("unknown: allow accepts unknown facts", () => {
    expect(judge(review([], unreadable), policy({ unknown: "allow" })).exitCode).toBe(0);
    expect(judge(review([], unreadable), policy({ unknown: "fail" })).exitCode).toBe(3);
  });
});

describe("a rule that forbids cannot be evaded", () => {
  const reason = "because";
  const BY_NUMBER = STORE.replace("projects/p/", "projects/123456/");
  const on = (resource: string, changes: AccessChanged[]) => review(changes, { resource });
  const forbidding = (resources: string[]) => policy({ forbiddenRoles: [{ roles: [VIEWER], resources, reason }] });

  test.each([
    ["its id", "projects/example-prod/*", BY_NUMBER, 3],
    ["a pattern of ids", "projects/example-*", BY_NUMBER, 3],
    ["a pattern of whole names", "*/example-prod/*/records", BY_NUMBER, 3],
    ["its id, and the resource is another", "projects/example-prod/*/journal", BY_NUMBER, 0],
    ["another number", "projects/654321/*", BY_NUMBER, 0],
    ["its number", "projects/123456/*", STORE, 3],
    ["another id", "projects/example-prod/*", STORE, 0],
  ])("by the project's other name, if the rule names the project by %s", (_what, pattern, resource, expected) => {
    const verdict = judge(on(resource, [change("gained")]), forbidding([pattern]));
    expect(verdict.exitCode).toBe(expected);
    const [form, other] = resource === STORE ? ["id", "number"] : ["number", "id"];
    const doubt = expect.stringMatching(
      `It is unknown whether the rule applies: projects/\\w+ has the ${form} of the project, and the rule may have its ${other}\\.$`,
    );
    if (expected === 3) {
      expect(verdict.violations).toMatchObject([{ rule: "forbiddenRoles[0]", unsure: true, message: doubt }]);
    }
  });

  test("by the project's other name, for protected principals and required conditions", () => {
    const resources = ["projects/example-prod/*"];
    const protectedPrincipals = [{ principals: ["user:ada@*"], resources, reason }];
    const lost = judge(on(BY_NUMBER, [change("lost")]), { ...policy({ protectedPrincipals }), allowLoss: [VIEWER] });
    expect(lost).toMatchObject({ exitCode: 3, violations: [{ rule: "protectedPrincipals[0]" }], allowed: [] });
    const notAllowed = judge(on(BY_NUMBER, [change("lost")]), policy({ protectedPrincipals }));
    expect(notAllowed).toMatchObject({
      exitCode: 2,
      violations: [{ rule: "loss" }, { rule: "protectedPrincipals[0]" }],
    });
    const conditionRequired = [{ roles: [VIEWER], resources, reason, alsoExisting: true }];
    const kept = review([], { resource: BY_NUMBER, after: [{ role: VIEWER, members: ["user:bob@example.com"] }] });
    expect(judge(kept, policy({ conditionRequired })).violations).toMatchObject([{ rule: "conditionRequired[0]" }]);
  });

  test("but a rule that allows matches only the exact name", () => {
    const rule = { principals: ["*"], roles: ["*"], resources: ["projects/example-prod/*"], reason };
    expect(judge(on(BY_NUMBER, [change("gained")]), policy({ mayGain: [rule] })).exitCode).toBe(2);
    expect(judge(on(BY_NUMBER, [change("lost")]), policy({ allowLoss: [rule] })).exitCode).toBe(2);
    const byId = STORE.replace("projects/p/", "projects/example-prod/");
    expect(judge(on(BY_NUMBER, [change("lost")]), { allowLoss: [byId] }).exitCode).toBe(2);
  });

  test("by a principal whose name contains the text of a placeholder", () => {
    const principal = "principal://iam.googleapis.com/pools/p/subject/[secret]";
    const forbiddenRoles = [{ roles: ["*"], principals: ["principal://*"], reason }];
    const gained = review([change("gained", { principal })]);
    expect(judge(gained, policy({ forbiddenRoles })).exitCode).toBe(2);
    expect(judge(gained, policy({ mayGain: [{ principals: ["principal://*"], roles: ["*"], reason }] })).exitCode).toBe(
      0,
    );
    expect(judge(review([change("lost", { principal })]), { allowLoss: [principal] }).exitCode).toBe(0);
  });

  test.each([
    ["user:[secret]", "user:ada@example.com", 2],
    ["user:[secret]", "group:*", 0],
    ["[secret]", "group:admins@example.com", 2],
    ["[known after the update]", "group:admins@example.com", 2],
  ])("by a hidden principal: %s, if the rule names %s", (principal, pattern, expected) => {
    const hidden = principal.includes("known") ? ("known after the update" as const) : ("secret" as const);
    const protectedPrincipals = [{ principals: [pattern], reason }];
    const lost = review([change("lost", { principal, hidden })]);
    const verdict = judge(lost, { ...policy({ protectedPrincipals }), allowLoss: [VIEWER] });
    expect([verdict.exitCode, verdict.allowed.length]).toEqual([expected, expected === 0 ? 1 : 0]);
    if (expected === 2) {
      expect(verdict.violations[0]?.message).toMatch(
        /protected\. It is unknown whether the rule applies: the plan does not/,
      );
    }
    const forbidden = policy({
      unknown: "allow",
      forbiddenRoles: [{ roles: [VIEWER], principals: [pattern], reason }],
    });
    expect(judge(review([change("gained", { principal, hidden })]), forbidden).exitCode).toBe(expected);
  });

  test.each([
    ["true", 2],
    [" ( true ) // request.time", 2],
    ["1 == 1", 2],
    ["'request.time' != \"resource.name\"", 2],
    ["r'\\' != ' request.time '", 2],
    ['request.time < timestamp("2027-05-01T00:00:00Z") || true', 2],
    ["", 2],
    ['request.time < timestamp("2027-05-01T00:00:00Z")', 0],
    ["resource.name.startsWith('a') || resource.name.startsWith(\"b||c\")", 0],
    ["api.getAttribute('iam.googleapis.com/modifiedGrantsByRole', []).hasOnly(['a'])", 0],
    ["destination.port == 22", 0],
    ["'a' in request.auth.access_levels", 0],
    ["compute.isForwardingRuleCreationOperation()", 0],
    ["[1].all(x, x == 1)", 2],
    ["request.time.getHours() < 24", 2],
    ["[secret]", 2],
    // It is not constant; whether it refuses anything is not decided.
    ["resource.name != ''", 0],
    ["resource.name == resource.name", 0],
    [`resource.name == "${STORE}"`, 0],
    ["!(resource.name == 'a' && false)", 2],
    ["resource.name == 'a' ? true : true", 2],
  ])("by a constant condition: %s", (expression, expected) => {
    const gained = review([change("gained", { condition: { title: "t", expression } })]);
    expect(judge(gained, policy({ conditionRequired: [{ roles: [VIEWER], reason }] })).exitCode).toBe(expected);
  });

  test.each([
    ["signs", `${"!".repeat(6000)}false`],
    ["joined parts", Array(6000).fill("resource.name == 'a'").join(" && ")],
  ])("by a condition that is too large to be read: 6,000 %s", (_, expression) => {
    const gained = review([change("gained", { condition: { title: "t", expression } })]);
    expect(judge(gained, policy({ conditionRequired: [{ roles: [VIEWER], reason }] })).violations).toMatchObject([
      {
        message: expect.stringContaining("It cannot be decided whether this one is: it is nested more than 250 deep"),
      },
    ]);
  });

  test("by a condition with a bound in the past", () => {
    const expression = 'request.time > timestamp("2026-01-01T00:00:00Z")';
    const gained = review([change("gained", { condition: { title: "t", expression } })]);
    const messageAt = (now: string) =>
      judge(gained, { ...policy({ conditionRequired: [{ roles: [VIEWER], reason }] }), now: Date.parse(now) })
        .violations[0]?.message;
    expect(messageAt("2025-12-31T00:00:00Z")).toBeUndefined();
    expect(messageAt("2026-01-02T00:00:00Z")).toContain(
      "This role needs a condition that is not constant. This one always holds.",
    );
  });

  test.each([
    ["in time", 'request.time < timestamp("2027-03-01T00:00:00Z")', undefined],
    ["long ago", 'request.time < timestamp("2020-01-01T00:00:00Z")', undefined],
    ["in time, and only for some names", `resource.name == "a" && request.time.getFullYear() < 2027`, undefined],
    ["too late", 'request.time < timestamp("2027-05-01T00:00:00Z")', "This one ends on 2027-05-01T00:00:00Z."],
    ["never", 'resource.name == "a"', "This one sets no end."],
    [
      "at an unknown time",
      "request.time < timestamp(resource.name)",
      "It is unknown when this one ends: request.time < timestamp(resource.name) cannot be read.",
    ],
    ["never, because it has no expression", "", ""],
    ...[
      "true",
      "resource.name != ''",
      "resource.name == resource.name",
      "!(resource.name == 'a' && false)",
      "(resource.name == 'a' ? true : true)",
      'request.time > timestamp("2000-01-01T00:00:00Z")',
      "request.time.getFullYear() > 2000",
      "request.time.getHours() < 24",
      "1 == 1",
    ].map((always): [string, string, string] => [
      `never, because of ${always}`,
      `request.time < timestamp("2027-03-01T00:00:00Z") || ${always}`,
      "This one sets no end.",
    ]),
    [
      "at an unknown time, because it is nested too deep",
      `${"!!".repeat(3000)}(request.time < timestamp("2027-03-01T00:00:00Z"))`,
      "It is unknown when this one ends: !!",
    ],
  ])("by a condition that ends %s, with `within`", (_, expression, problem) => {
    const now = Date.parse("2026-12-15T00:00:00Z");
    const grant = { principal: "user:ada@example.com", role: VIEWER, condition: { title: "t", expression } };
    const after = [{ role: VIEWER, members: [grant.principal], condition: grant.condition }];
    for (const alsoExisting of [false, true]) {
      const rules = policy({ conditionRequired: [{ roles: [VIEWER], within: "90d", alsoExisting, reason }] });
      const result = alsoExisting ? review([], { after }) : review([change("gained", grant)]);
      const needed = "This role needs a condition that ends within 90 days.";
      expect(judge(result, { ...rules, now }).violations.map(({ message }) => message)).toEqual(
        problem === undefined ? [] : [expect.stringContaining(`${needed}${problem && " "}${problem}`)],
      );
    }
  });

  test("the verdict names the file of the rules", () => {
    const rules = { version: 1 as const };
    expect(judge(review([]), { files: [{ file: ".perimeter-review.yaml", policy: rules }] }).rules).toBe(
      ".perimeter-review.yaml",
    );
    expect(judge(review([]), { policy: rules })).not.toHaveProperty("rules");
    expect(judge(review([]), {}).rules).toBeNull();
  });
});

describe("for any review", () => {
  const principal = fc.constantFrom("user:ada@example.com", "user:ADA@example.com", "group:g@example.com", "allUsers");
  const role = fc.constantFrom(VIEWER, ADMIN);
  const conditions = fc.option(fc.constantFrom(condition, { title: "", expression: "" }), { nil: undefined });
  const changes = fc.array(
    fc.record({
      principal,
      role,
      change: fc.constantFrom("gained" as const, "lost" as const, "condition" as const),
      condition: conditions,
      conditionBefore: fc.option(conditions, { nil: null }),
      steps: fc.constant<string[]>([]),
    }),
    { maxLength: 4 },
  );
  const results = fc
    .record({ changes, isUnreadable: fc.boolean(), isRefused: fc.boolean() })
    .map(({ changes, isUnreadable, isRefused }) =>
      review(
        changes,
        isUnreadable ? unreadable : {},
        isRefused ? { refused: [{ step: "urn", reason: "A lock-out." }] } : {},
      ),
    );
  const allowance = fc.oneof(principal, role, fc.constantFrom(STORE, "nothing"));
  const globs = fc.uniqueArray(fc.constantFrom("*", "user:*", "group:g@example.com", "roles/*Admin"), { minLength: 1 });
  const lossRule = fc.record({ principals: globs, reason: fc.constant("r") });
  const gainRule = fc.record({ principals: globs, roles: fc.constant<string[]>(["*"]), reason: fc.constant("r") });
  const roleRule = fc.record({ roles: globs, alsoExisting: fc.boolean(), reason: fc.constant("r") });
  const policies = fc.record(
    {
      version: fc.constant(1 as const),
      mayGain: fc.array(gainRule, { maxLength: 2 }),
      protectedPrincipals: fc.array(lossRule, { maxLength: 2 }),
      forbiddenRoles: fc.array(roleRule, { maxLength: 2 }),
      allowLoss: fc.array(lossRule, { maxLength: 2 }),
      unknown: fc.constantFrom("fail" as const, "allow" as const),
    },
    { requiredKeys: ["version"] },
  );
  /** From the best to the worst: what is known to be lost is worse than what is not known. */
  const rank = (code: number) => [0, 3, 2].indexOf(code);

  test("more allowances never make the exit code worse", () => {
    fc.assert(
      fc.property(
        results,
        fc.array(allowance),
        fc.array(allowance),
        policies,
        lossRule,
        (result, few, more, file, rule) => {
          const before = judge(result, { allowLoss: few, policy: file });
          const after = judge(result, {
            allowLoss: [...few, ...more],
            policy: { ...file, allowLoss: [...(file.allowLoss ?? []), rule] },
          });
          expect(rank(after.exitCode)).toBeLessThanOrEqual(rank(before.exitCode));
        },
      ),
    );
  });

  test("exit code 0 means that each loss is allowed by name, and that there is no violation", () => {
    fc.assert(
      fc.property(results, fc.array(allowance), policies, (result, allowLoss, file) => {
        const verdict = judge(result, { allowLoss, policy: file });
        expect(verdict.exitCode === 0).toBe(verdict.violations.length === 0);
        const losses = result.resources.flatMap((each) => each.changes).filter(({ change }) => change === "lost");
        if (verdict.exitCode !== 0) return;
        const sentences = new Set(
          losses.map(({ principal: who, role: what }) => `${principalText(who)} loses ${what} on`),
        );
        for (const each of sentences) expect(verdict.allowed).toContainEqual(expect.stringContaining(each));
      }),
    );
  });
});

describe("steps of other providers", () => {
  const TYPE = "gcp:projects/iAMMember:IAMMember";
  const foreign = (...changes: AccessChanged[]) =>
    review(changes, {
      otherProvider: "gcp",
      unknown: [{ code: "other provider", type: TYPE, message: "Not evaluated." }],
    });
  const allow = (types: string[]) =>
    policy({ otherProviders: [{ types, verdict: "allow", reason: "Reviewed by the platform team" }] });

  test("are unknown by default, also where their inputs name a loss", () => {
    expect(judge(foreign(change("lost"), change("gained")), {})).toMatchObject({
      exitCode: 3,
      violations: [{ rule: "unknown", message: "Not evaluated." }],
    });
  });

  test("a loss by a step whose whole effect its inputs say is a loss", () => {
    const [urn, other] = ["it", "other"].map((name) => `urn:pulumi:dev::shop::${TYPE}::${name}`);
    const whole = review([{ ...change("lost"), steps: [urn ?? ""] }], {
      otherProvider: "gcp",
      unknown: [{ code: "other provider", type: TYPE, message: "Not evaluated.", step: other ?? "" }],
    });
    expect(judge(whole, {})).toMatchObject({ exitCode: 2, violations: [{ rule: "loss" }, { rule: "unknown" }] });
    expect(judge(whole, policy({ otherProviders: "allow" })).exitCode).toBe(2);
  });

  test.each<[string, Rules, number]>([
    ["fail", policy({ otherProviders: "fail" }), 2],
    ["unknown", policy({ otherProviders: "unknown" }), 3],
    ["allow", policy({ otherProviders: "allow" }), 0],
    ["allow for the type", allow(["gcp:projects/*"]), 0],
    ["allow for another type", allow(["gcp:storage/*"]), 3],
  ])("%s", (_what, rules, expected) => {
    expect(judge(foreign(change("lost")), rules).exitCode).toBe(expected);
  });

  const followed = (each: AccessChanged) => review([{ ...each, steps: [`urn:pulumi:dev::shop::${TYPE}::it`] }], {});
  test.each<[string, Rules, AccessChanged, number]>([
    ["fail forbids a gain", policy({ otherProviders: "fail" }), change("gained"), 2],
    [
      "fail for the type forbids a gain",
      policy({ otherProviders: [{ types: ["gcp:projects/*"], verdict: "fail", reason: "r" }] }),
      change("gained"),
      2,
    ],
    ["without a rule, a gain is allowed", {}, change("gained"), 0],
    ["allow does not allow a loss", policy({ otherProviders: "allow" }), change("lost"), 2],
  ])("whose effect the review knows: %s", (_what, rules, each, expected) => {
    expect(judge(followed(each), rules).exitCode).toBe(expected);
  });

  test("the reason for an allowed step is shown", () => {
    expect(judge(foreign(), allow(["gcp:*"])).allowed).toEqual([
      "Not evaluated. Allowed by otherProviders[0]: Reviewed by the platform team",
    ]);
  });

  const allowed = { otherProviders: "allow" } as const;
  const ADA = { principals: ["user:ada@*"], reason: "on call" };
  test.each<[string, Rules, AccessChanged]>([
    ["--no-new-access", { ...policy(allowed), noNewAccess: true }, change("gained")],
    ["mayGain", policy({ ...allowed, mayGain: [] }), change("gained")],
    ["forbiddenRoles", policy({ ...allowed, forbiddenRoles: [{ roles: [VIEWER], reason: "r" }] }), change("gained")],
    ["protectedPrincipals", policy({ ...allowed, protectedPrincipals: [ADA] }), change("lost")],
  ])("%s applies to the grants that their inputs name, also where they are allowed", (_what, rules, each) => {
    expect(judge(foreign(each), rules).exitCode).toBe(2);
  });
});
