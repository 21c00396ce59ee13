/** Role bindings on the real engine, with each front: create, update and delete, and the change from members to a binding. */
import { onlyStack } from "../../support/answers";
import { reviewStack } from "../../../access";
import { startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import { pluginFolder } from "../../support/plugin";
import { FHIR_STORE, PROJECT, storeOf, type Declared } from "../../support/programs";
import { PackedStack } from "../dynamic/packed-stack";
import { skipped } from "../../support/skipped";
import { testInAll } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const ROLE = "roles/healthcare.fhirResourceEditor";
const [ADA, GRACE, OTHER] = ["user:ada@example.com", "user:grace@example.com", "user:other@example.com"];
const BINDING = "healthcare.v1beta1.DatasetFhirStoreIamBinding";
const MEMBER = "healthcare.v1beta1.DatasetFhirStoreIamMember";
const whole = (...members: string[]): Declared => ({ type: BINDING, args: { name: FHIR_STORE, role: ROLE, members } });
const one = (member: string): Declared => ({ type: MEMBER, args: { name: FHIR_STORE, role: ROLE, member } });

const membersIn = (emulator: Emulator, store = FHIR_STORE) => {
  const { bindings = [] } = (emulator.resource(store)?.policy ?? {}) as {
    bindings?: { role: string; members: string[] }[];
  };
  return bindings.flatMap(({ role, members }) => (role === ROLE ? members : [])).sort();
};
const addMember = (emulator: Emulator, member: string, store = FHIR_STORE) => {
  const policy = emulator.resource(store)?.policy as { bindings: { role: string; members: string[] }[] };
  const bindings = policy.bindings.map((each) =>
    each.role === ROLE ? { ...each, members: [...each.members, member] } : each,
  );
  emulator.mutate(store, { policy: { ...policy, bindings } });
};

test("through the npm front: members become a binding, and nobody loses access in between", async () => {
  const config = { "perimeter:grantMode": "merge" };
  const stack = await PackedStack.create({ resources: { ada: one(ADA), grace: one(GRACE) }, config });
  try {
    const { emulator, project } = stack;
    await project.up();
    stack.heard();
    stack.declare({ all: whole(ADA, GRACE) });
    await project.up();
    expect(membersIn(emulator)).toEqual([ADA, GRACE]);
    // Every policy had both, so no write was needed.
    expect(stack.heard().filter(({ path }) => path.endsWith(":setIamPolicy"))).toEqual([]);
    addMember(emulator, OTHER);
    await project.destroy();
    expect(membersIn(emulator)).toEqual([OTHER]);
  } finally {
    await stack.dispose();
  }
});

// tests/engine/dynamic/transformations.test.ts has previews of this front with bindings that get members.
testInAll(
  "through the npm front: the preview of an update names the members that join, and those that others added",
  async () => {
    const stack = await PackedStack.create({ resources: { all: whole(ADA) } });
    try {
      const { emulator, project } = stack;
      await project.up();
      addMember(emulator, OTHER);
      const same = await project.preview();
      expect(same.messages("warning").join("\n")).not.toContain("will lose");
      stack.declare({ all: whole(ADA, GRACE) });
      const preview = (await project.preview()).messages("warning").join("\n");
      expect(preview).toContain("1 principal will lose and 1 principal gain a role");
      expect(preview).toContain(`- ${OTHER} ${ROLE}\n+ ${GRACE} ${ROLE}`);
      await project.up();
      expect(membersIn(emulator)).toEqual([ADA, GRACE]);
    } finally {
      await stack.dispose();
    }
  },
);

testInAll(
  "through the npm front: the review of a binding with a new name by an alias and another role names who loses the role",
  async () => {
    const stack = await PackedStack.create({ resources: { all: whole(ADA) } });
    try {
      const { emulator, project } = stack;
      await project.up();
      const role = "roles/healthcare.fhirStoreViewer";
      stack.declare({
        every: { type: BINDING, args: { name: FHIR_STORE, role, members: [ADA] }, aliases: [{ name: "all" }] },
      });
      const review = onlyStack(await reviewStack(project.stackOptions));
      expect(review.unknown).toEqual([]);
      const changes = review.resources.flatMap((each) => each.changes.map(({ change, role }) => `${change} ${role}`));
      expect(changes).toContain(`lost ${ROLE}`);
      expect(review.verdict.exitCode).toBe(2);
      await project.up();
      expect(membersIn(emulator)).toEqual([]);
    } finally {
      await stack.dispose();
    }
  },
);

const missing = missingHost("yaml");

(missing === undefined ? describe : describe.skip)(`through the plugin${skipped(missing)}`, () => {
  const VIEWER = "roles/healthcare.fhirStoreViewer";
  const [DRIFTING, LEFT, MOVING] = ["drifting", "left", "moving"].map((name) => storeOf(name)) as [
    string,
    string,
    string,
  ];
  const STORES = [DRIFTING, LEFT, MOVING];
  const program = (...bindings: { name: string; members: string[]; role?: string }[]) => {
    const resources = bindings.map(({ name, members, role = ROLE }) => [
      name.split("/").at(-1),
      { type: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding", properties: { name, role, members } },
    ]);
    const all: unknown = Object.fromEntries(resources);
    return { "Pulumi.yaml": JSON.stringify({ name: "bindings", runtime: "yaml", resources: all }) };
  };
  const members = () => STORES.map((store) => membersIn(emulator, store));

  let emulator: Emulator;
  let project: EngineProject;
  /** The result of each command, and the members who then have the role on each store. */
  let created: { result: OperationResult; members: string[][] };
  let updated: typeof created;
  let drifted: typeof created;
  let left: string[][];

  beforeAll(async () => {
    emulator = await startEmulator({ seed: STORES.map((name) => ({ service: "healthcare", name, body: {} })) });
    project = await EngineProject.create({
      program: program(
        { name: DRIFTING, members: [ADA, GRACE] },
        { name: LEFT, members: [ADA, GRACE] },
        { name: MOVING, members: [GRACE] },
      ),
      config: { "perimeter:project": PROJECT },
      env: emulator.env,
      path: [pluginFolder()],
      nodeModules: "none",
    });
    /** Its events are those of the update; its output is that of both. */
    const upWithPreview = async (...args: string[]) => {
      const result = await project.up({ args: ["--skip-preview=false", ...args] });
      return { result, members: members() };
    };
    created = await upWithPreview();

    addMember(emulator, OTHER, MOVING);
    project.writeFiles(
      program(
        { name: DRIFTING, members: [ADA, GRACE] },
        { name: LEFT, members: [GRACE] },
        { name: MOVING, members: [GRACE], role: VIEWER },
      ),
    );
    updated = await upWithPreview();

    addMember(emulator, OTHER, DRIFTING);
    drifted = await upWithPreview("--refresh");

    addMember(emulator, OTHER, LEFT);
    await project.destroy();
    left = members();
  });
  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  test("a new binding names the members that gain the role, and they have it", () => {
    expect(created.result.stdout).toContain(`+ ${GRACE} ${ROLE}`);
    expect(created.members).toEqual([[ADA, GRACE], [ADA, GRACE], [GRACE]]);
  });

  test("an update names the member that leaves, who then has lost the role", () => {
    expect(updated.result.stdout).toContain(`- ${ADA} ${ROLE}`);
    expect(updated.members[1]).toEqual([GRACE]);
  });

  test("a member that others added is found by a refresh, named, and removed", () => {
    expect(drifted.result.stdout).toContain(`- ${OTHER} ${ROLE}`);
    expect(drifted.members[0]).toEqual([ADA, GRACE]);
  });

  test("a changed member is an update, and a changed role a replacement", () => {
    expect(updated.result.changes).toEqual({ update: 1, replace: 1 });
  });

  test("a replacement says how many members of the old binding lose the role, and who", () => {
    expect(updated.result.stdout).toMatch(/deletes the old binding on .*: 1 principal will lose a role/);
    expect(updated.result.stdout).toContain(`- ${GRACE} ${ROLE}`);
  });

  test("a replacement keeps the old role of a member that others added, and preview and update say so", () => {
    const kept = `Others were added outside of it and keep the role: 1 principal\n  ${OTHER} ${ROLE}`;
    expect(updated.result.messages("warning", "moving").join("\n")).toContain(kept);
    expect(updated.result.stdout.split(kept.replace("\n", "\n    "))).toHaveLength(3);
    expect(updated.members[2]).toEqual([OTHER]);
  });

  test("a destroy takes the role from the members of the bindings, and from nobody else", () => {
    expect(left).toEqual([[], [OTHER], [OTHER]]);
  });
});
