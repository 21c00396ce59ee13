/** What a review cannot know it says, what the update will refuse it refuses too, and it never shows a secret. */
import { startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { FHIR_STORE, PROJECT } from "../../support/programs";
import { wrongPredictions } from "../../support/review-outcome";
import {
  ADMIN,
  changeLines,
  line,
  READER,
  ReviewWorld,
  VIEWER,
  type Front,
  type Grants,
} from "../../support/review-world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const FRONTS: Front[] = missing === undefined ? ["plugin", "npm"] : ["npm"];
const CANARY = "canary-7f3a9c";
const STORE_SEED = (policy: object) => ({ service: "healthcare", name: FHIR_STORE, body: { version: "R4" }, policy });

let world: ReviewWorld;
let other: Emulator | undefined;
afterEach(async () => {
  await world?.dispose();
  await other?.stop();
  other = undefined;
});

describe.each(FRONTS)("%s", (front) => {
  const start = async (grants: Grants, config: Record<string, string | boolean> = {}) => {
    world = await ReviewWorld.create(front, grants, { config });
  };

  test("a lock-out is refused by the review, the preview and the update", async () => {
    await start({ only: { member: "group:nurses@example.com" } }, { "perimeter:grantMode": "replace" });
    world.others([{ role: ADMIN, members: ["user:grace@example.com"] }]);
    const { result, before } = await world.review();
    expect(result.refused).toEqual([
      {
        step: world.urn("only"),
        resource: FHIR_STORE,
        reason: expect.stringMatching(/nobody would be left with a role/) as string,
      },
    ]);
    expect(result.unknown.map(({ code }) => code)).toContain("incomplete plan");
    expect([2, 3]).toContain(result.verdict.exitCode);
    await world.project.up({ fail: "yes" });
    expect(world.policies()).toEqual(before);
  });

  test("a limit is refused by the review and by the update", async () => {
    await start({ one: { member: "group:one@example.com" } });
    const groups = Array.from({ length: 250 }, (_, at) => `group:g${at}@example.com`);
    world.others([{ role: VIEWER, members: groups }]);
    const { result, before } = await world.review();
    expect(result.refused).toMatchObject([{ step: world.urn("one"), resource: FHIR_STORE }]);
    expect(result.refused[0]?.reason).toMatch(/251 of them groups/);
    expect(result.verdict.exitCode).not.toBe(0);
    await world.project.up({ fail: "yes" });
    expect(world.policies()).toEqual(before);
  });

  test("a policy that cannot be read is no policy without changes", async () => {
    await start({ goes: { member: "group:goes@example.com" }, stays: { member: "group:stays@example.com" } });
    await world.project.up();
    world.declare({ stays: { member: "group:stays@example.com" } });
    world.emulator.setFaults([{ match: { id: "**.getIamPolicy" }, times: 0, fault: { status: 403, message: "no" } }]);
    const { result } = await world.review();
    expect(result.resources).toMatchObject([{ resource: FHIR_STORE, before: null, after: null }]);
    expect(result.resources[0]?.unknown.map(({ code }) => code)).toContain("unreadable policy");
    // The state says that it has the grant, and the plan takes it away: that is a loss, whatever else the policy has.
    expect(changeLines(result)).toEqual([line("-", "group:goes@example.com")]);
    expect(result.resources[0]?.noAccessLeft).toEqual([]);
    expect(result.verdict.exitCode).toBe(2);
    expect(result.summary.unknown).toBe(1);

    world.declare({
      goes: { member: "group:goes@example.com" },
      stays: { member: "group:stays@example.com" },
      comes: { member: "group:comes@example.com" },
    });
    expect((await world.review()).result.verdict.exitCode).toBe(3);
  });

  test("what is not known yet is said so, and the rest is predicted", async () => {
    await start({ goes: { member: "group:goes@example.com" } });
    await world.project.up();
    world.declare({ unknown: { member: "unknown" }, known: { member: "group:known@example.com" } });
    const { result, before } = await world.review();
    const [resource] = result.resources;
    expect(resource?.unknown).toMatchObject([{ code: "not known yet", step: world.urn("unknown") }]);
    expect(changeLines(result)).toEqual(
      [
        line("+", "[known after the update]"),
        line("+", "group:known@example.com"),
        line("-", "group:goes@example.com"),
      ].sort(),
    );
    expect(resource?.changes.find(({ principal }) => principal.startsWith("["))?.hidden).toBe("known after the update");
    expect(result.verdict.exitCode).toBe(2);
    await world.project.up();
    // All but the name of the unknown one is as predicted.
    const named = JSON.parse(
      JSON.stringify(result).replaceAll("[known after the update]", "group:active@example.com"),
    ) as typeof result;
    expect(wrongPredictions(named, before, world.policies())).toEqual([]);
  });

  test("secret members are counted and never shown; with the state's secrets they are followed", async () => {
    const secret = (name: string) => `secret:group:${CANARY}-${name}@example.com`;
    await start({
      goes: { member: secret("goes") },
      moves: { member: secret("before") },
      stays: { member: secret("stays") },
    });
    await world.project.up();
    world.declare({
      moves: { member: secret("after") },
      stays: { member: secret("stays") },
      plain: { member: "group:plain@example.com" },
    });
    const { result, plan } = await world.review();
    expect(JSON.stringify(result)).not.toContain(CANARY);
    expect(result.resources[0]?.unknown.map(({ code }) => code)).toContain("secret");
    expect(result.verdict.exitCode).not.toBe(0);
    expect(changeLines(result)).toContain(line("+", "group:plain@example.com"));

    const state = (await world.project.run(["stack", "export", "--show-secrets"])).stdout;
    const followed = await world.review([], { plan, state });
    expect(JSON.stringify(followed.result)).not.toContain(CANARY);
    const [resource] = followed.result.resources;
    const lost = resource?.changes.filter(({ change }) => change === "lost") ?? [];
    expect(lost.map(({ steps }) => steps).sort()).toEqual([[world.urn("goes")], [world.urn("moves")]].sort());
    expect(lost.every(({ hidden, principal }) => hidden === "secret" && principal.includes("[secret]"))).toBe(true);
    const before = followed.before[FHIR_STORE];
    await world.project.up();
    const after = world.policies()[FHIR_STORE];
    const count = (policy?: { bindings?: readonly { members?: readonly string[] }[] }) =>
      (policy?.bindings ?? []).reduce((sum, { members }) => sum + (members?.length ?? 0), 0);
    expect(count({ bindings: resource?.before ?? [] })).toBe(count(before));
    expect(count({ bindings: resource?.after ?? [] })).toBe(count(after));

    const destroyed = await world.reviewDestroy([], {
      state: (await world.project.run(["stack", "export", "--show-secrets"])).stdout,
    });
    expect(JSON.stringify(destroyed.result)).not.toContain(CANARY);
    expect(destroyed.result.summary.lost).toBe(3);
  });
});

(missing === undefined ? describe : describe.skip)("the plugin alone", () => {
  test("explicit providers: another cloud, another mode, a new one, one that goes", async () => {
    other = await startEmulator({
      seed: [STORE_SEED({ bindings: [{ role: VIEWER, members: ["user:zoe@example.com"] }] })],
    });
    const there = { emulatorHost: `${other.host}:${other.port}`, project: PROJECT, grantMode: "merge" };
    world = await ReviewWorld.create(
      "plugin",
      { here: { member: "group:here@example.com" }, there: { member: "group:there@example.com", provider: "cloud" } },
      { providers: { cloud: there } },
    );
    const both = () => ({ here: world.policies(), there: other ? world.policies(other) : {} });
    const compare = async (command: "up" | "destroy") => {
      const clouds = both();
      const { result } = command === "up" ? await world.review() : await world.reviewDestroy();
      await (command === "up" ? world.project.up() : world.project.destroy());
      const isThere = ({ endpoint }: { endpoint?: string | undefined }) =>
        endpoint?.includes(String(other?.port)) ?? false;
      const part = (wanted: boolean) => {
        const resources = result.resources.filter((each) => isThere(each) === wanted);
        return { ...result, resources };
      };
      const sentences = (wanted: boolean, before: typeof clouds.here, after: typeof clouds.here) =>
        wrongPredictions(part(wanted), before, after).filter((each) => !each.startsWith("summary"));
      const after = both();
      expect(sentences(false, clouds.here, after.here)).toEqual([]);
      expect(sentences(true, clouds.there, after.there)).toEqual([]);
      return result;
    };
    expect(changeLines(await compare("up"))).toEqual([
      line("+", "group:here@example.com"),
      line("+", "group:there@example.com"),
    ]);

    // It replaces now, and another provider of the first cloud takes over what the default one made.
    const replacing = { ...there, grantMode: "replace" };
    const second = { project: PROJECT, grantMode: "merge" };
    world.declare(
      {
        here: { member: "group:here@example.com", provider: "second" },
        there: { member: "group:changed@example.com", provider: "cloud" },
      },
      { cloud: replacing, second },
    );
    expect(changeLines(await compare("up"))).toEqual(
      [
        line("+", "group:changed@example.com"),
        line("-", "group:there@example.com"),
        line("-", "user:zoe@example.com", VIEWER),
      ].sort(),
    );

    // A replacement in another cloud: each side is on the policy of its own provider.
    world.declare(
      {
        here: { member: "group:here@example.com", provider: "second" },
        there: { member: "group:moved@example.com", provider: "second" },
      },
      { cloud: there, second },
    );
    const moved = await compare("up");
    expect(moved.resources).toHaveLength(2);
    expect(changeLines(moved)).toEqual([line("+", "group:moved@example.com"), line("-", "group:changed@example.com")]);

    // Back, and then the other cloud's provider goes with its grant.
    world.declare(
      {
        here: { member: "group:here@example.com", provider: "second" },
        there: { member: "group:back@example.com", provider: "cloud" },
      },
      { cloud: there, second },
    );
    expect(changeLines(await compare("up"))).toEqual([
      line("+", "group:back@example.com"),
      line("-", "group:moved@example.com"),
    ]);
    world.declare({ here: { member: "group:here@example.com", provider: "second" } }, { second });
    expect(changeLines(await compare("up"))).toEqual([line("-", "group:back@example.com")]);
    expect(changeLines(await compare("destroy"))).toEqual([line("-", "group:here@example.com")]);
  });

  test("a grant that is imported, and one that is only read, change nothing", async () => {
    world = await ReviewWorld.create("plugin", { kept: { member: "group:kept@example.com" } });
    await world.project.up();
    const grant = (member: string) => `${FHIR_STORE}/${READER}/group:${member}@example.com`;
    world.others([{ role: READER, members: ["group:kept@example.com", "group:imported@example.com"] }]);
    world.declare({
      kept: { member: "group:kept@example.com" },
      imported: { member: "group:imported@example.com", import: grant("imported") },
    });
    const imported = await world.update();
    expect(imported.wrong).toEqual([]);
    expect(imported.result.resources).toEqual([]);

    world.others([
      { role: READER, members: ["group:kept@example.com", "group:imported@example.com", "group:adopted@example.com"] },
    ]);
    world.declare({
      kept: { member: "group:adopted@example.com", import: grant("adopted") },
      imported: { member: "group:imported@example.com", import: grant("imported") },
    });
    const adopted = await world.update();
    expect(adopted.wrong).toEqual([]);
    expect(changeLines(adopted.result)).toEqual([line("-", "group:kept@example.com")]);
  });
});
