import { countOccurrences, limitRefusal } from "./limits";
import type { Policy } from "./policy";

const users = (count: number) => Array.from({ length: count }, (_, index) => `user:u${index}@example.com`);
const groups = (count: number) => Array.from({ length: count }, (_, index) => `group:g${index}@example.com`);
const policy = (...members: string[][]): Policy => ({
  bindings: members.map((each, index) => ({ role: `roles/r${index}`, members: each })),
});

describe("limits of a policy (docs/grants-limits.md)", () => {
  test("every occurrence counts, including exempted members of audit configs", () => {
    const counted = countOccurrences({
      ...policy(["user:a@example.com", "group:g@example.com"], ["user:a@example.com"]),
      auditConfigs: [
        {
          service: "allServices",
          auditLogConfigs: [{ logType: "DATA_READ", exemptedMembers: ["group:g@example.com"] }],
        },
      ],
    });
    expect(counted).toEqual({ principals: 4, groups: 2 });
  });

  test("accepts 1,500 principals and refuses 1,501; the error has the counts and the largest bindings", () => {
    expect(limitRefusal("r", policy(users(1_499)), policy(users(1_500)))).toBeUndefined();
    const refusal = limitRefusal("r", policy(users(1_400), users(100)), policy(users(1_400), users(101)));
    expect(refusal?.message).toContain("1501 principals, 0 of them groups");
    expect(refusal?.message).toContain("roles/r0: 1400, roles/r1: 101");
  });

  test("the error names the three largest bindings, even if some have no members", () => {
    const full: Policy = {
      bindings: [{ role: "roles/none" }, ...(policy(users(7), users(1_400), users(3), users(120)).bindings ?? [])],
    };
    expect(limitRefusal("r", {}, full)?.message).toContain("Most are in roles/r1: 1400, roles/r3: 120, roles/r0: 7. ");
  });

  test("accepts 250 groups and refuses 251", () => {
    expect(limitRefusal("r", {}, policy(groups(250)))).toBeUndefined();
    expect(limitRefusal("r", {}, policy(groups(251)))?.message).toContain("251 of them groups");
  });

  test("a policy that others filled beyond the limit may shrink", () => {
    expect(limitRefusal("r", policy(users(1_600)), policy(users(1_599)))).toBeUndefined();
  });
});
