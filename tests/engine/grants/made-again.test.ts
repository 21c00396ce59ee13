/**
 * Two resources declare one grant, and one of them is deleted before it is replaced: the delete removes the grant, and the other
 * resource makes it again. If that write is refused, the next update makes it. If the update ends before it, a refresh shows that it
 * is missing.
 */
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { GrantCloud } from "../random-grants/cloud";
import type { GrantDeclaration, Front, Program } from "../random-grants/program";
import { casesHere } from "../../support/test-all";
import { EngineStack } from "../random-grants/stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const A = "user:a@example.com";
const STORE = "shared";
const [VIEWER, READER] = ["roles/viewer", "roles/healthcare.fhirResourceReader"];
const member = (role: string): GrantDeclaration => ({ kind: "member", on: STORE, role, members: [A] });
/** The engine asks for the second resource after it has replaced the first. */
const program = (role: string): Program => ({
  replaced: { ...member(role), deleteBeforeReplace: true },
  other: { ...member(VIEWER), dependsOn: "replaced" },
});
/** The writes of the update: the delete of the old grant, the create of the new one, and the create of the removed grant. */
const [SECOND, THIRD] = [1, 2];

const PLUGIN: Front = "the executable";
const YAML = missingHost("yaml") === undefined;
const REFRESH = ["--refresh"];
type Case = [what: string, front: Front, written: number, end: "refused" | "killed", options: string[]];
const CASES: Case[] = [["update when the third write is refused, with npm", "npm", THIRD, "refused", []]];
if (YAML) {
  CASES.push(["update when the third write is refused, with the plugin", PLUGIN, THIRD, "refused", []]);
  CASES.push(["refresh when the second write is refused, with the plugin", PLUGIN, SECOND, "refused", REFRESH]);
}
// Finding the processes to kill needs /proc.
if (YAML && process.platform === "linux") {
  CASES.push(["refresh when the run is killed at the third write", PLUGIN, THIRD, "killed", REFRESH]);
}

let cloud: GrantCloud;
let stack: EngineStack;
afterEach(async () => {
  await stack?.dispose();
  await cloud?.emulator.stop();
});

/** A killed run. tests/lifecycle/transitions/failures.test.ts has refused writes, through each front. */
const here = casesHere(
  CASES,
  ([, , , end]) => end === "killed",
  ([what]) => what,
);

test.each(here)(
  "a grant that a delete removed is made again by the next %s",
  async (_, front, written, end, options) => {
    cloud = await GrantCloud.start([STORE]);
    stack = await EngineStack.create("again", front, "merge", cloud);
    stack.declare(program(VIEWER));
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect([...cloud.grants()]).toEqual([`${STORE} ${VIEWER} ${A}`]);

    stack.declare(program(READER));
    const fault = end === "refused" ? { status: "PERMISSION_DENIED" } : { stall: true, when: "before" };
    cloud.emulator.setFaults([{ match: { path: `**/${STORE}:setIamPolicy` }, skip: written, times: 0, fault }]);
    await (end === "refused" ? stack.up() : stack.killedUp("machine", cloud));

    cloud.emulator.setFaults([]);
    expect(await stack.up(options)).toMatchObject({ code: 0 });
    expect([...cloud.grants()].sort()).toEqual([`${STORE} ${READER} ${A}`, `${STORE} ${VIEWER} ${A}`]);
    expect(await stack.preview(["--expect-no-changes"])).toMatchObject({ code: 0 });
  },
);
