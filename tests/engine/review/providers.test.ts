/** Explicit providers and imports, which only the plugin has, in reviews on the real engine. */
import { reviewStack } from "../../../access";
import { startEmulator, type Emulator } from "../../../emulator";
import { byEffect, onlyStack, type OneStack } from "../../support/answers";
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { FHIR_STORE, PROJECT, storeOf } from "../../support/programs";
import type { Grants } from "../../support/review-fronts";
import { wrongPredictions, type Policies } from "../../support/review-outcome";
import { changeLines, line, onStore, READER, ReviewedStack, VIEWER } from "../../support/reviewed-stack";
import { skipped } from "../../support/skipped";
import { leftOut, noteLeftOut } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const group = (name: string) => `group:${name}@example.com`;
const ZOE = "user:zoe@example.com";
const OTHERS = [{ role: VIEWER, members: [ZOE] }];
const readers = (...names: string[]) => [{ role: READER, members: names.map(group) }];
const messages = ({ resources, unknown }: OneStack) =>
  [...unknown, ...resources.flatMap((each) => each.unknown)].map(({ message }) => message);

const missing = missingHost("yaml");

(missing === undefined ? describe : describe.skip)(`explicit providers${skipped(missing)}`, () => {
  let stack: ReviewedStack;
  afterEach(() => stack?.dispose());

  describe("of two clouds", () => {
    const STORES = ["moves", "back", "leaves", "adopted", "alone", "replaced"].map(storeOf);
    const on = (store: string, member: string, provider?: string) => ({
      name: storeOf(store),
      member: group(member),
      ...(provider && { provider }),
    });
    const importing = (store: string) => ({ import: `${storeOf(store)}/${READER}/${group("adopted")}` });
    const FIRST: Grants = {
      here: { member: group("here") },
      there: { member: group("there"), provider: "cloud" },
      moves: on("moves", "moves", "east"),
      back: on("back", "back", "second"),
      leaves: on("leaves", "leaves", "leaving"),
      adopted: on("adopted", "kept"),
      alone: on("alone", "kept", "only"),
      replaced: on("replaced", "old", "mover"),
    };
    /** One grant with each kind of change. */
    const SECOND: Grants = {
      here: { member: group("here"), provider: "second" },
      there: { member: group("changed"), provider: "cloud" },
      moves: on("moves", "moved", "second"),
      back: on("back", "went", "east"),
      adopted: { ...on("adopted", "adopted"), ...importing("adopted") },
      alone: { ...on("alone", "adopted", "only"), ...importing("alone") },
      replaced: on("replaced", "new", "mover"),
    };
    let other: Emulator;

    beforeEach(async () => {
      const stores = STORES.map((name) => ({ name, policy: { bindings: [] } }));
      const seed = [{ name: FHIR_STORE, policy: { bindings: OTHERS } }, ...stores];
      other = await startEmulator({
        seed: seed.map((each) => ({ service: "healthcare", body: { version: "R4" }, ...each })),
      });
    });
    afterEach(() => other?.stop());

    /** Reviews and does it. @returns the changes, and what was predicted wrongly in either cloud */
    async function carryOut(command: "up" | "destroy", args: string[] = []) {
      const both = () => ({ here: stack.policies(), there: stack.policies(other) });
      const before = both();
      const { result } = command === "up" ? await stack.review(args) : await stack.reviewDestroy();
      await stack.project[command]({ args });
      const after = both();
      const isThere = ({ endpoint = "" }: { endpoint?: string | undefined }) => endpoint.includes(String(other.port));
      const wrong = (wanted: boolean, had: Policies, has: Policies) => {
        const resources = result.resources.filter((each) => isThere(each) === wanted);
        const sentences = wrongPredictions({ ...result, resources }, had, has);
        return sentences.filter((each) => !each.startsWith("summary"));
      };
      return {
        changes: changeLines(result),
        rest: [
          ...messages(result),
          ...wrong(false, before.here, after.here),
          ...wrong(true, before.there, after.there),
        ],
      };
    }

    noteLeftOut("a review predicts a destroy of the grants of explicit providers in two clouds");
    test("a review predicts changes of their settings and their clouds, their replacement and delete, and imports", async () => {
      const there = { emulatorHost: `${other.host}:${other.port}`, project: PROJECT, grantMode: "merge" };
      const here = { project: PROJECT, grantMode: "merge" };
      const only = { ...here, grantMode: "replace" };
      stack = await ReviewedStack.create("plugin", FIRST, {
        providers: { cloud: there, east: there, second: here, leaving: there, only, mover: there },
      });
      for (const name of STORES) stack.others([], name);
      const lines = (sign: "+" | "-", ...members: string[]) => members.map((member) => line(sign, group(member)));
      const created = ["here", "there", "moves", "back", "leaves", "kept", "kept", "old"];
      expect(await carryOut("up")).toEqual({ changes: lines("+", ...created).sort(), rest: [] });

      for (const name of ["adopted", "alone"]) stack.others(readers("kept", "adopted", "others"), storeOf(name));
      stack.declare(SECOND, {
        cloud: { ...there, grantMode: "replace" },
        east: there,
        second: here,
        only,
        mover: here,
      });
      const args = ["--replace", `urn:pulumi:${stack.project.stack}::p::pulumi:providers:perimeter::mover`];
      expect(await carryOut("up", args)).toEqual({
        changes: [
          ...lines("+", "changed", "moved", "went", "new"),
          ...lines("-", "there", "moves", "back", "leaves", "kept", "kept", "old"),
          line("-", ZOE, VIEWER),
        ].sort(),
        rest: [],
      });
      // review-stack.test.ts has the destroy of an explicit provider's grant, settings.test.ts that of another cloud's.
      if (leftOut !== undefined) return;
      const left = ["here", "changed", "moved", "went", "adopted", "adopted", "new"];
      expect(await carryOut("destroy")).toEqual({ changes: lines("-", ...left).sort(), rest: [] });
    });
  });

  test("of a name like that of the engine's own are in no printed plan, and the review that runs the preview knows them", async () => {
    const name = "default_1_0_0";
    const replace = { project: PROJECT, grantMode: "replace" };
    stack = await ReviewedStack.create(
      "plugin",
      { own: { member: group("own"), provider: name } },
      { providers: { [name]: replace } },
    );
    stack.others(OTHERS);
    const { result: piped } = await stack.review();
    const other = /worked in grant mode replace, and this review in merge\. .* give it another name$/;
    expect(messages(piped)).toContainEqual(expect.stringMatching(other));
    expect(byEffect(piped.verdict).violations.map(({ rule }) => rule)).toContain("unknown");

    const known = onlyStack(await reviewStack(stack.project.stackOptions));
    expect([changeLines(known), messages(known)]).toEqual([
      [line("+", group("own")), line("-", ZOE, VIEWER)].sort(),
      [],
    ]);
    await stack.project.up();
    expect(stack.policies()[FHIR_STORE]?.bindings).toEqual(readers("own"));
  });

  test("that replace one policy leave it unknown who has access, unless one grant depends on the other", async () => {
    const replace = { project: PROJECT, grantMode: "replace" };
    const grants = (dependsOn: string[]) => ({
      one: { member: group("one"), provider: "first" },
      two: { member: group("two"), provider: "second", dependsOn },
    });
    stack = await ReviewedStack.create("plugin", grants([]), { providers: { first: replace, second: replace } });
    stack.others(OTHERS);
    expect(messages((await stack.review()).result)).toEqual([
      expect.stringMatching(
        /^It is unknown who has access after the update: one and two each replace the whole access/,
      ),
    ]);
    stack.declare(grants(["one"]));
    const { result, wrong } = await stack.update();
    expect([messages(result), wrong]).toEqual([[], []]);
    expect(changeLines(onStore(result, FHIR_STORE))).toEqual([line("+", group("two")), line("-", ZOE, VIEWER)].sort());
  });
});
