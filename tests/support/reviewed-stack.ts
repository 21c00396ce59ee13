/** A stack of grants on the real engine, whose plans are reviewed and then carried out. Either front declares them. */
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import type { Policy } from "../../provider/iam/policy";
import { review, reviewStack, type Answer, type ReviewOptions } from "../../access";
import { grantText } from "./grant-texts";
import { onlyStack, type OneStack } from "./answers";
import { changesAmong } from "./changes";
import { EngineProject, type ProjectOptions } from "./engine";
import type { OperationResult } from "./engine-events";
import { packedPackage } from "./pack";
import { pluginFolder } from "./plugin";
import { FHIR_STORE, JAVASCRIPT, PROJECT } from "./programs";
import { programOf, TYPES, type Front, type Grants } from "./review-fronts";
import { wrongPredictions, type Policies } from "./review-outcome";

export const READER = "roles/healthcare.fhirResourceReader";
export const VIEWER = "roles/healthcare.fhirStoreViewer";
export const ADMIN = "roles/healthcare.fhirStoreAdmin";

export interface Reviewed {
  /** What the preview printed. */
  plan: string;
  /** The state of the stack at that time. */
  state?: string;
  result: OneStack;
  before: Policies;
}

export class ReviewedStack {
  private constructor(
    readonly front: Front,
    readonly emulator: Emulator,
    readonly project: EngineProject,
    /** Explicit providers' settings by name. */
    private readonly providers: Record<string, object>,
  ) {}

  static async create(
    front: Front,
    grants: Grants,
    {
      config = {},
      providers = {},
      env = {},
    }: { config?: ProjectOptions["config"]; providers?: Record<string, object>; env?: Record<string, string> } = {},
  ): Promise<ReviewedStack> {
    const emulator = await startEmulator({ seed: demoSeed });
    try {
      const project = await EngineProject.create({
        program: programOf(front, grants, providers),
        name: "p",
        runtime: JAVASCRIPT,
        config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge", ...config },
        env: { ...emulator.env, ...env },
        path: front === "plugin" ? [pluginFolder()] : [],
        nodeModules: front === "plugin" ? "none" : packedPackage().nodeModules,
      });
      return new ReviewedStack(front, emulator, project, providers);
    } catch (error) {
      await emulator.stop();
      throw error;
    }
  }

  /** What the program is to declare from now on. */
  declare(grants: Grants, providers = this.providers): void {
    this.project.writeFiles(programOf(this.front, grants, providers));
  }

  urn(name: string): string {
    return `urn:pulumi:${this.project.stack}::p::${TYPES[this.front]}::${name}`;
  }

  policies(emulator = this.emulator): Policies {
    const withPolicy = emulator.resources().filter(({ policy }) => policy !== undefined);
    return Object.fromEntries(withPolicy.map(({ name, policy }) => [name, policy ?? {}]));
  }

  /** Gives the store another policy, as somebody else would; makes it where it is not there yet. */
  others(bindings: NonNullable<Policy["bindings"]>, name = FHIR_STORE): void {
    if (!this.emulator.resource(name)) this.emulator.seed([{ service: "healthcare", name, body: { version: "R4" } }]);
    this.emulator.mutate(name, { policy: { bindings } });
  }

  /** Prints the plan and reviews it. Fails where that writes to a policy. */
  async review(args: string[] = [], options: Partial<ReviewOptions> = {}): Promise<Reviewed> {
    return this.run(["preview", "--json", "--show-sames", ...args], options);
  }

  /** The same for a destroy. */
  async reviewDestroy(args: string[] = [], options: Partial<ReviewOptions> = {}): Promise<Reviewed> {
    return this.run(["destroy", "--preview-only", "--json", ...args], { destroy: true, ...options });
  }

  /** With the state: only it has what an earlier update left to delete, and the settings of default providers in a destroy. */
  private async run(command: string[], options: Partial<ReviewOptions>): Promise<Reviewed> {
    const state = JSON.stringify(await this.project.exportState());
    const { stdout: plan } = await this.project.run(command, { fail: "maybe" });
    return this.reviewPlan(plan, { state, ...options });
  }

  /** Reviews a plan that is there. Fails where that writes to a policy. */
  async reviewPlan(plan: string, options: Partial<ReviewOptions> = {}): Promise<Reviewed> {
    const reviewed = await this.reading(() => review({ plan, environment: this.project.env, ...options }));
    return { plan, state: options.state, ...reviewed };
  }

  /** A review that runs the preview itself, so that it also knows the version of Pulumi. Fails where it writes to a policy. */
  reviewStack(): Promise<Pick<Reviewed, "result" | "before">> {
    return this.reading(() => reviewStack(this.project.stackOptions));
  }

  private async reading(answer: () => Promise<Answer>): Promise<Pick<Reviewed, "result" | "before">> {
    const before = this.policies();
    this.emulator.clearRequests();
    const result = onlyStack(await answer());
    const written = changesAmong(this.emulator.requests());
    if (written.length > 0) throw new Error(`the review wrote: ${JSON.stringify(written)}`);
    return { result, before };
  }

  /** Reviews the next update, carries it out, and says what was predicted wrongly. */
  async update(args: string[] = [], options: Partial<ReviewOptions> = {}): Promise<Reviewed & Outcome> {
    const reviewed = await this.review(args, options);
    const done = await this.project.up({ args });
    return { ...reviewed, done, wrong: this.wrong(reviewed) };
  }

  /** What was predicted wrongly. */
  wrong({ result, before }: Pick<Reviewed, "result" | "before">): string[] {
    return wrongPredictions(result, before, this.policies());
  }

  async dispose(): Promise<void> {
    await this.project.dispose();
    await this.emulator.stop();
  }
}

export interface Outcome {
  done: OperationResult;
  /** What was predicted wrongly, as sentences. */
  wrong: string[];
}

/** What a result says of one store. */
export function onStore(result: OneStack, store: string): OneStack {
  return { ...result, resources: result.resources.filter(({ resource }) => resource === store) };
}

/** The changes of a result as lines: `- user:ada@example.com | roles/…`, a condition behind it. */
export function changeLines({ resources }: OneStack): string[] {
  const signs = { gained: "+", lost: "-", condition: "~" };
  return resources
    .flatMap(({ changes }) => changes)
    .map(({ change, role, principal, condition }) => `${signs[change]} ${grantText(role, principal, condition)}`)
    .sort();
}

/** A line of `changeLines`. */
export function line(sign: "+" | "-" | "~", member: string, role = READER, condition?: object): string {
  return `${sign} ${grantText(role, member, condition)}`;
}
