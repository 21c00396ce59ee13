/** What happened in a seed, and what was wrong. */
import type { RunResult } from "../../support/engine-run";
import type { GrantCloud } from "./cloud";

/** Lines of the engine that say nothing about a resource. */
const NOISE = /^@ updating|warning: using pulumi-resource-perimeter from/;

export class Story {
  /** The programs, what others did, and the policies, step by step. */
  readonly lines: string[] = [];
  /** Ends the story. */
  readonly wrong: string[] = [];

  constructor(private readonly cloud: GrantCloud) {}

  get isOver(): boolean {
    return this.wrong.length > 0;
  }

  tell(...lines: string[]): void {
    this.lines.push(...lines);
  }

  tellRun(what: string, { code, signal, stdout, stderr }: RunResult): void {
    const lines = code === 0 ? [] : [stdout, stderr].join("\n").split("\n");
    const output = lines.filter((line) => line.trim() !== "" && !NOISE.test(line)).map((line) => `    ${line}`);
    const policies = [...this.cloud.grants()].sort().map((grant) => `    ${grant}`);
    const associations = this.cloud.associations().map((each) => `    ${each}`);
    this.tell(`${what}: ${signal ?? `exit ${code}`}`, ...output, "  policies:", ...policies);
    if (associations.length > 0) this.tell("  associations:", ...associations);
  }

  check(wrong: readonly string[]): void {
    this.wrong.push(...wrong, ...this.cloud.wrongAudits());
  }

  fail(reason: string): void {
    this.wrong.push(reason);
  }
}
