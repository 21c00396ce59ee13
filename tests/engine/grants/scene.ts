/** A stack of grants, each story on a FHIR store of its own, in one cloud or several. */
import fs from "node:fs";
import path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { drifts } from "../../support/drift";
import { EngineProject } from "../../support/engine";
import { untilSeen, type RunningEngine } from "../../support/engine-run";
import { pluginFolder } from "../../support/plugin";
import { PROJECT, storeOf } from "../../support/programs";
import { STORE_GRANT } from "../../support/tokens";

export const ROLE = "roles/healthcare.fhirResourceReader";
export const MEMBER = "user:new@example.com";
export const NUMBER = "123456789";

/** What stands in the place of a FHIR store's name, one for each story. */
export const STORES = ["failing", "clouds", "number", "moved", "late", "killed", "interrupted"] as const;
export type Store = (typeof STORES)[number];
const SEED = [...demoSeed, ...STORES.map((store) => ({ service: "healthcare" as const, name: storeOf(store) }))];

export let clouds: Emulator[] = [];
export let project: EngineProject;

/** The program's resources, and explicit providers by name, each with the cloud that it belongs to. */
export function program(
  resources: Record<string, object>,
  providers: Record<string, Emulator> = {},
): Record<string, string> {
  const explicit = Object.entries(providers).map(([name, { host, port }]) => [
    name,
    {
      type: "pulumi:providers:perimeter",
      properties: { emulatorHost: `${host}:${port}`, grantMode: "merge", project: PROJECT },
    },
  ]);
  const all = { ...Object.fromEntries(explicit), ...resources } as Record<string, object>;
  // JSON is YAML too.
  return { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources: all }) };
}

export function grant(store: Store, options: Record<string, unknown> = {}, name = storeOf(store)): object {
  return {
    type: STORE_GRANT,
    properties: { name, role: ROLE, member: MEMBER },
    options,
  };
}

export async function start(files: (clouds: Emulator[]) => Record<string, string>, count = 1): Promise<void> {
  clouds = await Promise.all(
    Array.from({ length: count }, () => startEmulator({ seed: SEED, projectNumbers: { [NUMBER]: PROJECT } })),
  );
  project = await EngineProject.create({
    program: files(clouds),
    config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
    nodeModules: "none",
    path: [pluginFolder()],
    env: clouds[0]?.env,
  });
}

export async function stop(): Promise<void> {
  await project?.dispose();
  await Promise.all(clouds.map((each) => each.stop()));
}

export function isGranted(store: Store, cloud = clouds[0] as Emulator): boolean {
  return JSON.stringify(cloud.resource(storeOf(store))?.policy ?? {}).includes(MEMBER);
}

/** The names of the grants in the state whose names begin so. */
export async function grants(prefix = ""): Promise<string[]> {
  const { resources = [] } = (await project.exportState()).deployment;
  return resources
    .filter(({ urn }) => urn.includes(`IamMember::${prefix}`))
    .map(({ urn }) => urn.split("::").at(-1) as string);
}

export const runs = () => path.join(path.dirname(project.dir), "home/.cache/perimeter/runs");
export const leftBehind = () => (fs.existsSync(runs()) ? fs.readdirSync(runs()) : []);

/** Waits until the cloud has been asked so, and fails where the run ends before. */
export async function asked(running: RunningEngine, method: string, url: RegExp): Promise<void> {
  const requests = () => clouds[0]?.requests() ?? [];
  await untilSeen(running, `${method} ${url}`, () =>
    requests().some((each) => each.method === method && url.test(each.path)),
  );
}

export async function expectSettled(): Promise<void> {
  expect(drifts(await project.destroy({ args: ["--refresh"] }))).toEqual({});
  const left = STORES.filter((store) => clouds.some((cloud) => isGranted(store, cloud)));
  expect([left, await grants()]).toEqual([[], []]);
}
