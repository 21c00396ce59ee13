import { lockOutRefusal, lockOutWarning } from "./lockout";
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
    expect(lockOutWarning("r", before, nobody, admins)).toContain("leaves no identity with a role on r");
    expect(lockOutWarning("r", nobody, nobody, admins)).toBeUndefined();
  });

  test("allows the removal if another administrator remains, with this or another role", () => {
    expect(lockOutRefusal("r", before, policy([ADMIN, "user:eve@example.com"]), replacing)).toBeUndefined();
    expect(lockOutRefusal("r", before, policy(["roles/owner", "user:eve@example.com"]), replacing)).toBeUndefined();
  });

  test.each(["roles/owner", "roles/iam.securityAdmin"])(
    "protects the last %s, and counts it as one that remains",
    (role) => {
      const last = policy([role, "user:eve@example.com"]);
      expect(lockOutRefusal("r", last, nobody, replacing)?.message).toContain(role);
      expect(lockOutRefusal("r", before, last, replacing)).toBeUndefined();
      expect(lockOutWarning("r", last, nobody, admins)).toContain("leaves no identity");
    },
  );

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
