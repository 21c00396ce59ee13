/** Role bindings of this provider in plans: who gains and who loses the role. */
import type { PlanStep } from "../../access/plan/plan";
import { SECRET } from "../../access/plan/plan-values";
import {
  creates,
  deletes,
  linesOf,
  planned,
  planOf,
  RehearsalCloud,
  replaces,
  updates,
  VIEWER,
} from "../support/plans";
import { STORE_BINDING } from "../support/tokens";

const [ADA, BOB, BY_HAND] = ["user:ada@example.com", "user:bob@example.com", "user:by-hand@example.com"] as const;
const ADMIN = "roles/healthcare.fhirStoreAdmin";
const TYPE = { type: STORE_BINDING };
const binding = (members: readonly unknown[], role = VIEWER) => ({ member: undefined, members, role });
const all = (name: string, members: readonly string[], role?: string) => planned(name, binding(members, role), TYPE);

let cloud: RehearsalCloud;
beforeAll(async () => {
  cloud = await RehearsalCloud.start({
    store: {
      bindings: [
        { role: VIEWER, members: [ADA, BY_HAND] },
        { role: ADMIN, members: ["user:root@example.com"] },
      ],
    },
  });
});
afterAll(() => cloud.stop());

const MEMBERS = [creates("ada", { member: ADA })];
const ofAda = binding([ADA]);
const toAdmin = [
  "gained user:ada@example.com fhirStoreAdmin <- b",
  "lost user:ada@example.com fhirStoreViewer <- b",
  "lost user:root@example.com fhirStoreAdmin <- b",
];

test.each<[string, PlanStep[], string[]]>([
  [
    "A new binding takes the role from those whom others added",
    [creates("b", binding([ADA, BOB]), TYPE)],
    ["gained user:bob@example.com fhirStoreViewer <- b", "lost user:by-hand@example.com fhirStoreViewer <- b"],
  ],
  [
    "So does an update of its members",
    [updates(all("b", [ADA]), all("b", [BOB]))],
    [
      "gained user:bob@example.com fhirStoreViewer <- b",
      "lost user:ada@example.com fhirStoreViewer <- b",
      "lost user:by-hand@example.com fhirStoreViewer <- b",
    ],
  ],
  [
    "A binding with another role leaves the old role to those whom others added",
    [replaces("b", ofAda, binding([ADA], ADMIN), TYPE)],
    toAdmin,
  ],
  [
    "A binding with another role and a new name by an alias takes the old role from its members",
    [{ ...replaces("b", ofAda, binding([ADA], ADMIN), TYPE), old: { ...all("a", [ADA]), delete: true } }],
    toAdmin,
  ],
  [
    "A deleted binding leaves the role to those whom others added",
    [deletes("b", ofAda, TYPE)],
    ["lost user:ada@example.com fhirStoreViewer <- b"],
  ],
  [
    "A binding that takes the place of member grants takes nothing from their members",
    [creates("b", binding([ADA, BY_HAND]), TYPE), deletes("ada", { member: ADA })],
    [],
  ],
  ["Member grants that take the place of a binding lose nothing", [...MEMBERS, deletes("b", ofAda, TYPE)], []],
])("%s", async (_what, steps, lines) => {
  const result = await cloud.rehearse(planOf(steps));
  expect(linesOf(result).sort()).toEqual(lines);
  expect([result.unknown, result.resources.flatMap(({ unknown }) => unknown)]).toEqual([[], []]);
});

test("a binding with a secret member has one gain that is unknown", async () => {
  const result = await cloud.rehearse(planOf([creates("b", binding([ADA, BY_HAND, SECRET]), TYPE)]));
  expect(linesOf(result)).toEqual(["gained [secret] fhirStoreViewer <- b"]);
  expect(result.summary.unknown).toBe(1);
});

test.each(["update", "destroy"] as const)(
  "%s: a review names who keeps the role of a deleted binding",
  async (operation) => {
    const result = await cloud.rehearse(planOf([deletes("b", ofAda, TYPE)], { operation }));
    expect(linesOf(result)).toEqual(["lost user:ada@example.com fhirStoreViewer <- b"]);
    expect(result.notes.join("\n")).toContain(`keep the role: 1 principal\n  ${BY_HAND} ${VIEWER}`);
    expect(result.resources[0]?.unmanaged).toContainEqual({ principal: BY_HAND, role: VIEWER });
  },
);
