import { hiddenConditions, lockOut } from "./lockout";
import type { Policy } from "./policy";

const ADMIN = "roles/healthcare.fhirStoreAdmin";
const admins = { roles: [ADMIN] };
const policy = (...grants: [role: string, ...members: string[]][]): Policy => ({
  bindings: grants.map(([role, ...members]) => ({ role, members })),
});

describe("lock-out guards", () => {
  const before = policy([ADMIN, "user:ada@example.com"], ["roles/viewer", "user:bob@example.com"]);

  test("removing the last holder of a role that can change the policy is refused, with the way to allow it", () => {
    const refusal = lockOut("r", before, policy(["roles/viewer", "user:bob@example.com"]), admins);
    expect(refusal?.message).toContain(ADMIN);
    expect(refusal?.message).toContain("perimeter:allowLockout");
  });

  test("another holder, of this role or another that can change it, is enough", () => {
    expect(lockOut("r", before, policy([ADMIN, "user:eve@example.com"]), admins)).toBeUndefined();
    expect(lockOut("r", before, policy(["roles/owner", "user:eve@example.com"]), admins)).toBeUndefined();
  });

  test("where nobody could change it on the resource itself, nothing is taken away", () => {
    expect(lockOut("r", policy(["roles/viewer", "user:bob@example.com"]), {}, admins)).toBeUndefined();
  });

  test("the provider's own identity keeps its way in, whatever its case in the policy", () => {
    const held = policy([ADMIN, "serviceAccount:CI@p.iam.gserviceaccount.com", "user:ada@example.com"]);
    const lost = policy([ADMIN, "user:ada@example.com"]);
    const caller = "serviceAccount:ci@p.iam.gserviceaccount.com";
    expect(lockOut("r", held, lost, { ...admins, caller })?.message).toContain("own identity");
    expect(lockOut("r", held, lost, admins)).toBeUndefined();
  });
});

test("a policy whose conditions the API hid in role names is never written back", () => {
  const read = policy(["roles/viewer_withcond_0123456789abcdef0123", "user:ada@example.com"]);
  expect(hiddenConditions("r", read)?.message).toContain("conditions of 1 binding");
  expect(hiddenConditions("r", policy(["roles/viewer", "user:ada@example.com"]))).toBeUndefined();
});
