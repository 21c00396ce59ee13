/**
 * What only the plugin has, in reviews on the real engine: explicit providers and imports. Each scenario has a FHIR store of
 * its own in one stack.
 */
import { startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { FHIR_STORE, PROJECT, storeOf } from "../../support/programs";
import type { Grants } from "../../support/review-fronts";
import { wrongPredictions, type Policies } from "../../support/review-outcome";
import { changeLines, line, onStore, READER, type Reviewed, ReviewWorld, VIEWER } from "../../support/review-world";
import { skipped } from "../../support/skipped";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const STORES = ["moves", "back", "leaves", "imported", "adopted", "alone", "replaced"].map(storeOf);
const group = (name: string) => `group:${name}@example.com`;
const idOf = (store: string, name: string) => `${storeOf(store)}/${READER}/${group(name)}`;
const readers = (...names: string[]) => [{ role: READER, members: names.map(group) }];

const missing = missingHost("yaml");

(missing === undefined ? describe : describe.skip)(`the plugin alone${skipped(missing)}`, () => {
  let world: ReviewWorld;
  let other: Emulator;
  let steps: Record<"first" | "second" | "destroyed", Reviewed & { wrong: string[] }>;

  beforeAll(async () => {
    const ofOthers = { bindings: [{ role: VIEWER, members: ["user:zoe@example.com"] }] };
    other = await startEmulator({
      seed: [
        { service: "healthcare", name: FHIR_STORE, body: { version: "R4" }, policy: ofOthers },
        ...STORES.map((name) => ({ service: "healthcare", name, body: { version: "R4" }, policy: { bindings: [] } })),
      ],
    });
    const there = { emulatorHost: `${other.host}:${other.port}`, project: PROJECT, grantMode: "merge" };
    const here = { project: PROJECT, grantMode: "merge" };
    const imported = {
      name: storeOf("imported"),
      member: group("imported"),
      import: idOf("imported", "imported"),
    };
    const first: Grants = {
      here: { member: group("here") },
      there: { member: group("there"), provider: "cloud" },
      moves: { name: storeOf("moves"), member: group("moves"), provider: "east" },
      back: { name: storeOf("back"), member: group("back"), provider: "second" },
      leaves: { name: storeOf("leaves"), member: group("leaves"), provider: "leaving" },
      imported,
      adopted: { name: storeOf("adopted"), member: group("kept") },
      alone: { name: storeOf("alone"), member: group("kept"), provider: "only" },
      replaced: { name: storeOf("replaced"), member: group("old"), provider: "mover" },
    };
    world = await ReviewWorld.create("plugin", first, {
      providers: {
        cloud: there,
        east: there,
        second: here,
        leaving: there,
        only: { ...here, grantMode: "replace" },
        mover: there,
      },
    });
    for (const name of STORES) world.others([], name);
    world.others(readers("imported"), storeOf("imported"));
    const created = await carryOut("up");

    for (const name of ["adopted", "alone"]) world.others(readers("kept", "adopted", "others"), storeOf(name));
    world.declare(
      {
        here: { member: group("here"), provider: "second" },
        there: { member: group("changed"), provider: "cloud" },
        moves: { name: storeOf("moves"), member: group("moved"), provider: "second" },
        back: { name: storeOf("back"), member: group("went"), provider: "east" },
        imported,
        adopted: { name: storeOf("adopted"), member: group("adopted"), import: idOf("adopted", "adopted") },
        alone: { name: storeOf("alone"), member: group("adopted"), import: idOf("alone", "adopted"), provider: "only" },
        replaced: { name: storeOf("replaced"), member: group("new"), provider: "mover" },
      },
      {
        cloud: { ...there, grantMode: "replace" },
        east: there,
        second: here,
        only: { ...here, grantMode: "replace" },
        mover: here,
      },
    );
    const args = ["--replace", `urn:pulumi:${world.project.stack}::p::pulumi:providers:perimeter::mover`];
    steps = { first: created, second: await carryOut("up", args), destroyed: await carryOut("destroy") };
  });

  afterAll(async () => {
    await world?.dispose();
    await other?.stop();
  });

  /** Reviews and does it. @returns what was predicted wrongly in either cloud, too. */
  async function carryOut(command: "up" | "destroy", args: string[] = []) {
    const both = () => ({ here: world.policies(), there: world.policies(other) });
    const before = both();
    const reviewed = command === "up" ? await world.review(args) : await world.reviewDestroy();
    await world.project[command]({ args });
    const after = both();
    const isThere = ({ endpoint }: { endpoint?: string | undefined }) =>
      endpoint?.includes(String(other.port)) ?? false;
    const wrong = (wanted: boolean, had: Policies, has: Policies) => {
      const resources = reviewed.result.resources.filter((each) => isThere(each) === wanted);
      const sentences = wrongPredictions({ ...reviewed.result, resources }, had, has);
      return sentences.filter((each) => !each.startsWith("summary"));
    };
    return {
      ...reviewed,
      wrong: [...wrong(false, before.here, after.here), ...wrong(true, before.there, after.there)],
    };
  }

  /** What a step was to change on a scenario's store. */
  const changes = (step: keyof typeof steps, store: string) => changeLines(onStore(steps[step].result, store));

  test("all predictions are correct in both clouds", () => {
    const { first, second, destroyed } = steps;
    expect([first.wrong, second.wrong, destroyed.wrong]).toEqual([[], [], []]);
    expect([second.result.unknown, second.result.verdict.exitCode]).toEqual([[], 2]);
  });

  test("stores of the same name in two clouds are reviewed separately, each with its provider's grant mode", () => {
    expect(changes("first", FHIR_STORE)).toEqual([line("+", group("here")), line("+", group("there"))]);
    // The other cloud's provider replaces now. Here another provider of the same cloud takes over what the default one made.
    expect(changes("second", FHIR_STORE)).toEqual(
      [line("+", group("changed")), line("-", group("there")), line("-", "user:zoe@example.com", VIEWER)].sort(),
    );
  });

  test("if a replacement changes the cloud, the loss is in the old cloud and the gain in the new one", () => {
    expect(onStore(steps.second.result, storeOf("moves")).resources).toHaveLength(2);
    expect(changes("second", storeOf("moves"))).toEqual([line("+", group("moved")), line("-", group("moves"))]);
    expect(onStore(steps.second.result, storeOf("back")).resources).toHaveLength(2);
    expect(changes("second", storeOf("back"))).toEqual([line("+", group("went")), line("-", group("back"))]);
  });

  test("if a provider is replaced with its grant, the old provider deletes the grant in its own cloud", () => {
    const { resources } = onStore(steps.second.result, storeOf("replaced"));
    const on = (url: string) => resources.filter(({ endpoint }) => endpoint === `${url}/v1beta1/`);
    expect(on(world.emulator.url)).toMatchObject([{ changes: [{ change: "gained", principal: group("new") }] }]);
    expect(on(other.url)).toMatchObject([{ changes: [{ change: "lost", principal: group("old") }] }]);
    expect(resources.flatMap(({ unknown }) => unknown)).toEqual([]);
  });

  test("the review shows the loss if a provider is deleted with its grant", () => {
    expect(changes("second", storeOf("leaves"))).toEqual([line("-", group("leaves"))]);
  });

  test("an imported grant changes no access, and the grant that the import replaces is lost", () => {
    expect(onStore(steps.first.result, storeOf("imported")).resources).toEqual([]);
    expect(onStore(steps.second.result, storeOf("imported")).resources).toEqual([]);
    expect(changes("second", storeOf("adopted"))).toEqual([line("-", group("kept"))]);
    // In replace mode too: an import writes nothing.
    expect(changes("second", storeOf("alone"))).toEqual([line("-", group("kept"))]);
  });

  test("a destroy shows the loss of all grants in both clouds", () => {
    expect(changeLines(steps.destroyed.result)).toEqual(
      ["here", "changed", "moved", "went", "imported", "adopted", "adopted", "new"]
        .map((name) => line("-", group(name)))
        .sort(),
    );
  });
});
