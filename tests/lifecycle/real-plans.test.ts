/**
 * Plans of programs with `@pulumi/gcp` that the real plugin carried out (`tests/fixtures/plans/README.md`): a review says of each
 * what the update then did, or says that it does not know.
 */
import { onlyStack, type OneStack } from "../support/answers";
import * as fs from "node:fs";
import * as path from "node:path";
import { gunzipSync } from "node:zlib";
import { review } from "../../access";
import { startEmulator, type Emulator } from "../../emulator";
import { policyResource } from "../../provider/iam/kinds/kinds";
import { grantText } from "../support/grant-texts";
import { without } from "../support/review-outcome";

const FILE = path.join(__dirname, "../fixtures/plans/pulumi-gcp.jsonl.gz");

/** The condition is a JSON list of title, description and expression, or empty. */
type Grant = readonly [role: string, member: string, condition: string];
/** By full resource name. */
type Grants = Readonly<Record<string, readonly Grant[]>>;

interface Resource {
  type: string;
  id?: string;
  inputs?: { __defaults?: readonly string[]; name?: string };
  outputs?: { etag?: string };
}

/** An update that the plugin carried out. */
interface Carried {
  case: string;
  step: number;
  label: string;
  plan: { steps: { newState?: Resource | null }[] };
  state: { deployment: { resources?: Resource[] } };
  before: Grants;
  after: Grants;
  exitCode: number;
}

const records = gunzipSync(fs.readFileSync(FILE))
  .toString("utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Carried);

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
});
afterAll(() => emulator.stop());

/** The review of an update before it was carried out. */
async function reviewed(update: Carried): Promise<OneStack> {
  const { plan, state, before } = update;
  emulator.reset();
  emulator.seed(Object.entries(before).map(([name, grants]) => seedOf(name, grants, etagOf(name, update))));
  const here = (json: object) => JSON.stringify(json).replaceAll("EMULATOR", `${emulator.host}:${emulator.port}`);
  return onlyStack(await review({ plan: here(plan), state: here(state), environment: {} }));
}

function seedOf(name: string, grants: readonly Grant[], etag: string | undefined): object {
  const bindings = grants.map(([role, member, condition]) => {
    const under = conditionIn(condition);
    return { role, members: [member], ...(under && { condition: under }) };
  });
  return { ...placeOf(name), policy: { bindings, ...(etag !== undefined && { etag }) } };
}

/**
 * The etag of a live policy is not in the records. The plugin deletes a policy with the etag of the state: where no update failed,
 * it was the live one.
 */
function etagOf(name: string, { state, exitCode }: Carried): string | undefined {
  if (exitCode !== 0) return undefined;
  const parts = placeOf(name).name.split("/");
  const isOfIt = ({ type, id = "" }: Resource) => {
    const values = id.split("/");
    return /IamPolicy$/i.test(type) && values.at(-1) === parts.at(-1) && values.every((each) => parts.includes(each));
  };
  return state.deployment.resources?.find(isOfIt)?.outputs?.etag;
}

function conditionIn(text: string): { title: string; description?: string; expression: string } | undefined {
  if (text === "") return undefined;
  const [title = "", description = "", expression = ""] = JSON.parse(text) as string[];
  return { title, ...(description === "" ? {} : { description }), expression };
}

interface Place {
  service: string;
  name: string;
}

function placeOf(fullName: string): Place {
  const found = policyResource(fullName);
  if (typeof found === "string") throw new Error(`${fullName} ${found}`);
  return { service: found.kind.api, name: found.path };
}

const line = (verb: "gained" | "lost", { service, name }: Place, grant: string) =>
  `${verb} on ${service} ${name}: ${grant}`;

/** The grants that were there before or after the update, and not both times. */
function changesBy({ before, after }: Carried): string[] {
  const textsOf = (all: readonly Grant[] = []) =>
    new Set(all.map(([role, member, condition]) => grantText(role, member, conditionIn(condition))));
  return Object.keys({ ...before, ...after }).flatMap((name) => {
    const [had, has, place] = [textsOf(before[name]), textsOf(after[name]), placeOf(name)];
    return [
      ...without(has, had).map((each) => line("gained", place, each)),
      ...without(had, has).map((each) => line("lost", place, each)),
    ];
  });
}

function changesIn({ resources }: OneStack): string[] {
  return resources.flatMap(({ api: service, resource: name, changes }) => {
    const place = name.startsWith("//") ? placeOf(name) : { service, name };
    return changes.flatMap(({ change, role, principal, condition, conditionBefore }) => [
      ...(change === "lost" ? [] : [line("gained", place, grantText(role, principal, condition))]),
      ...(change === "gained"
        ? []
        : [line("lost", place, grantText(role, principal, change === "lost" ? condition : conditionBefore))]),
    ]);
  });
}

/** What an answer said and was not so, and what was so and not said. A name that only the update makes is any name. */
function differences(said: readonly string[], really: readonly string[], { plan }: Carried): string[] {
  const madeUp = plan.steps.flatMap(({ newState }) => {
    const { __defaults = [], name } = newState?.inputs ?? {};
    return __defaults.includes("name") && name !== undefined ? [name] : [];
  });
  const unknown = ["[known after the update]", ...madeUp];
  const left = new Set(really);
  const notSo = [...new Set(said)].filter((text) => {
    const parts = unknown.reduce((all, name) => all.flatMap((part) => part.split(name)), [text]);
    const pattern = parts.map((part) => part.replaceAll(/[^\w\s]/g, "\\$&")).join("[^/:]+");
    const isIt = (other: string) => new RegExp(`^${pattern}$`).test(other);
    const found = left.has(text) ? text : [...left].find((other) => parts.length > 1 && isIt(other));
    return found === undefined || !left.delete(found);
  });
  return [...notSo.map((each) => `said: ${each}`), ...[...left].map((each) => `not said: ${each}`)];
}

const doubtsOf = ({ resources, unknown }: OneStack) => [...unknown, ...resources.flatMap((each) => each.unknown)];

test.each(records.map((update) => [`${update.case} ${update.step}: ${update.label}`, update] as const))(
  "%s",
  async (_name, update) => {
    const result = await reviewed(update);
    const doubts = doubtsOf(result);
    if (update.exitCode !== 0) {
      expect([...result.refused, ...doubts]).not.toEqual([]);
      return;
    }
    if (doubts.length > 0) expect(result.verdict.exitCode).not.toBe(0);
    else expect(differences(changesIn(result), changesBy(update), update)).toEqual([]);
  },
);
