/** Grants on any resource on the real engine: many kinds of the table in one program, and a stack's life with each front. */
import { onlyStack, type OneStack } from "../../support/answers";
import { accessOfStack, reviewStack } from "../../../access";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { policyKinds } from "../../../provider/iam/kinds/kinds";
import type { Policy } from "../../../provider/iam/policy";
import { drifts } from "../../support/drift";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { packedPackage } from "../../support/pack";
import type { OperationResult } from "../../support/engine-events";
import { pluginFolder } from "../../support/plugin";
import { resourceOfKind } from "../../support/policy-kinds";
import { JAVASCRIPT, TOPIC } from "../../support/programs";
import { casesHere, leftOut, noteLeftOut } from "../../support/test-all";
import { ANY_GRANT } from "../../support/tokens";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

const RESOURCE = `//pubsub.googleapis.com/${TOPIC}`;
const ADA = "user:ada@example.com";

const missing = missingHost("yaml");
const describeYaml = missing === undefined ? describe : describe.skip;
const skippedYaml = missing === undefined ? "" : ` [skipped: ${missing}]`;

/** Those of the part that runs. */
let emulator: Emulator;
let project: EngineProject;
async function dispose(): Promise<void> {
  await project?.dispose();
  await emulator?.stop();
}

const yaml = (resources: object, outputs: object = {}) => ({
  "Pulumi.yaml": JSON.stringify({ name: "p", runtime: "yaml", resources, outputs }),
});
const changesOf = ({ resources }: OneStack) =>
  resources.flatMap(({ changes }) => changes.map(({ change, principal }) => `${change} ${principal}`)).sort();

/** `make test` has every twelfth kind of the table. */
const KINDS = policyKinds().filter((_, at) => leftOut === undefined || at % 12 === 0);
noteLeftOut(`a program with a grant on each of ${policyKinds().length - KINDS.length} other kinds`);

