/** Role bindings on the real engine, with each front: create, update and delete, and the change from members to a binding. */
import { onlyStack } from "../../support/answers";
import { reviewStack } from "../../../access";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { FHIR_STORE, PROJECT, type Declared } from "../../support/programs";
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

const membersIn = (emulator: Emulator) => {
  const { bindings = [] } = (emulator.resource(FHIR_STORE)?.policy ?? {}) as {
    bindings?: { role: string; members: string[] }[];
  };
  return bindings.flatMap(({ role, members }) => (role === ROLE ? members : [])).sort();
};
const addMember = (emulator: Emulator, member: string) => {
  const policy = emulator.resource(FHIR_STORE)?.policy as { bindings: { role: string; members: string[] }[] };
  const bindings = policy.bindings.map((each) =>
    each.role === ROLE ? { ...each, members: [...each.members, member] } : each,
  );
  emulator.mutate(FHIR_STORE, { policy: { ...policy, bindings } });
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
const testHere = missing === undefined ? test : test.skip;

testHere(`through the plugin: the life of a binding, with drift and an update${skipped(missing)}`, async () => {
  const emulator = await startEmulator({ seed: demoSeed });
  const program = (...members: string[]) => withRole(ROLE, members);
  const withRole = (role: string, members: string[]) => ({
    "Pulumi.yaml": JSON.stringify({
      name: "bindings",
      runtime: "yaml",
      resources: {
        all: {
          type: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding",
          properties: { name: FHIR_STORE, role, members },
        },
      },
    }),
  });
  const project = await EngineProject.create({
    program: program(ADA, GRACE),
    config: { "perimeter:project": PROJECT },
    env: emulator.env,
    path: [pluginFolder()],
    nodeModules: "none",
  });
  /** Its events are those of the update; its output is that of both. */
  const upWithPreview = (...args: string[]) => project.up({ args: ["--skip-preview=false", ...args] });
  try {
    const created = await upWithPreview();
    expect(created.stdout).toContain(`+ ${GRACE} ${ROLE}`);
    expect(membersIn(emulator)).toEqual([ADA, GRACE]);
    addMember(emulator, OTHER);
    const drifted = await upWithPreview("--refresh");
    expect(drifted.stdout).toContain(`- ${OTHER} ${ROLE}`);
    expect(membersIn(emulator)).toEqual([ADA, GRACE]);
    project.writeFiles(program(GRACE));
    const leaves = await upWithPreview();
    expect(leaves.stdout).toContain(`- ${ADA} ${ROLE}`);
    expect(leaves.changes).toEqual({ update: 1 });
    expect(membersIn(emulator)).toEqual([GRACE]);
    addMember(emulator, OTHER);
    project.writeFiles(withRole("roles/healthcare.fhirStoreViewer", [GRACE]));
    const replaced = await upWithPreview();
    expect(replaced.stdout).toMatch(/deletes the old binding on .*: 1 principal will lose a role/);
    expect(replaced.stdout).toContain(`- ${GRACE} ${ROLE}`);
    const kept = `Others were added outside of it and keep the role: 1 principal\n  ${OTHER} ${ROLE}`;
    expect(replaced.messages("warning").join("\n")).toContain(kept);
    // The preview says it too.
    expect(replaced.stdout.split(kept.replace("\n", "\n    "))).toHaveLength(3);
    expect(membersIn(emulator)).toEqual([OTHER]);
    await project.destroy();
    expect(membersIn(emulator)).toEqual([OTHER]);
  } finally {
    await project.dispose();
    await emulator.stop();
  }
});
