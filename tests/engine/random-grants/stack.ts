/** A stack of a program of grants and associations on the real engine. */
import { EngineProject } from "../../support/engine";
import { type RunningEngine, type RunResult } from "../../support/engine-run";
import { packedPackage } from "../../support/pack";
import { pluginFolder } from "../../support/plugin";
import { descendantsWith, ended } from "../../support/processes";
import { JAVASCRIPT, PROJECT } from "../../support/programs";
import type { GrantCloud } from "./cloud";
import type { GrantText } from "./grant-text";
import { allGrants, filesOf, typeOf, type Front, type Mode, type Program } from "./program";
import { comparableResources, heldGrants, nameOf, ownResources, type HeldGrants } from "./state";

export type Victim = "plugin" | "CLI" | "machine";

const PLUGIN = "pulumi-resource-perimeter";
const UP = ["up", "--yes", "--skip-preview"];
const TIMEOUT_MS = 120_000;

export class EngineStack {
  /** What the last update that succeeded declared. */
  settled: Program = {};
  /** The grants in the policies at a refresh since the last update that succeeded. */
  seen: ReadonlySet<GrantText> = new Set();
  /** Grants of this stack that others took away since its last refresh. */
  takenAway = new Set<GrantText>();
  /** Grants of this stack that others took away before this refresh. */
  forgotten = new Set<GrantText>();

  private constructor(
    readonly name: string,
    private readonly front: Front,
    private readonly mode: Mode,
    private readonly project: EngineProject,
    /** The ids of the associations that its programs may have. */
    readonly associations: readonly string[],
  ) {}

  static async create(
    name: string,
    front: Front,
    mode: Mode,
    { emulator }: GrantCloud,
    associations: readonly string[] = [],
  ): Promise<EngineStack> {
    const isNpm = front === "npm";
    const project = await EngineProject.create({
      program: filesOf({}, front, {}),
      runtime: JAVASCRIPT,
      config: { "perimeter:project": PROJECT, "perimeter:grantMode": mode },
      env: emulator.env,
      path: isNpm ? [] : [pluginFolder(front)],
      nodeModules: isNpm ? packedPackage().nodeModules : "none",
    });
    return new EngineStack(name, front, mode, project, associations);
  }

  /** What the program is to declare from now on. */
  declare(program: Program): void {
    this.project.writeFiles(filesOf(program, this.front, { grantMode: this.mode, project: PROJECT }));
  }

  up(args: readonly string[] = []): Promise<RunResult> {
    return this.run([...UP, ...args]);
  }

  /** Updates the resources of these programs that have these names, and no others. */
  upOf(names: readonly string[], programs: readonly Program[]): Promise<RunResult> {
    const { stack } = this.project;
    const urns = programs.flatMap((program) =>
      Object.entries(program).flatMap(([name, declaration]) =>
        names.includes(name) ? [`urn:pulumi:${stack}::sample::${typeOf(declaration, this.front)}::${name}`] : [],
      ),
    );
    return this.up([...new Set(urns)].flatMap((urn) => ["--target", urn]));
  }

  /** An update that begins with a preview, as a user starts it. */
  upWithPreview(): Promise<RunResult> {
    return this.run(["up", "--yes"]);
  }

  /** From now on, the program is what the stack has. @param now the grants in the policies */
  settle(program: Program, now: ReadonlySet<GrantText>): void {
    this.settled = program;
    this.seen = new Set();
    this.forgotten = new Set();
    this.takenAway = new Set([...allGrants(program)].filter((grant) => !now.has(grant)));
  }

  /** Others changed the policies. A stack whose grants are gone does not know it until its next refresh. */
  noteTakenAway(before: ReadonlySet<GrantText>, now: ReadonlySet<GrantText>): void {
    for (const grant of allGrants(this.settled)) {
      if (now.has(grant)) this.takenAway.delete(grant);
      else if (before.has(grant)) this.takenAway.add(grant);
    }
  }

  /** What is known before an update. @param live the grants in the policies */
  start(live: ReadonlySet<GrantText>) {
    const { mode, settled: before, seen } = this;
    return { mode, before, live, seen, takenAway: new Set(this.takenAway), forgotten: new Set(this.forgotten) };
  }

  preview(args: readonly string[] = []): Promise<RunResult> {
    return this.run(["preview", "--diff", ...args]);
  }

  /** @param live the grants in the policies, which the state has afterwards */
  async refresh(live: ReadonlySet<GrantText>): Promise<RunResult> {
    const result = await this.run(["refresh", "--yes", "--skip-preview"]);
    if (result.code !== 0) return result;
    this.seen = live;
    for (const grant of this.takenAway) this.forgotten.add(grant);
    this.takenAway.clear();
    return result;
  }

  /** Lets the stack delete its protected resources. */
  unprotect(): Promise<RunResult> {
    return this.run(["state", "unprotect", "--all", "--yes"]);
  }

  destroy(): Promise<RunResult> {
    return this.run(["destroy", "--yes", "--skip-preview"]);
  }

  /**
   * Runs an update, and kills the victim when a request got no answer.
   *
   * @returns its result, which is that of an update without a kill if every request was answered.
   */
  async killedUp(victim: Victim, cloud: GrantCloud, args: readonly string[] = []): Promise<RunResult> {
    const running = this.project.start([...UP, ...args]);
    const isStalled = new Promise<boolean>((resolve) => {
      cloud.onStall = () => resolve(true);
      void running.done.then(() => resolve(false));
    });
    if (await isStalled) await kill(running, victim);
    const result = await running.done;
    this.project.clearKilledRun();
    return result;
  }

  /** The names of the resources in the state, sorted. */
  async inState(): Promise<string[]> {
    return ownResources(await this.project.exportState())
      .map(nameOf)
      .sort();
  }

  /** The grants in the state. */
  async held(): Promise<HeldGrants[]> {
    return heldGrants(await this.project.exportState({ showSecrets: true }));
  }

  /** The resources in the state by name, for comparison. */
  async resources(): Promise<Map<string, string>> {
    return comparableResources(await this.project.exportState({ showSecrets: true }));
  }

  /** The state as others can read it: with its secrets encrypted. */
  async encryptedState(): Promise<string> {
    return JSON.stringify(await this.project.exportState());
  }

  dispose(): Promise<void> {
    return this.project.dispose();
  }

  private async run(args: string[]): Promise<RunResult> {
    return this.project.run(args, { fail: "maybe", timeoutMs: TIMEOUT_MS });
  }
}

async function kill(running: RunningEngine, victim: Victim): Promise<void> {
  const plugins = descendantsWith(running.pid, PLUGIN);
  if (victim !== "plugin" || plugins.length === 0) {
    running.kill("SIGKILL", victim === "machine" || plugins.length === 0 ? "group" : "process");
  }
  if (victim !== "CLI") for (const plugin of plugins) endNow(plugin);
  // A plugin whose engine was killed ends by itself.
  await Promise.all(plugins.map((plugin) => ended(plugin)));
}

function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
