import { lockOutRefusal, lockOutRisk, lockOutWarning, type PolicyAdmins } from "./lockout";
import type { Grant, Policy } from "./policy";

const ADMIN = "roles/healthcare.fhirStoreAdmin";
const admins = { roles: [ADMIN] };
const policy = (...grants: [role: string, ...members: string[]][]): Policy => ({
  bindings: grants.map(([role, ...members]) => ({ role, members })),
});

describe("lock-out guards", () => {
  const before = policy([ADMIN, "user:ada@example.com"], ["roles/viewer", "user:bob@example.com"]);

  const nobody = policy(["roles/viewer", "user:bob@example.com"]);
  const replacing = { ...admins, replaces: { isOwn: () => false } };

  test("refuses a replacement that removes the last administrator of others, and names both remedies", () => {
    const { message = "" } = lockOutRefusal("r", before, nobody, replacing) ?? {};
    expect(message).toContain(ADMIN);
    expect(message.indexOf("grantMode to merge")).toBeGreaterThan(0);
    expect(message.indexOf("grantMode to merge")).toBeLessThan(message.indexOf("perimeter:allowLockout"));
  });

  test("allows the stack to remove its own grants; a delete removes only its own grant", () => {
    const own = { ...admins, replaces: { isOwn: ({ member }: Grant) => member === "user:ada@example.com" } };
    expect(lockOutRefusal("r", before, nobody, own)).toBeUndefined();
    const two = policy([ADMIN, "user:ada@example.com", "user:eve@example.com"]);
    expect(lockOutRefusal("r", two, nobody, own)?.message).toContain("now held once");
    const three = policy([ADMIN, "user:ada@example.com", "user:eve@example.com", "user:zoe@example.com"]);
    expect(lockOutRefusal("r", three, nobody, own)?.message).toContain("now held 2 times");
    expect(lockOutRefusal("r", before, nobody, admins)).toBeUndefined();
    expect(lockOutRisk("r", before, nobody, admins)?.nobody).toContain("leaves no identity with a role on r");
    expect(lockOutRisk("r", nobody, nobody, admins)).toBeUndefined();
  });

  test("allows the removal if another administrator remains, with this or another role", () => {
    expect(lockOutRefusal("r", before, policy([ADMIN, "user:eve@example.com"]), replacing)).toBeUndefined();
    expect(lockOutRefusal("r", before, policy(["roles/owner", "user:eve@example.com"]), replacing)).toBeUndefined();
  });

  test("allows the change if no identity could change the policy before", () => {
    expect(lockOutRefusal("r", policy(["roles/viewer", "user:bob@example.com"]), {}, replacing)).toBeUndefined();
  });

  const condition = { title: "t", expression: "true" };
  test.each<[string, Policy]>([
    ["a deleted identity", policy([ADMIN, "deleted:user:ada@example.com?uid=1"])],
    ["a grant under a condition", { bindings: [{ role: ADMIN, members: ["user:ada@example.com"], condition }] }],
  ])("%s does not count as an administrator, neither as a remaining one nor as a protected one", (_what, other) => {
    expect(lockOutRefusal("r", before, other, replacing)?.message).toContain("no identity would keep a role");
    expect(lockOutRefusal("r", other, nobody, replacing)).toBeUndefined();
  });

  test("refuses to remove the provider's own identity, in any case of its letters, whoever granted it", () => {
    const held = policy([ADMIN, "serviceAccount:CI@p.iam.gserviceaccount.com", "user:ada@example.com"]);
    const lost = policy([ADMIN, "user:ada@example.com"]);
    const caller = "serviceAccount:ci@p.iam.gserviceaccount.com";
    for (const replaces of [undefined, { isOwn: () => true }]) {
      expect(lockOutRefusal("r", held, lost, { ...admins, caller, replaces })?.message).toContain("own identity");
    }
    expect(lockOutRefusal("r", held, lost, admins)).toBeUndefined();
  });
});

describe("a change that may take the provider's right to change the policy", () => {
  const CALLER = "serviceAccount:ci@p.iam.gserviceaccount.com";
  const CUSTOM = "projects/p/roles/keeper";
  const GROUP = "group:admins@example.com";
  const viewer: [string, string] = ["roles/viewer", CALLER];
  const risk = (removed: [string, ...string[]], kept: Policy, given: Partial<PolicyAdmins>) => {
    const { bindings = [] } = kept;
    const before = { bindings: [...bindings, ...(policy(removed).bindings ?? [])] };
    return lockOutRisk("r", before, kept, { ...admins, ...given })?.own !== undefined;
  };

  test.each<[string, [string, ...string[]], Policy, Partial<PolicyAdmins>, boolean]>([
    ["removes the provider's last custom role", [CUSTOM, CALLER], policy(viewer), { caller: CALLER }, true],
    ["removes its last role named admin", ["roles/x.instanceAdmin.v1", CALLER], {}, { caller: CALLER }, true],
    ["removes its last role named owner", ["roles/x.dataOwner", CALLER], {}, { caller: CALLER }, true],
    ["keeps another such role of it", [CUSTOM, CALLER], policy([ADMIN, CALLER]), { caller: CALLER }, false],
    ["removes a role that cannot", ["roles/editor", CALLER], {}, { caller: CALLER }, false],
    ["removes the custom role of others", [CUSTOM, GROUP], policy(viewer), { caller: CALLER }, false],
    ["removes the admin role of another identity", [ADMIN, "user:ada@example.com"], {}, { caller: CALLER }, false],
    ["removes the admin role of a group", [ADMIN, GROUP], {}, { caller: CALLER }, true],
    [
      "keeps the admin role of another group",
      [ADMIN, GROUP],
      policy([ADMIN, "group:b@x.com"]),
      { caller: CALLER },
      false,
    ],
    ["removes the last admin role, whoever it is", [ADMIN, "user:ada@example.com"], {}, {}, true],
    ["removes a custom role, whoever it is", [CUSTOM, "user:ada@example.com"], {}, {}, false],
  ])("one that %s", (_what, removed, kept, given, expected) => expect(risk(removed, kept, given)).toBe(expected));

  test.each<[boolean | undefined, string | undefined]>([
    [true, "nobody. own"],
    [false, "nobody"],
    [undefined, "nobody"],
  ])("is a warning if the provider has the right now: %s", async (answer, expected) => {
    const ask = () => Promise.resolve(answer);
    expect(await lockOutWarning({ nobody: "nobody", own: "own" }, ask)).toBe(expected);
    expect(await lockOutWarning({ own: "own" }, ask)).toBe(answer === true ? "own" : undefined);
  });

  test("is not asked for if it is not at risk", async () => {
    const ask = () => Promise.reject(new Error("asked"));
    expect(await lockOutWarning({ nobody: "nobody" }, ask)).toBe("nobody");
  });
});
