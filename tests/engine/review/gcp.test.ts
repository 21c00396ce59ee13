/**
 * Reviews of programs with the grants of `@pulumi/gcp` on the real engine: what a review predicts is what the update then does. The
 * first program has the npm package. The others are in YAML, whose previews take a third of the time. The package's plugin is in no registry; `tests/support/other-provider.ts` stands in for it.
 */
import { byEffect, onlyStack, type OneStack } from "../../support/answers";
import { readStackAccess, review, reviewStack, type ReviewOptions } from "../../../access";
import { startEmulator, type Emulator } from "../../../emulator";
import type { Policy } from "../../../provider/iam/policy";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { OtherProvider, policyCloud } from "../../support/other-provider";
import { pluginFolder } from "../../support/plugin";
import { JAVASCRIPT } from "../../support/programs";
import { grantTexts } from "../../support/grant-texts";
import { wrongPredictions } from "../../support/review-outcome";
import { skipped } from "../../support/skipped";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const TOPIC = "//pubsub.googleapis.com/projects/demo-project/topics/orders";
const BUCKET = "//storage.googleapis.com/projects/_/buckets/files";
const PROJECT = "//cloudresourcemanager.googleapis.com/projects/demo-project";
const NAMES = {
  [TOPIC]: "projects/demo-project/topics/orders",
  [BUCKET]: "b/files",
  [PROJECT]: "projects/demo-project",
};
const [ADA, BOB, EVE, OPS] = [
  "user:ada@example.com",
  "user:bob@example.com",
  "user:eve@example.com",
  "group:ops@example.com",
];
const OWNER = "roles/owner";
const PUBLISHER = "roles/pubsub.publisher";
/** The files of a program. JSON is YAML too. */
const yaml = (resources: object) => ({ "Pulumi.yaml": JSON.stringify({ name: "p", runtime: "yaml", resources }) });
const bindings = (role: string, ...members: string[]) => ({ policy: { bindings: [{ role, members }] } });

const missing = missingHost("nodejs") ?? missingHost("yaml");

