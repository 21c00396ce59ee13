/** A stack of random programs on the real engine, in two clouds, whose steps are reviewed and then carried out. */
import { onlyStack, type OneStack } from "../../../support/answers";
import * as fs from "node:fs";
import * as path from "node:path";
import { review, reviewStack } from "../../../../access";
import { startEmulator, type Emulator } from "../../../../emulator";
import type { Values } from "../../../../provider/core/unknown";
import { changesAmong } from "../../../support/changes";
import { engine, EngineProject } from "../../../support/engine";
import type { Policies } from "../../../support/review-outcome";
import { OtherProvider, policyCloud } from "../../../support/other-provider";
import { pluginFolder } from "../../../support/plugin";
import { aboveSeed } from "./above";
import type { Way } from "./check";
import { datasetOf, filesOf, fullNameOf, storesOf, type StackOptions } from "./files";
import { ShownPlan, ShownState } from "./plan";
import type { Program } from "./programs";

const SETTINGS = ["project", "grantMode", "allowLockout", "emulatorHost"];

/** The plan of a step, the state at that time, and the review with all that Pulumi can tell, if there is one. */
export interface Planned {
  plan: ShownPlan;
  state: ShownState;
  isDestroy: boolean;
  result?: OneStack;
}

export class RandomStack {
  private constructor(
    /** With the same stores. The first one is that of the environment. */
    readonly clouds: readonly [Emulator, Emulator],
    readonly stores: readonly string[],
    private readonly datasets: readonly string[],
    private readonly project: EngineProject,
    private readonly other: OtherProvider,
  ) {}

  /** @param programs how many programs are side by side. @param variables for the environment of the engine. */
  static async create(programs: number, variables: Record<string, string>): Promise<RandomStack> {
    const numbers = Array.from({ length: programs }, (_, at) => at);
    const stores = numbers.flatMap(storesOf);
    const datasets = numbers.map(datasetOf);
    const seed = [
      ...datasets.map((name) => ({ service: "healthcare", name })),
      ...stores.map((name) => ({ service: "healthcare", name, body: { version: "R4" } })),
      ...aboveSeed,
    ];
    const clouds = [await startEmulator({ seed }), await startEmulator({ seed })] as const;
    const [cloud] = clouds;
    const other = await OtherProvider.start({
      remove: (id) => {
        for (const name of [...datasets, ...stores]) {
          if (`${name}/`.startsWith(`${id}/`)) cloud.mutate(name, { policy: {} });
        }
      },
      ...policyCloud(cloud),
    });
    const project = await EngineProject.create({
      program: filesOf([], { providers: {}, hasOutputs: false }),
      env: { ...clouds[0].env, ...other.env, ...variables },
      path: [pluginFolder()],
      nodeModules: "none",
      config: { "gcp:project": "demo-project", "gcp:healthcareCustomEndpoint": `${cloud.url}/v1/` },
    });
    return new RandomStack(clouds, stores, datasets, project, other);
  }

  get environment(): Record<string, string> {
    return this.project.env;
  }

  get policies(): readonly Policies[] {
    const names = [
      ...this.stores.map((name) => [name, name]),
      ...this.datasets.map((name) => [fullNameOf(name), name]),
    ];
    return this.clouds.map((cloud) =>
      Object.fromEntries(names.map(([shown = "", name = ""]) => [shown, cloud.resource(name)?.policy ?? {}])),
    );
  }

  /** What the stack is to declare from now on, and the settings of its default provider. */
  async declare(programs: readonly Program[], options: StackOptions, settings: Values): Promise<void> {
    this.project.writeFiles(filesOf(programs, options));
    for (const key of SETTINGS) {
      const value = settings[key];
      if (value === undefined) await this.project.removeConfig(`perimeter:${key}`);
      else await this.project.setConfig(`perimeter:${key}`, typeof value === "string" ? value : JSON.stringify(value));
    }
  }

  async state(): Promise<ShownState> {
    return new ShownState(JSON.stringify(await this.project.exportState()));
  }

  /** The URN of an explicit provider. */
  providerUrn(name: string): string {
    return `urn:pulumi:${this.project.stack}::p::pulumi:providers:perimeter::${name}`;
  }

  /** Prints the plan of an update or a destroy. */
  async plan(isDestroy: boolean, args: readonly string[]): Promise<Planned> {
    const state = await this.state();
    const command = isDestroy ? ["destroy", "--preview-only", "--json"] : ["preview", "--json", "--show-sames"];
    const { stdout } = await this.project.run([...command, ...args], { fail: "maybe" });
    return { plan: new ShownPlan(stdout), state, isDestroy };
  }

  /** The same, and the review that runs the preview itself. */
  async planOfReview(isDestroy: boolean, args: readonly string[]): Promise<Planned> {
    const state = await this.state();
    const { dir, env, stack } = this.project;
    const output = path.join(dir, "..", "tmp", "plan.json");
    const pulumi = path.join(dir, "..", "tmp", "pulumi");
    const bin = path.join(engine().bin, "pulumi");
    const script = `#!/bin/bash\nset -o pipefail\ncase "$*" in\n*--show-sames*) '${bin}' "$@" | tee '${output}' ;;\n*) exec '${bin}' "$@" ;;\nesac\n`;
    fs.writeFileSync(pulumi, script, { mode: 0o755 });
    const result = onlyStack(
      await reviewStack({ stack, cwd: dir, environment: env, pulumi, destroy: isDestroy, args }),
    );
    return { plan: new ShownPlan(fs.readFileSync(output, "utf8")), state, result, isDestroy };
  }

  /** Reviews a plan that is there. */
  async review(
    { plan, state, isDestroy: destroy }: Planned,
    way: Way,
    environment = this.environment,
  ): Promise<OneStack> {
    const text = way.showsSames ? plan.text : plan.withoutSames();
    const given = way.state === "own" ? state.text : state.text.replaceAll("::p::", "::another-project::");
    const options = { plan: text, destroy, environment, ...(way.state === "none" ? {} : { state: given }) };
    return onlyStack(await review(options));
  }

  /** The requests of the last reviews and previews that changed something. */
  get writes(): string[] {
    return changesAmong(this.clouds.flatMap((each) => each.requests())).map(({ path: url }) => url);
  }

  clearRequests(): void {
    for (const each of this.clouds) each.clearRequests();
  }

  /** @returns what the engine printed if the step failed. */
  async carryOut(isDestroy: boolean, args: readonly string[]): Promise<string | undefined> {
    const command = [isDestroy ? "destroy" : "up", "--yes", "--skip-preview", ...args];
    const { code, stdout, stderr } = await this.project.run(command, { fail: "maybe" });
    return code === 0 ? undefined : `${stdout}\n${stderr}`;
  }

  async dispose(): Promise<void> {
    await this.project.dispose();
    this.other.stop();
    await Promise.all(this.clouds.map((each) => each.stop()));
  }
}
