/** Each version of the provider goes on from what an earlier one left: in the state, and in the cloud. */
import { version } from "../../../package.json";
import { resources } from "../../../sdk/schema.json";
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { tokenOf } from "../../support/programs";
import { casesHere } from "../../support/test-all";
import { PROGRAMS, recordings, startPackedStack } from "./recording";

jest.setTimeout(ENGINE_TIMEOUT_MS);

test("a recording has a resource of each type", () => {
  const types = Object.values(PROGRAMS.merge).map(({ type }) => tokenOf(type));
  expect([...new Set(types)].sort()).toEqual(Object.keys(resources).sort());
});

test("this version has a recording", () => {
  expect(recordings().map((each) => each.version)).toContain(version);
});

/** A state does not contain the grant mode. The plugin, whose runs take half of the time, has both. */
const here = casesHere(
  recordings(),
  ({ front, grantMode }) => front === "plugin" || grantMode === "merge",
  (each) => `${each.version}, ${each.front}, ${each.grantMode}: nothing changes, and all can be deleted`,
);

test.each(here)("$version, $front, $grantMode: nothing changes, and all can be deleted", async (earlier) => {
  const stack = await startPackedStack(earlier);
  const { project, emulator } = stack;
  try {
    project.importState(earlier.state);
    const names = Object.keys(earlier.program);
    for (const result of [await project.up(), await project.refresh()]) {
      expect(result.changes).toEqual({});
      expect(names.filter((name) => !result.steps.some((step) => step.name === name))).toEqual([]);
    }
    expect(stack.heardChanges()).toEqual([]);
    await project.destroy();
    expect(JSON.stringify(emulator.export())).not.toMatch(
      /group:(readers|nurses|database)@|"firewallEndpointAssociations/,
    );
  } finally {
    await stack.dispose();
  }
});
