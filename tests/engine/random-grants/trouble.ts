/** What an update meets: refused, lost and slow requests, writes of others at the same time, a kill. */
import type { RunResult } from "../../support/engine-run";
import type { Random } from "../../support/grants-random";
import type { GrantCloud } from "./cloud";
import type { Others } from "./others";
import type { GrantText } from "./grant-text";
import { associationsIn, grantEntries, type Program } from "./program";
import type { EngineStack, Victim } from "./stack";

/**
 * `refused`: a policy cannot be written, and the update fails. `flaky`: some writes fail or their answers are lost, and the
 * provider repeats them. `meanwhile`: others write the policy after the provider has read it. `slow`: a write meets a conflict,
 * and the read that follows takes longer than some grants have time. `killed`: a write gets no answer, and then a process is
 * killed. `undeletable`: the first delete of an association is refused.
 */
const KINDS = ["refused", "refused", "flaky", "meanwhile", "slow", "slow", "killed", "killed"] as const;
type Kind = (typeof KINDS)[number] | "undeletable";

/** Until then, more changes of the policy join the first. */
const GATHERING_MS = 300;
/** Longer than the time of resources with a short limit, and shorter than the time of others. */
const SLOW_MS = 2500;

/** Finding the processes to kill needs /proc. */
const CAN_KILL = process.platform === "linux";

export class Trouble {
  /** The grants that others added during the update. */
  readonly meanwhile = new Set<GrantText>();
  readonly text: string;
  private readonly kind: Kind;
  private readonly skip: number;
  private readonly victim: Victim;
  private readonly isTolerant: boolean;

  constructor(
    private readonly cloud: GrantCloud,
    private readonly others: Others,
    private readonly random: Random,
    /** The short name of the target that it is about. */
    private readonly target: string,
    programs: readonly [Program, Program],
  ) {
    const kind = deletesAssociation(...programs) && random.next() < 0.6 ? "undeletable" : random.pick(KINDS);
    this.kind = kind === "killed" && !CAN_KILL ? "refused" : kind;
    this.skip = this.kind === "slow" ? 0 : random.pick([0, 0, 1, 1, 2]);
    this.victim = random.pick<Victim>(["plugin", "CLI", "machine"]);
    // The engine waits forever with --continue-on-error when the delete before a replacement fails: pulumi/pulumi#16373.
    const canHang = programs.some((program) =>
      Object.values(program).some((each) => each.deleteBeforeReplace || each.kind === "association"),
    );
    this.isTolerant = random.next() < 0.3 && !(this.mayFail && canHang);
    this.text = [
      this.kind === "undeletable" ? "a delete is refused" : `${this.kind} on ${target} after ${this.skip} writes`,
      ...(this.kind === "killed" ? [`victim: ${this.victim}`] : []),
      ...(this.isTolerant ? ["--continue-on-error"] : []),
    ].join(", ");
  }

  /** Whether the update may fail. */
  get mayFail(): boolean {
    return this.kind !== "flaky" && this.kind !== "meanwhile";
  }

  get refusesDelete(): boolean {
    return this.kind === "undeletable";
  }

  /** Whether grants may be in the policy that neither the state nor the provider knows. */
  get mayForget(): boolean {
    return this.kind === "killed";
  }

  /** The program, in which some grants have little time if requests will be slow. */
  prepared(program: Program): Program {
    if (this.kind !== "slow") return program;
    const isShort = (on: string) => on === this.target && this.random.next() < 0.5;
    const grants = grantEntries(program).map(([name, each]) => [
      name,
      isShort(each.on) ? { ...each, isShort: true } : each,
    ]);
    return { ...program, ...Object.fromEntries(grants) } as Program;
  }

  async up(stack: EngineStack, args: readonly string[]): Promise<RunResult> {
    const all = [...args, ...(this.isTolerant ? ["--continue-on-error"] : [])];
    this.begin();
    try {
      return await (this.kind === "killed" ? stack.killedUp(this.victim, this.cloud, all) : stack.up(all));
    } finally {
      this.end();
    }
  }