(missing === undefined ? describe : describe.skip)(`the grants of @pulumi/gcp${skipped(missing)}`, () => {
  let emulator: Emulator;
  let gcp: OtherProvider;
  let project: EngineProject;

  beforeAll(async () => {
    emulator = await startEmulator({
      seed: [
        { service: "pubsub", name: NAMES[TOPIC], ...bindings(PUBLISHER, BOB) },
        { service: "storage", name: NAMES[BUCKET], ...bindings("roles/storage.objectViewer", BOB) },
        { service: "cloudresourcemanager", name: NAMES[PROJECT], ...bindings(OWNER, ADA, OPS) },
      ],
    });
    gcp = await OtherProvider.start({ remove: () => undefined, ...policyCloud(emulator) });
    project = await EngineProject.create({
      program: yaml({}),
      config: { "gcp:project": "demo-project" },
      env: { ...emulator.env, ...gcp.env },
      path: [pluginFolder()],
    });
  });

  afterAll(async () => {
    await project?.dispose();
    gcp?.stop();
    await emulator?.stop();
  });

  /** A resource of a program. */
  const topicGrant = (form: "Member" | "Binding" | "Policy", properties: object) => ({
    type: `gcp:pubsub/topicIAM${form}:TopicIAM${form}`,
    properties: { topic: "orders", ...properties },
  });
  const bucketBinding = (role: string, members: unknown) => ({
    type: "gcp:storage/bucketIAMBinding:BucketIAMBinding",
    properties: { bucket: "files", role, members },
  });
  const topic = (name: string) => ({ type: "gcp:pubsub/topic:Topic", properties: { name } });
  const ownGrant = (resource: string) => ({
    type: "perimeter:iam/v1:ResourceIamMember",
    properties: { resource, role: PUBLISHER, member: EVE },
  });
  const stack = () => project.stackOptions;
  const policies = () =>
    Object.fromEntries(
      Object.entries(NAMES).map(([name, place]) => [name, (emulator.resource(place)?.policy ?? {}) as Policy]),
    );
  const program = (resources: object) => project.writeFiles(yaml(resources));
  const lines = ({ resources }: OneStack) =>
    resources.flatMap(({ resource, changes }) =>
      changes.map(({ change, principal, role }) => `${change} ${principal} ${role} ${resource.split("/").at(-1)}`),
    );

  /** Reviews the plan of the next operation, with the state of the stack. */
  async function planned(command = ["preview"], options: Partial<ReviewOptions> = {}): Promise<OneStack> {
    const { stdout: plan } = await project.run([...command, "--json", "--show-sames"]);
    const state = JSON.stringify(await project.exportState());
    const destroy = command[0] === "destroy";
    return onlyStack(await review({ plan, state, destroy, environment: project.env, ...options }));
  }

  /** Reviews the next operation, carries it out, and compares. */
  async function carriedOut({ destroy = false, inherited = true } = {}): Promise<OneStack> {
    const before = policies();
    const result = await planned(destroy ? ["destroy", "--preview-only"] : ["preview"], { inherited });
    expect(policies()).toEqual(before);
    if (destroy) await project.destroy();
    else await project.up();
    expect([...result.unknown, ...result.resources.flatMap(({ unknown }) => unknown)]).toEqual([]);
    const after = policies();
    const above = { "project demo-project": new Set(grantTexts(after[PROJECT])) };
    const isBelow = (resource: string) => inherited && resource === TOPIC;
    expect(wrongPredictions(result, before, after, { above: (each) => (isBelow(each) ? above : {}) })).toEqual([]);
    return result;
  }

  describe("an update does what the review of its plan says", () => {
    let steps: Record<"first" | "second" | "third" | "destroyed", OneStack>;
    const on = (step: keyof typeof steps, resource: string) =>
      lines(steps[step]).filter((each) => each.endsWith(` ${resource.split("/").at(-1)}`));

    beforeAll(async () => {
      project.writeFiles({
        "Pulumi.yaml": JSON.stringify({ name: "p", runtime: JAVASCRIPT }),
        // Without the package's other 180 modules, which take a tenth of a second.
        "index.js": `
          const [projects, pubsub] = [require("@pulumi/gcp/projects"), require("@pulumi/gcp/pubsub")];
          new projects.IAMBinding("owners", { project: "demo-project", role: "${OWNER}", members: ["${EVE}"] });
          new pubsub.TopicIAMMember("topic", { topic: "orders", role: "${PUBLISHER}", member: "${EVE}" });`,
      });
      const first = await carriedOut();

      // Somebody else adds Ada.
      emulator.mutate(NAMES[PROJECT], bindings(OWNER, EVE, ADA));
      program({ topic: topicGrant("Member", { role: "roles/pubsub.viewer", member: EVE }) });
      const second = await carriedOut();

      emulator.mutate(NAMES[BUCKET], bindings("roles/storage.objectAdmin", ADA, BOB));
      const policyData = JSON.stringify({ bindings: [{ role: PUBLISHER, members: [ADA] }] });
      program({
        policy: topicGrant("Policy", { policyData }),
        admins: bucketBinding("roles/storage.objectAdmin", [EVE]),
      });
      // The name of a bucket does not say in which project it is.
      const third = await carriedOut({ inherited: false });
      steps = { first, second, third, destroyed: await carriedOut({ destroy: true, inherited: false }) };
    });

    test("the review of a new binding names everybody whom it removes, and that of its delete everybody who loses the role", () => {
      expect(on("first", PROJECT)).toEqual([
        `lost ${ADA} ${OWNER} demo-project`,
        `lost ${OPS} ${OWNER} demo-project`,
        `gained ${EVE} ${OWNER} demo-project`,
      ]);
      expect(steps.first.verdict.exitCode).toBe(2);
      expect(on("second", PROJECT)).toEqual([`lost ${EVE} ${OWNER} demo-project`, `lost ${ADA} ${OWNER} demo-project`]);
    });

    test("members, a policy and a change of a role are followed, with the default project of the provider", () => {
      expect(on("first", TOPIC)).toEqual([`gained ${EVE} ${PUBLISHER} orders`]);
      expect(on("second", TOPIC).sort()).toEqual([
        `gained ${EVE} roles/pubsub.viewer orders`,
        `lost ${EVE} ${PUBLISHER} orders`,
      ]);
      expect(on("third", TOPIC).sort()).toEqual([
        `gained ${ADA} ${PUBLISHER} orders`,
        `lost ${BOB} ${PUBLISHER} orders`,
        `lost ${EVE} roles/pubsub.viewer orders`,
      ]);
      expect(on("destroyed", TOPIC)).toEqual([`lost ${ADA} ${PUBLISHER} orders`]);
    });

    test("a stack that takes a role from the members of another stack says so before it happens", () => {
      const found = steps.third.resources.filter(({ resource }) => resource === BUCKET);
      expect(found).toMatchObject([
        {
          changes: [
            { change: "lost", principal: ADA, wasManaged: false },
            { change: "lost", principal: BOB, wasManaged: false },
            { change: "gained", principal: EVE },
          ],
        },
      ]);
    });
  });

  test("secret members stay hidden, and nobody else has access to what the plan creates", async () => {
    program({
      orders: topic("orders"),
      late: topicGrant("Member", { topic: "${orders.id}", role: PUBLISHER, member: EVE }),
      own: ownGrant("//pubsub.googleapis.com/${orders.id}"),
    });
    const onNew = await planned();
    const unnamed = `gained ${EVE} ${PUBLISHER} [known after the update]`;
    expect(lines(onNew)).toEqual([unnamed, unnamed]);
    expect([onNew.unknown, onNew.resources.flatMap(({ unknown }) => unknown)]).toEqual([[], []]);
    expect(onNew.verdict.exitCode).toBe(0);

    program({
      b: bucketBinding("roles/viewer", { "fn::secret": ["user:canary@example.com"] }),
      s: topicGrant("Binding", { topic: { "fn::secret": "orders" }, role: "roles/viewer", members: [EVE] }),
    });
    const result = onlyStack(await reviewStack(stack()));
    expect(JSON.stringify(result)).not.toContain("canary");
    expect(lines(result).sort()).toEqual(["gained [secret] roles/viewer files", `gained ${EVE} roles/viewer [secret]`]);
    expect(result.resources.flatMap(({ unknown }) => unknown.map(({ message }) => message)).join()).toMatch(
      /It is unknown who gains and who loses access.* creates s .*Everybody else who has its role loses it/,
    );
    expect(result.verdict.exitCode).toBe(3);
  });

  // Each test continues from the one before it.
  describe("a stack of topics, their grants and a custom role", () => {
    const role = (...permissions: string[]) => ({
      type: "gcp:projects/iAMCustomRole:IAMCustomRole",
      properties: { project: "demo-project", roleId: "deployer", title: "Deployer", permissions },
    });
    const declared = {
      new: topic("invoices"),
      viewers: topicGrant("Binding", { topic: "${new.name}", role: "roles/viewer", members: [BOB] }),
      own: ownGrant("//pubsub.googleapis.com/projects/demo-project/topics/${new.name}"),
      t: topic("orders"),
      all: topicGrant("Binding", { role: PUBLISHER, members: [BOB, EVE] }),
      one: topicGrant("Member", { role: PUBLISHER, member: EVE }),
    };
    let made: OneStack;

    beforeAll(async () => {
      emulator.mutate(NAMES[TOPIC], bindings(PUBLISHER, BOB));
      program({ ...declared, r: role("run.services.get", "run.services.update") });
      made = onlyStack(await reviewStack(stack()));
      await project.up();
    });

    test("nobody has access to a topic that does not exist yet, and that the plan creates", () => {
      const found = made.resources.filter(({ resource }) => resource.endsWith("/invoices"));
      const expected = [`gained ${BOB} roles/viewer invoices`, `gained ${EVE} ${PUBLISHER} invoices`];
      expect(lines({ ...made, resources: found }).sort()).toEqual(expected);
      expect([made.unknown, found.flatMap(({ unknown }) => unknown)]).toEqual([[], []]);
      const { policy } = emulator.resource("projects/demo-project/topics/invoices") ?? {};
      expect(policy).toMatchObject({
        bindings: [
          { role: "roles/viewer", members: [BOB] },
          { role: PUBLISHER, members: [EVE] },
        ],
      });
    });

    test("both providers on one role are a warning that names them", () => {
      expect(made.notes.filter((each) => each.includes(" owns "))).toEqual([
        expect.stringMatching(
          /^all \(gcp:pubsub\/topicIAMBinding:.*owns roles\/pubsub.publisher of .*orders, and one \(gcp/,
        ),
      ]);
    });

    test("unmanaged grants beside those of @pulumi/gcp are adopted as its members, with the ids that it imports", async () => {
      emulator.mutate(NAMES[TOPIC], {
        policy: {
          bindings: [
            { role: PUBLISHER, members: [BOB, EVE] },
            { role: "roles/pubsub.viewer", members: [OPS] },
          ],
        },
      });
      const { result, adoption } = await readStackAccess(stack());
      const unmanaged = onlyStack(result)
        .resources.filter(({ resource }) => resource === TOPIC)
        .map((each) => each.unmanaged);
      expect(unmanaged).toMatchObject([[{ role: "roles/pubsub.viewer", principal: OPS }]]);
      const own = await readStackAccess({ ...stack(), adoptAs: "perimeter" });
      expect(own.adoption.file.resources).toMatchObject([
        { type: "perimeter:iam/v1:ResourceIamMember", id: `${TOPIC}/roles/pubsub.viewer/${OPS}` },
      ]);
      expect(adoption.file.resources).toMatchObject([
        {
          type: "gcp:pubsub/topicIAMMember:TopicIAMMember",
          id: `projects/demo-project/topics/orders roles/pubsub.viewer ${OPS}`,
        },
      ]);
      emulator.mutate(NAMES[TOPIC], bindings(PUBLISHER, BOB, EVE));
    });

    test("a custom role that loses a permission names who has it by the policies that were read", async () => {
      emulator.mutate(NAMES[PROJECT], bindings("projects/demo-project/roles/deployer", OPS));
      program({ ...declared, r: role("run.services.get", "run.jobs.run") });
      const result = await planned();
      const [said] = result.resources.flatMap(({ unknown }) => unknown.map(({ message }) => message));
      expect(said).toContain(
        "The role projects/demo-project/roles/deployer loses run.services.update and gains run.jobs.run. " +
          `By the policies that were read, ${OPS} on ${PROJECT} has it.`,
      );
      expect(result.verdict.exitCode).toBe(3);
    });

    test("a deleted topic takes its policy along, and what is granted on a topic that is nowhere is unknown", async () => {
      program({ m: topicGrant("Member", { topic: "nowhere", role: PUBLISHER, member: EVE }) });
      const result = await planned();
      expect(
        lines(result)
          .filter((each) => each.endsWith("orders"))
          .sort(),
      ).toEqual([`lost ${BOB} ${PUBLISHER} orders`, `lost ${EVE} ${PUBLISHER} orders`]);
      const { violations } = byEffect(result.verdict);
      expect(violations).toContainEqual(
        expect.objectContaining({ rule: "unknown", resource: TOPIC.replace("orders", "nowhere") }),
      );
    });
  });
});
