/** What an update meets: refused and lost writes, writes of others at the same time, a kill. */
import type { RunResult } from "../../support/engine-run";
import type { Random } from "../../support/grants-random";
import type { Cloud } from "./cloud";
import type { Others } from "./others";
import type { GrantText, Program } from "./program";
import type { Stack, Victim } from "./stack";

/**
 * `refused`: a policy cannot be written, and the update fails. `flaky`: some writes fail or their answers are lost, and the
 * provider repeats them. `meanwhile`: others write the policy after the provider has read it. `killed`: a write gets no answer,
 * and then a process is killed.
 */
const KINDS = ["refused", "refused", "flaky", "meanwhile", "killed", "killed"] as const;
type Kind = (typeof KINDS)[number];

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
    private readonly cloud: Cloud,
    private readonly others: Others,
    private readonly random: Random,
    /** The short name of the target that it is about. */
    private readonly target: string,
    programs: readonly Program[],
  ) {
    const kind = random.pick(KINDS);
    this.kind = kind === "killed" && !CAN_KILL ? "refused" : kind;
    this.skip = random.pick([0, 0, 1, 1, 2]);
    this.victim = random.pick<Victim>(["plugin", "CLI", "machine"]);
    // The engine waits forever with --continue-on-error when the delete before a replacement fails: pulumi/pulumi#16373.
    const canHang = programs.some((program) => Object.values(program).some((each) => each.deleteBeforeReplace));
    this.isTolerant = random.next() < 0.3 && !(this.mayFail && canHang);
    this.text = [
      `${this.kind} on ${target} after ${this.skip} writes`,
      ...(this.kind === "killed" ? [`victim: ${this.victim}`] : []),
      ...(this.isTolerant ? ["--continue-on-error"] : []),
    ].join(", ");
  }

  /** Whether the update may fail. */
  get mayFail(): boolean {
    return this.kind === "refused" || this.kind === "killed";
  }

  /** Whether grants may be in the policy that neither the state nor the provider knows. */
  get mayForget(): boolean {
    return this.kind === "killed";
  }

  async up(stack: Stack, args: readonly string[]): Promise<RunResult> {
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
    const { emulator } = this.cloud;
    const write = { match: { path: `**/${this.target}:setIamPolicy` }, skip: this.skip };
    const when = random.next() < 0.5 ? "before" : "after";
    if (kind === "refused") {
      const status = random.pick(["PERMISSION_DENIED", "INVALID_ARGUMENT"]);
      emulator.setFaults([{ ...write, times: 0, fault: { status } }]);
    } else if (kind === "flaky") {
      const fault = random.pick<object>([{ status: 500, when }, { status: 409 }, { reset: when }, { truncate: 20 }]);
      emulator.setFaults([{ ...write, times: 1 + random.below(2), fault }]);
    } else if (kind === "killed") {
      emulator.setFaults([{ ...write, times: 0, fault: { stall: true, when } }]);
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

  private end(): void {
    this.cloud.emulator.setFaults([]);
    this.cloud.onRequest = () => undefined;
    this.cloud.onStall = () => undefined;
  }
}