(missing === undefined ? test : test.skip)(
  `a program has one grant on each kind: up, refresh and destroy${skippedYaml}`,
  async () => {
    try {
      const kinds = KINDS.map((kind) => resourceOfKind(kind));
      emulator = await startEmulator({ seed: kinds.map(({ service, name }) => ({ service, name })), anyRole: true });
      const grants = kinds.map(({ resource }, at) => [
        `grant${at}`,
        { type: ANY_GRANT, properties: { resource, role: "roles/viewer", member: ADA } },
      ]);
      project = await EngineProject.create({
        program: yaml(Object.fromEntries(grants)),
        // The engine writes the state once, at the end, and not after each resource, which takes as long as all else.
        env: { ...emulator.env, PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" },
        path: [pluginFolder()],
        nodeModules: "none",
      });
      expect(new Set(kinds.map(({ service }) => service)).size).toBeGreaterThan(10);
      // The stack counts as a resource.
      expect((await project.up()).changes).toEqual({ create: kinds.length + 1 });
      const refreshed = await project.preview({ refresh: true });
      expect([refreshed.changes, drifts(refreshed)]).toEqual([{}, {}]);
      await project.destroy();
      const left = kinds.filter(({ name, service }) => {
        const policies = emulator.resources().filter((each) => each.name === name && each.service === service);
        return policies.some(({ policy }) => ((policy as Policy | undefined)?.bindings ?? []).length > 0);
      });
      expect(left).toEqual([]);
    } finally {
      await dispose();
    }
  },
);

/** tests/engine/earlier-versions has updates, refreshes and deletes of these grants through the npm front. */
const fronts = casesHere(
  ["plugin", "npm"] as const,
  (front) => front === "plugin",
  (front) => `grants on any resource with the ${front}`,
);

describe.each(fronts)("with the %s", (front) => {
  const describeHere = front === "plugin" ? describeYaml : describe;
  const program = (grants: Record<string, { role: string; member: string }>) => {
    if (front === "plugin") {
      const declared = Object.entries(grants).map(([name, grant]) => [
        name,
        { type: ANY_GRANT, properties: { resource: RESOURCE, ...grant } },
      ]);
      const invoke = { function: "perimeter:iam/v1:getResourceIamPolicy", arguments: { resource: RESOURCE } };
      return yaml(Object.fromEntries(declared), { etag: { "fn::invoke": { ...invoke, return: "etag" } } });
    }
    const lines = Object.entries(grants).map(
      ([name, grant]) => `new iam.v1.ResourceIamMember("${name}", { resource, ...${JSON.stringify(grant)} });`,
    );
    return {
      "package.json": JSON.stringify({ name: "p", private: true, main: "index.js" }),
      "index.js": `
        const { iam } = require("pulumi-perimeter");
        const resource = "${RESOURCE}";
        ${lines.join("\n")}
        exports.etag = iam.v1.getResourceIamPolicyOutput({ resource }).etag;
      `,
    };
  };
  const publisher = { role: "roles/pubsub.publisher", member: "group:orders@example.com" };
  const viewer = { role: "roles/pubsub.viewer", member: ADA };

  describeHere(`in the life of a stack${front === "plugin" ? skippedYaml : ""}`, () => {
    /** Before the first `up`, and before the one in which two grants go. */
    let review: OneStack;
    let loss: OneStack;
    let joined: string[];
    let outputs: Record<string, unknown>;
    let access: OneStack;
    let second: OperationResult;
    let left: string[];

    beforeAll(async () => {
      emulator = await startEmulator({ seed: demoSeed });
      project = await EngineProject.create({
        program: program({ publisher, viewer, keeper: { role: "roles/pubsub.admin", member: ADA } }),
        name: "p",
        config: { "perimeter:grantMode": "replace" },
        env: emulator.env,
        ...(front === "plugin"
          ? { path: [pluginFolder()], nodeModules: "none" }
          : { runtime: JAVASCRIPT, path: [engine().bin], nodeModules: packedPackage().nodeModules }),
      });
      const members = () =>
        ((emulator.resource(TOPIC)?.policy as Policy).bindings ?? [])
          .flatMap(({ role, members: all = [] }) => all.map((member) => `${role} ${member}`))
          .sort();

      review = onlyStack(await reviewStack(project.stackOptions));
      await project.up();
      [joined, outputs] = [members(), await project.outputs()];
      access = onlyStack(await accessOfStack(project.stackOptions));
      project.writeFiles(program({ publisher }));
      loss = onlyStack(await reviewStack(project.stackOptions));
      second = await project.up();
      await project.destroy();
      left = members();
    });
    afterAll(dispose);

    test("a review names the resource, its kind, and who gains access", () => {
      expect(review.unknown).toEqual([]);
      expect(review.resources).toMatchObject([{ resource: RESOURCE, kind: "a topic", api: "pubsub" }]);
      expect(changesOf(review)).toEqual(["gained group:orders@example.com", `gained ${ADA}`, `gained ${ADA}`]);
    });

    test("in the mode replace, grants join those of others in the policy", () => {
      expect(joined).toEqual([
        `roles/pubsub.admin ${ADA}`,
        "roles/pubsub.publisher group:orders@example.com",
        "roles/pubsub.viewer group:support@example.com",
        `roles/pubsub.viewer ${ADA}`,
      ]);
    });

    test("a lookup reads the policy", () => {
      expect(outputs.etag).toEqual(expect.stringMatching(/./));
    });

    test("the access of the stack tells what others have", () => {
      expect(access.resources).toMatchObject([
        { resource: RESOURCE, unmanaged: [{ principal: "group:support@example.com", role: "roles/pubsub.viewer" }] },
      ]);
    });

    test("a review names who loses access, and fails", () => {
      expect(changesOf(loss)).toEqual([`lost ${ADA}`, `lost ${ADA}`]);
      expect(loss.verdict.exitCode).toBe(2);
    });

    const risk = /leaves no identity with a role on .*topics\/orders/s;
    test("a review says that the last administrator goes", () => {
      expect(loss.notes.join()).toMatch(risk);
    });

    // The engine does not show what a dynamic provider reports in an update.
    if (front === "plugin")
      test("an update says that the last administrator goes", () => {
        expect(second.messages("warning").join()).toMatch(risk);
      });

    test("after a destroy, others have what they had", () => {
      expect(left).toEqual(["roles/pubsub.viewer group:support@example.com"]);
    });
  });
});

describeYaml(`an import of a grant${skippedYaml}`, () => {
  let imported: OperationResult;
  let preview: OperationResult;

  beforeAll(async () => {
    emulator = await startEmulator({ seed: demoSeed });
    const grant = { resource: RESOURCE, role: "roles/pubsub.viewer", member: "group:support@example.com" };
    const importing = {
      type: ANY_GRANT,
      properties: grant,
      options: { import: `${RESOURCE} ${grant.role} ${grant.member}` },
    };
    project = await EngineProject.create({
      program: yaml({ support: importing }),
      env: emulator.env,
      path: [pluginFolder()],
      nodeModules: "none",
    });
    imported = await project.up();
    const properties = { ...grant, role: "roles/pubsub.viewr" };
    const misspelled = { type: ANY_GRANT, properties, options: { dependsOn: ["${support}"] } };
    project.writeFiles(yaml({ support: { type: ANY_GRANT, properties: grant }, other: misspelled }));
    preview = await project.preview({ fail: "yes" });
  });
  afterAll(dispose);

  test("needs no change after it", () => {
    expect(imported.changes).toMatchObject({ import: 1 });
    expect(preview.step("support").op).toBe("same");
  });

  test("is followed by a preview that refuses a misspelled role, and names the right one", () => {
    expect(preview.messages("error").join("\n")).toContain('(did you mean "roles/pubsub.viewer"?)');
  });
});
