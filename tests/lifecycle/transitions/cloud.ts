/** A cloud with two stores, and runs of the engine against it. */
import type { Policy } from "../../../provider/iam/policy";
import { emulator, engine, useCloudAndEngine } from "../../support/cloud-and-engine";
import { grantTexts } from "../../support/grant-texts";
import type { Front, Program, RunOptions, RunResult, SimulatedStack } from "../../support/simulated-stack";
import { startRun } from "../../support/stack-fronts";
import { NUMBER, ORDERS, PROJECT, type Combination } from "./combinations";
import {
  inputsOf,
  memberOf,
  policyOn,
  STORES,
  typeOf,
  type Entry,
  type PolicyText,
  type ProgramText,
  type Spelling,
  type Store,
} from "./notation";

const NAMES: Record<Store, string> = {
  first: `projects/${PROJECT}/locations/us-central1/datasets/clinic/fhirStores/first`,
  second: `projects/${PROJECT}/locations/us-central1/datasets/clinic/fhirStores/second`,
};

/** For each suite. The stores have no grants at the start of a test. */
export function useCloud(): void {
  const seed = Object.values(NAMES).map((name) => ({ service: "healthcare", name, body: { version: "R4" } }));
  useCloudAndEngine({ seed, projectNumbers: { [NUMBER]: PROJECT } });
}

/** One run of the engine, with provider processes that no other run has. */
export async function run(
  stack: SimulatedStack,
  program: Program,
  combination: Combination,
  options: Partial<RunOptions> = {},
): Promise<RunResult> {
  const parallel = ORDERS[combination.order];
  return withFronts(stack, program, combination, (fronts) => stack.run(program, { fronts, parallel, ...options }));
}

/** `pulumi refresh` */
export function refresh(stack: SimulatedStack, combination: Combination): Promise<void> {
  return withFronts(stack, {}, combination, (fronts) => stack.refresh(fronts));
}

async function withFronts<T>(
  stack: SimulatedStack,
  program: Program,
  { front, mode }: Combination,
  work: (fronts: Record<string, Front>) => Promise<T>,
): Promise<T> {
  const used = [...Object.values(program), ...stack.resources].flatMap(({ provider }) => provider ?? []);
  const cloud = { environment: emulator.env, engine: engine.address };
  const { fronts, end } = await startRun(front, { project: PROJECT, grantMode: mode }, new Set(used), cloud);
  try {
    return await work(fronts);
  } finally {
    await end();
  }
}

/** @param before the spelling of entries that keep it. */
export function programOf(text: ProgramText, before: Spelling, after: Spelling): Program {
  const declared = (entry: Entry) => {
    const { formerly, deleteBeforeReplace, protect, provider, keepsSpelling } = entry;
    const inputs = inputsOf(entry, NAMES, keepsSpelling ? before : after);
    const aliases = formerly === undefined ? [] : [formerly];
    return { type: typeOf(entry), inputs, aliases, deleteBeforeReplace, protect, provider };
  };
  return Object.fromEntries(Object.entries(text).map(([name, entry]) => [name, declared(entry)]));
}

/** Others make these grants. */
export function grant(text: PolicyText): void {
  for (const store of STORES) {
    const { bindings = [], ...policy } = policyOf(store);
    const added = policyOn(store, text).bindings ?? [];
    emulator.mutate(NAMES[store], { policy: { ...policy, bindings: [...bindings, ...added] } });
  }
}

/** The identity of a member is deleted, or is recovered: its grants get their other form. */
export function setDeleted(name: string, isDeleted: boolean): void {
  const member = memberOf(name);
  const [from, to] = isDeleted ? [member, deletedForm(member)] : [deletedForm(member), member];
  for (const store of STORES) {
    const { bindings = [], ...policy } = policyOf(store);
    const changed = bindings.map(({ members = [], ...rest }) => ({
      ...rest,
      members: members.map((each) => (each.toLowerCase() === from ? to : each)),
    }));
    emulator.mutate(NAMES[store], { policy: { ...policy, bindings: changed } });
  }
}

const deletedForm = (member: string): string => `deleted:${member}?uid=123456789012345678901`;

const WRITES = { path: "/**:setIamPolicy" };
const DENIED = { times: 0, fault: { status: "PERMISSION_DENIED" } };
/** The answer to the first write is lost, and the policy cannot be read after it. */
const interruption = (reset: "before" | "after") => [
  { match: WRITES, fault: { reset } },
  { match: { path: "/**:getIamPolicy" }, skip: 1, ...DENIED },
];

/** Denies writes of policies during this call of a run, such as `create b`, or interrupts it. */
export function failingAt(step: string | undefined, interrupted?: "before" | "after"): RunOptions["before"] {
  const faults = interrupted ? interruption(interrupted) : [{ match: WRITES, ...DENIED }];
  return ({ method, name }) => emulator.setFaults(`${method} ${name}` === step ? faults : []);
}

export const endFaults = (): void => emulator.setFaults([]);

const policyOf = (store: Store): Policy => emulator.resource(NAMES[store])?.policy ?? {};

const linesOf = (policyAt: (store: Store) => Policy): string[] =>
  STORES.flatMap((store) => grantTexts(policyAt(store)).map((each) => `${store}: ${each}`)).sort();

/** The grants on both stores, one line each. */
export const live = (): string[] => linesOf(policyOf);

/** The grants of a policy text, as `live` has them. @param texts by the store, if they differ. */
export const lines = (text: PolicyText | ((store: Store) => PolicyText)): string[] =>
  linesOf((store) => policyOn(store, typeof text === "function" ? text(store) : text));
