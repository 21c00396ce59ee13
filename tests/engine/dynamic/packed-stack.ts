import { demoSeed, startEmulator, type Emulator, type EmulatorOptions } from "../../../emulator";
import { changesAmong } from "../../support/changes";
import { EngineProject, type ProjectOptions } from "../../support/engine";
import { packedPackage } from "../../support/pack";
import { declaring, JAVASCRIPT, PROJECT, resourcesFile, type Declared } from "../../support/programs";
import { tap, type Exchange, type WireTap } from "./wire-tap";

export interface PackedStackOptions extends Partial<Omit<ProjectOptions, "program">> {
  /** The program: what it declares, or its files. Default: nothing. */
  resources?: Record<string, Declared>;
  program?: ProjectOptions["program"];
  emulator?: EmulatorOptions;
}

const MANIFEST = JSON.stringify({ name: "sample", private: true, main: "index.js" });

/** An emulator with a record of its requests, and a stack whose program uses the packed package. */
export class PackedStack {
  private constructor(
    readonly emulator: Emulator,
    readonly project: EngineProject,
    private readonly wire: WireTap,
  ) {}

  static async create(options: PackedStackOptions = {}): Promise<PackedStack> {
    const { resources = {}, program = declaring(resources), emulator: switches, config, env, ...rest } = options;
    const { nodeModules } = packedPackage();
    const emulator = await startEmulator({ seed: demoSeed, ...switches });
    const wire = await tap(emulator);
    try {
      const project = await EngineProject.create({
        program: typeof program === "string" ? program : { "package.json": MANIFEST, ...program },
        runtime: JAVASCRIPT,
        config: { "perimeter:project": PROJECT, ...config },
        env: { PERIMETER_EMULATOR_HOST: wire.host, ...env },
        nodeModules,
        ...rest,
      });
      return new PackedStack(emulator, project, wire);
    } catch (error) {
      await wire.stop();
      await emulator.stop();
      throw error;
    }
  }

  /** What the program is to declare from now on. */
  declare(resources: Record<string, Declared>): void {
    this.project.writeFiles(resourcesFile(resources));
  }

  /** The requests since the last call of this method. */
  heard(): Exchange[] {
    const exchanges = this.wire.exchanges();
    this.wire.clear();
    return exchanges;
  }

  /** The requests since the last time that change something, as "METHOD path". */
  heardChanges(): string[] {
    return changesAmong(this.heard()).map(({ method, path }) => `${method} ${path}`);
  }

  /** The resource's access policy as it is in the cloud. */
  policy(name: string): Record<string, unknown> {
    return { ...this.emulator.resource(name)?.policy };
  }

  async dispose(): Promise<void> {
    await this.project.dispose();
    await this.wire.stop();
    await this.emulator.stop();
  }
}
