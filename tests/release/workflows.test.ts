/** The workflows of a public CI: everything that they run exists. They cannot run here. */
import * as fs from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";
import { repositoryRoot } from "../support/engine";

interface Workflow {
  jobs: Record<string, { needs?: string; steps: { run?: string; uses?: string }[] }>;
}

const folder = path.join(repositoryRoot, ".github/workflows");
const workflow = (name: string) => parse(fs.readFileSync(path.join(folder, name), "utf8")) as Workflow;
const commands = (name: string) =>
  Object.values(workflow(name).jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));

const makefile = fs.readFileSync(path.join(repositoryRoot, "Makefile"), "utf8");
const targets = [...makefile.matchAll(/^([a-z-]+):.*## /gm)].map(([, target]) => target);

test.each(fs.readdirSync(folder))("%s runs targets of the Makefile", (name) => {
  const made = commands(name).flatMap((command) => /^make (.*)$/.exec(command)?.[1]?.split(" ") ?? []);
  const wanted = made.filter((word) => !word.includes("="));
  expect(wanted.length).toBeGreaterThan(0);
  expect(targets).toEqual(expect.arrayContaining(wanted));
});

test("CI runs the commands of .ci/run", () => {
  const [, needed = ""] = /^make (.*)$/m.exec(fs.readFileSync(path.join(repositoryRoot, ".ci/run"), "utf8")) ?? [];
  expect(commands("ci.yml")).toEqual(expect.arrayContaining(needed.split(" ").map((target) => `make ${target}`)));
});

test("publishes only after all tests, and after everything was installed and run, and the plugin before the SDKs", () => {
  const { jobs } = workflow("release.yml");
  const order = Object.entries(jobs).map(([name, { needs }]) => [name, needs]);
  const made = jobs.build?.steps.flatMap(({ run }) => run ?? []);
  expect(made).toEqual(["make test-all", 'make release tag="$GITHUB_REF_NAME"']);
  expect(order).toEqual([
    ["build", undefined],
    ["plugin", "build"],
    ["npm", "plugin"],
    ["pypi", "plugin"],
    ["go", "plugin"],
  ]);
});
