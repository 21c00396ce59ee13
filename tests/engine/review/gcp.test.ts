/**
 * Reviews of programs with the npm package `@pulumi/gcp` on the real engine: what a review predicts is what the update then does.
 * The package's plugin is in no registry; `tests/support/other-provider.ts` stands in for it.
 */
import * as path from "node:path";
import { readStackAccess, review, reviewStack, type ReviewOptions, type ReviewResult } from "../../../access";
import { startEmulator, type Emulator } from "../../../emulator";
import type { Policy } from "../../../provider/iam/policy";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { OtherProvider, policyCloud } from "../../support/other-provider";
import { pluginFolder } from "../../support/plugin";
import { JAVASCRIPT } from "../../support/programs";
import { grantTexts, wrongPredictions } from "../../support/review-outcome";
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
const bindings = (role: string, ...members: string[]) => ({ policy: { bindings: [{ role, members }] } });

const missing = missingHost("nodejs");

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
      program: { "index.js": "" },
      runtime: JAVASCRIPT,
      name: "p",
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

  // Without the package's other 180 modules, which take a tenth of a second.
  const modules = ["projects", "pubsub", "storage"].map((name) => `${name}: require("@pulumi/gcp/${name}")`);
  const HEAD = `const pulumi = require("@pulumi/pulumi");\nconst gcp = { ${modules.join(", ")} };\n`;
  const stack = () => ({
    stack: project.stack,
    cwd: project.dir,
    pulumi: path.join(engine().bin, "pulumi"),
    environment: project.env,
  });
  const policies = () =>
    Object.fromEntries(
      Object.entries(NAMES).map(([name, place]) => [name, (emulator.resource(place)?.policy ?? {}) as Policy]),
    );
  const program = (...lines: string[]) => project.writeFiles({ "index.js": HEAD + lines.join("\n") });
  const lines = ({ resources }: ReviewResult) =>
    resources.flatMap(({ resource, changes }) =>
      changes.map(({ change, principal, role }) => `${change} ${principal} ${role} ${resource.split("/").at(-1)}`),
    );

  /** Reviews the plan of the next operation, with the state of the stack. */
  async function planned(command = ["preview"], options: Partial<ReviewOptions> = {}): Promise<ReviewResult> {
    const { stdout: plan } = await project.run([...command, "--json", "--show-sames"]);
    const state = JSON.stringify(await project.exportState());
    return review({ plan, state, environment: project.env, ...options });
  }

  /** Reviews the next operation, carries it out, and compares. */
  async function carriedOut({ destroy = false, inherited = true } = {}): Promise<ReviewResult> {
    const before = policies();
    const result = await planned(destroy ? ["destroy", "--preview-only"] : ["preview"], { inherited });
    expect(policies()).toEqual(before);
    if (destroy) await project.destroy();
    else await project.up();
    expect([...result.unknown, ...result.resources.flatMap(({ unknown }) => unknown)]).toEqual([]);
    const after = policies();
    const above = { "project demo-project": grantTexts(after[PROJECT]) };
    const isBelow = (resource: string) => inherited && resource === TOPIC;
    expect(wrongPredictions(result, before, after, { above: (each) => (isBelow(each) ? above : {}) })).toEqual([]);
    return result;
  }

  const topic = (name: string, more: string) => `new gcp.pubsub.${name}("${name}", { topic: "orders", ${more} });`;

  describe("an update does what the review of its plan says", () => {
    let steps: Record<"first" | "second" | "third" | "destroyed", ReviewResult>;
    const on = (step: keyof typeof steps, resource: string) =>
      lines(steps[step]).filter((each) => each.endsWith(` ${resource.split("/").at(-1)}`));

    beforeAll(async () => {
      program(
        `new gcp.projects.IAMBinding("owners", { project: "demo-project", role: "${OWNER}", members: ["${EVE}"] });`,
        topic("TopicIAMMember", `role: "${PUBLISHER}", member: "${EVE}"`),
      );
      const first = await carriedOut();

      // Somebody else adds Ada.
      emulator.mutate(NAMES[PROJECT], bindings(OWNER, EVE, ADA));
      program(topic("TopicIAMMember", `role: "roles/pubsub.viewer", member: "${EVE}"`));
      const second = await carriedOut();

      emulator.mutate(NAMES[BUCKET], bindings("roles/storage.objectAdmin", ADA, BOB));
      const data = JSON.stringify({ bindings: [{ role: PUBLISHER, members: [ADA] }] });
      program(
        topic("TopicIAMPolicy", `policyData: '${data}'`),
        `new gcp.storage.BucketIAMBinding("admins", { bucket: "files", role: "roles/storage.objectAdmin", members: ["${EVE}"] });`,
      );
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
    const grant = (name: string, named: string) => `${name}, { ${named}, role: "${PUBLISHER}", member: "${EVE}" });`;
    const ofGcp = (topic: string) => grant('new gcp.pubsub.TopicIAMMember("late"', `topic: ${topic}`);
    const own = (resource: string) =>
      grant('new pulumi.CustomResource("perimeter:iam/v1:ResourceIamMember", "own"', `resource: ${resource}`);
    const secret = 'pulumi.secret(["user:canary@example.com"])';
    const topic = 'const topic = new gcp.pubsub.Topic("t", { name: "orders" });';
    program(topic, ofGcp("topic.id"), own("pulumi.interpolate`//pubsub.googleapis.com/${topic.id}`"));
    const onNew = await planned();
    const unnamed = `gained ${EVE} ${PUBLISHER} [known after the update]`;
    expect(lines(onNew)).toEqual([unnamed, unnamed]);
    expect([onNew.unknown, onNew.resources.flatMap(({ unknown }) => unknown)]).toEqual([[], []]);
    expect(onNew.verdict.exitCode).toBe(0);

    program(
      `new gcp.storage.BucketIAMBinding("b", { bucket: "files", role: "roles/viewer", members: ${secret} });`,
      `new gcp.pubsub.TopicIAMBinding("s", { topic: pulumi.secret("orders"), role: "roles/viewer", members: ["${EVE}"] });`,
    );
    const result = await reviewStack(stack());
    expect(JSON.stringify(result)).not.toContain("canary");
    expect(lines(result).sort()).toEqual(["gained [secret] roles/viewer files", `gained ${EVE} roles/viewer [secret]`]);
    expect(result.resources.flatMap(({ unknown }) => unknown.map(({ message }) => message)).join()).toMatch(
      /It is unknown who gains and who loses access.* creates s .*Everybody else who has its role loses it/,
    );
    expect(result.verdict.exitCode).toBe(3);
  });

  // Each test continues from the one before it.
  describe("a stack of topics, their grants and a custom role", () => {
    const role = (...permissions: string[]) =>
      `new gcp.projects.IAMCustomRole("r", { project: "demo-project", roleId: "deployer", title: "Deployer", permissions: ${JSON.stringify(permissions)} });`;
    const declared = [
      'const topic = new gcp.pubsub.Topic("new", { name: "invoices" });',
      `new gcp.pubsub.TopicIAMBinding("viewers", { topic: topic.name, role: "roles/viewer", members: ["${BOB}"] });`,
      'new pulumi.CustomResource("perimeter:iam/v1:ResourceIamMember", "own", {',
      "  resource: pulumi.interpolate`//pubsub.googleapis.com/projects/demo-project/topics/${topic.name}`,",
      `  role: "${PUBLISHER}", member: "${EVE}" });`,
      'new gcp.pubsub.Topic("t", { name: "orders" });',
      `new gcp.pubsub.TopicIAMBinding("all", { topic: "orders", role: "${PUBLISHER}", members: ["${BOB}", "${EVE}"] });`,
      `new gcp.pubsub.TopicIAMMember("one", { topic: "orders", role: "${PUBLISHER}", member: "${EVE}" });`,
    ];
    let made: ReviewResult;

    beforeAll(async () => {
      emulator.mutate(NAMES[TOPIC], bindings(PUBLISHER, BOB));
      program(...declared, role("run.services.get", "run.services.update"));
      made = await reviewStack(stack());
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
      const unmanaged = result.resources.filter(({ resource }) => resource === TOPIC).map((each) => each.unmanaged);
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
      program(...declared, role("run.services.get", "run.jobs.run"));
      const result = await planned();
      const [said] = result.resources.flatMap(({ unknown }) => unknown.map(({ message }) => message));
      expect(said).toContain(
        "The role projects/demo-project/roles/deployer loses run.services.update and gains run.jobs.run. " +
          `By the policies that were read, ${OPS} on ${PROJECT} has it.`,
      );
      expect(result.verdict.exitCode).toBe(3);
    });

    test("a deleted topic takes its policy along, and what is granted on a topic that is nowhere is unknown", async () => {
      program(`new gcp.pubsub.TopicIAMMember("m", { topic: "nowhere", role: "${PUBLISHER}", member: "${EVE}" });`);
      const result = await planned();
      expect(
        lines(result)
          .filter((each) => each.endsWith("orders"))
          .sort(),
      ).toEqual([`lost ${BOB} ${PUBLISHER} orders`, `lost ${EVE} ${PUBLISHER} orders`]);
      const { violations } = result.verdict;
      expect(violations).toContainEqual(
        expect.objectContaining({ rule: "unknown", resource: TOPIC.replace("orders", "nowhere") }),
      );
    });
  });
});