  private begin(): void {
    const { random, kind } = this;
    const { cloud } = this;
    const write = { match: { path: `**/${this.target}:setIamPolicy` }, skip: this.skip };
    const when = random.next() < 0.5 ? "before" : "after";
    if (kind === "refused") {
      const status = random.pick(["PERMISSION_DENIED", "INVALID_ARGUMENT"]);
      cloud.setFaults([{ ...write, times: 0, fault: { status } }]);
    } else if (kind === "flaky") {
      const fault = random.pick<object>([{ status: 500, when }, { status: 409 }, { reset: when }, { truncate: 20 }]);
      cloud.setFaults([{ ...write, times: 1 + random.below(2), fault }]);
    } else if (kind === "killed") {
      cloud.setFaults([{ ...write, times: 0, fault: { stall: true, when } }]);
    } else if (kind === "undeletable") {
      const match = { method: "DELETE", path: "**/firewallEndpointAssociations/*" };
      cloud.setFaults([{ match, fault: { status: "PERMISSION_DENIED" } }]);
    } else if (kind === "slow") {
      this.slowDown();
    } else {
      this.writeMeanwhile();
    }
  }

  /** Others write the policy after it was read, so that the write of the provider has an old etag. */
  private writeMeanwhile(): void {
    const grant = this.others.anyGrant(this.random, undefined, this.target);
    let left = this.skip;
    this.cloud.onRequest = ({ path }) => {
      if (!path.endsWith(`${this.target}:getIamPolicy`) || left-- > 0) return;
      this.cloud.onRequest = () => undefined;
      this.meanwhile.add(grant);
      this.cloud.change({ added: [grant] });
    };
  }

  /** The first write meets a conflict, and the read after it is slow. */
  private slowDown(): void {
    const [read, write] = ["getIamPolicy", "setIamPolicy"].map((method) => `${this.target}:${method}`);
    const gathering = { match: { path: `**/${read}` }, fault: { delayMs: GATHERING_MS } };
    this.cloud.setFaults([gathering, { match: { path: `**/${write}` }, fault: { status: "ABORTED" } }]);
    this.cloud.onRequest = ({ path, status }) => {
      if (status !== 409 || !path.endsWith(`${write}`)) return;
      this.cloud.onRequest = () => undefined;
      this.cloud.setFaults([{ match: { path: `**/${read}` }, fault: { delayMs: SLOW_MS } }]);
    };
  }

  private end(): void {
    this.cloud.setFaults([]);
    this.cloud.onRequest = () => undefined;
    this.cloud.onStall = () => undefined;
  }
}

/** Whether the change of the program deletes an association. */
function deletesAssociation(before: Program, after: Program): boolean {
  const ids = associationsIn(after).map(({ id }) => id);
  return associationsIn(before).some(({ id }) => !ids.includes(id));
}

/** The targets whose grants change, so that the update writes their policies; undefined if there is none. */
export function changedTargets(before: Program, after: Program): string[] | undefined {
  const textsOf = (program: Program) =>
    grantEntries(program).map(([name, each]) => [each.on, JSON.stringify([name, each])] as const);
  const [olds, news] = [textsOf(before), textsOf(after)];
  const missingIn = (list: typeof olds) => (one: (typeof olds)[number]) => !list.some(([, text]) => text === one[1]);
  const targets = [...olds.filter(missingIn(news)), ...news.filter(missingIn(olds))].map(([on]) => on);
  return targets.length > 0 ? targets : undefined;
}

/** Whether an update failed because calls with little time ran out of it. */
export function isLate({ code, stdout, stderr }: RunResult, programs: readonly Program[]): boolean {
  const hasShort = programs.some((program) => grantEntries(program).some(([, { isShort }]) => isShort));
  return code !== 0 && hasShort && `${stdout}${stderr}`.includes("the time limit was reached");
}
