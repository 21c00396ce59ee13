/** A replacement that the user requests, of an association whose network the API does not change in place. */
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { association, ASSOCIATIONS, declaringInYaml, PROJECT, type Declared } from "../../support/programs";
import { casesHere } from "../../support/test-all";
import { PackedStack } from "../dynamic/packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const FRONTS = {
  dynamic: {
    start: (prod: Declared) => PackedStack.create({ resources: { prod } }),
    declare: (stack: PackedStack, prod: Declared) => stack.declare({ prod }),
  },
  plugin: {
    start: (prod: Declared) => PackedStack.create({ program: declaringInYaml({ prod }), path: [pluginFolder()] }),
    declare: (stack: PackedStack, prod: Declared) => stack.project.writeFiles(declaringInYaml({ prod })),
  },
};

const missing = missingHost("yaml");
/** The advice is the same code in both. tests/lifecycle/association/reads-and-deletes.test.ts has its texts. */
const fronts = casesHere(
  Object.entries(FRONTS).filter(([front]) => front === "dynamic" || missing === undefined),
  ([front]) => front === (missing === undefined ? "plugin" : "dynamic"),
  ([front]) => `${front}: the advice of each failed replacement works`,
);
const ADVICE = /set the resource option deleteBeforeReplace to true, and run pulumi up --replace <urn>/;

test.each(fronts)("%s: the advice of each failed replacement works", async (_front, { start, declare }) => {
  const stack = await start(association());
  try {
    const { project, emulator } = stack;
    const live = () => emulator.resource(`${ASSOCIATIONS}/prod`)?.body;
    const replace = ["--replace", (await project.up()).step("prod").urn];
    const first = live();

    // The engine creates first. The API answers with the old operation, within the hour, and refuses the create after it.
    const unreplaced = await project.up({ args: replace });
    expect([unreplaced.changes, live()]).toEqual([{ replace: 1 }, first]);
    expect(unreplaced.stdout).toMatch(/warning: [^\n]*prod was not replaced/);
    expect(unreplaced.stdout).toMatch(ADVICE);
    emulator.advance(2 * 60 * 60_000);
    const taken = await project.up({ args: replace, fail: "yes" });
    expect(taken.messages("error", "prod").join()).toMatch(/ALREADY_EXISTS/);
    expect(taken.messages("error", "prod").join()).toMatch(ADVICE);

    emulator.configure({ immutableFields: ["network"] });
    const network = `projects/${PROJECT}/global/networks/other`;
    declare(stack, association({ network }));
    const refused = await project.up({ fail: "yes" });
    expect(refused.messages("error", "prod").join()).toMatch(ADVICE);

    declare(stack, { ...association({ network }), deleteBeforeReplace: true });
    stack.heard();
    await project.up({ args: replace });
    expect(stack.heardChanges()).toEqual([`DELETE ${ASSOCIATIONS}/prod`, `POST ${ASSOCIATIONS}`]);
    expect(live()).toMatchObject({ network });
  } finally {
    await stack.dispose();
  }
});
