/** What must change nothing after an update that succeeded: the same update again, and a refresh. */
import type { RunResult } from "../../support/engine-run";
import type { GrantCloud } from "./cloud";
import { keyOf, keyOfGrant, type GrantText } from "./grant-text";
import { grantsOf, isGrant, secretsIn, type Declaration, type Program } from "./program";
import type { EngineStack } from "./stack";

export interface Repetition {
  what: string;
  result: RunResult;
  wrong: readonly string[];
}

/** The same update again: it shows no change, and sends no write. */
export async function repeatedUpdate(stack: EngineStack, cloud: GrantCloud): Promise<Repetition> {
  const results: RunResult[] = [];
  const writes = await cloud.writesDuring(async () => {
    results.push(await stack.up(["--expect-no-changes"]));
  });
  const [result] = results as [RunResult];
  const wrong = writes.map((write) => `an update of an unchanged program sends ${write}`);
  if (result.code !== 0) wrong.push("an update of an unchanged program shows changes");
  return { what: "up again", result, wrong };
}

/** A refresh: it changes no policy and, where others changed nothing, nothing in the state. */
export async function repeatedRefresh(stack: EngineStack, cloud: GrantCloud, program: Program): Promise<Repetition> {
  const policies = cloud.policies();
  const before = await stack.resources();
  const { result, wrong } = await checkedRefresh(stack, cloud, program);
  const after = await stack.resources();
  const live = cloud.grants();
  const changed = Object.entries(program).filter(
    ([name, declaration]) => isUntouched(declaration, live) && before.get(name) !== after.get(name),
  );
  const states = changed.map(
    ([name]) => `a refresh changes ${name} in the state, from ${before.get(name)} to ${after.get(name)}`,
  );
  if (cloud.policies() !== policies) states.push("a refresh changes a policy");
  return { what: "refresh", result, wrong: [...wrong, ...states] };
}

/** A refresh, which shows no secret of the program. */
export async function checkedRefresh(stack: EngineStack, cloud: GrantCloud, program: Program): Promise<Repetition> {
  const result = await stack.refresh(cloud.grants());
  const wrong = [...leaks(program, result), ...(await leaksInState(program, stack))];
  if (result.code !== 0) wrong.push("the refresh failed");
  return { what: "refresh", result, wrong };
}

/** Secrets of a program in what a run prints. */
export function leaks(program: Program, { stdout, stderr }: RunResult): string[] {
  const shown = secretsIn(program).filter((secret) => `${stdout}${stderr}`.includes(secret));
  return shown.map((secret) => `LEAK of ${secret}: the run prints it:\n${stdout}\n${stderr}`);
}

async function leaksInState(program: Program, stack: EngineStack): Promise<string[]> {
  const state = await stack.encryptedState();
  return secretsIn(program)
    .filter((secret) => state.includes(secret))
    .map((secret) => `LEAK of ${secret}: the state has it in plain text`);
}

/** Whether the policies have of a resource what its program declares, and nobody added a member to the role of a binding. */
function isUntouched(declaration: Declaration, live: ReadonlySet<GrantText>): boolean {
  if (!isGrant(declaration)) return true;
  const grants = grantsOf(declaration);
  const isAlone = () => [...live].every((grant) => keyOfGrant(grant) !== keyOf(declaration) || grants.includes(grant));
  return grants.every((grant) => live.has(grant)) && (declaration.kind === "member" || isAlone());
}
