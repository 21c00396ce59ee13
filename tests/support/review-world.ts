/** A stack of grants on the real engine, whose plans are reviewed and then carried out. Either front declares them. */
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import { review, type ReviewOptions, type ReviewResult } from "../../provider/review";
import { EngineProject, type ProjectOptions } from "./engine";
import type { OperationResult } from "./engine-events";
import { packedPackage } from "./pack";
import { pluginFolder } from "./plugin";
import { association, FHIR_STORE, JAVASCRIPT, PROJECT } from "./programs";
import { grantText, wrongPredictions, type Policies } from "./review-outcome";
import { ASSOCIATION, STORE_GRANT } from "./tokens";

export type Front = "plugin" | "npm";

export const READER = "roles/healthcare.fhirResourceReader";
export const VIEWER = "roles/healthcare.fhirStoreViewer";
export const ADMIN = "roles/healthcare.fhirStoreAdmin";

/** A grant of a program, for both fronts. */
export interface GrantDeclaration {
  /** Begins with `secret:` where it is one; `unknown` is the output of a resource that is yet to be made. */
  member: string;
  /** @default FHIR_STORE */
  name?: string;
  /** @default READER */
  role?: string;
  condition?: { title: string; description?: string; expression: string };
  /** What it was called before. */
  alias?: string;
  dependsOn?: string[];
  deleteBeforeReplace?: boolean;
  retainOnDelete?: boolean;
  /** An explicit provider of the program; the plugin's only. */
  provider?: string;
  import?: string;
}

export type Grants = Record<string, GrantDeclaration>;

const TYPES = {
  plugin: STORE_GRANT,
  npm: "pulumi-nodejs:dynamic/healthcare/v1beta1:DatasetFhirStoreIamMember",
};

/** The resource whose output is an unknown member. */
const UNKNOWN_SOURCE = association().args;

export interface Reviewed {
  /** What the preview printed. */
  plan: string;
  result: ReviewResult;
  before: Policies;
}

export class ReviewWorld {
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
  ): Promise<ReviewWorld> {
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
      return new ReviewWorld(front, emulator, project, providers);
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

  /** Gives the store another policy, as somebody else would. */
  others(bindings: { role: string; members: string[]; condition?: object }[], name = FHIR_STORE): void {
    this.emulator.mutate(name, { policy: { bindings } });
  }

  /** Prints the plan and reviews it. Fails where that writes to a policy. */
  async review(args: string[] = [], options: Partial<ReviewOptions> = {}): Promise<Reviewed> {
    return this.reviewPlan(["preview", "--json", "--show-sames", ...args], options);
  }

  async reviewDestroy(args: string[] = [], options: Partial<ReviewOptions> = {}): Promise<Reviewed> {
    return this.reviewPlan(["destroy", "--preview-only", "--json", ...args], options);
  }

  private async reviewPlan(command: string[], options: Partial<ReviewOptions>): Promise<Reviewed> {
    const { stdout: plan } = await this.project.run(command, { fail: "maybe" });
    const before = this.policies();
    this.emulator.clearRequests();
    const result = await review({ plan, environment: this.project.env, ...options });
    const written = this.emulator.requests().filter(({ method, path }) => method !== "GET" && !isRead(path));
    if (written.length > 0) throw new Error(`the review wrote: ${JSON.stringify(written)}`);
    return { plan, result, before };
  }

  /** Reviews the next update, carries it out, and says what was predicted wrongly. */
  async update(args: string[] = [], options: Partial<ReviewOptions> = {}): Promise<Reviewed & Outcome> {
    const reviewed = await this.review(args, options);
    const done = await this.project.up({ args });
    return { ...reviewed, done, wrong: this.wrong(reviewed) };
  }

  async destroy(args: string[] = [], options: Partial<ReviewOptions> = {}): Promise<Reviewed & Outcome> {
    const reviewed = await this.reviewDestroy(args, options);
    const done = await this.project.destroy({ args });
    return { ...reviewed, done, wrong: this.wrong(reviewed) };
  }

  wrong({ result, before }: Reviewed): string[] {
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

/** A POST that reads: `:testIamPermissions`, and `:getIamPolicy` of APIs that take its options in a body. */
function isRead(path: string): boolean {
  return /:(testIamPermissions|getIamPolicy)/.test(path);
}

/** The changes of a result as lines: `- user:ada@example.com | roles/…`, a condition behind it. */
export function changeLines({ resources }: ReviewResult): string[] {
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

function programOf(front: Front, grants: Grants, providers: Record<string, object>): Record<string, string> {
  return front === "plugin" ? yamlProgram(grants, providers) : npmProgram(grants);
}

function argsOf({ member, name = FHIR_STORE, role = READER, condition }: GrantDeclaration) {
  return { name, role, member, ...(condition ? { condition } : {}) };
}

function yamlProgram(grants: Grants, providers: Record<string, object>): Record<string, string> {
  const declared = Object.entries(grants).map(([name, grant]) => {
    const { alias, dependsOn, deleteBeforeReplace, retainOnDelete, provider, import: id, member } = grant;
    const secret = member.startsWith("secret:") ? { "fn::secret": member.slice(7) } : undefined;
    const shown = member === "unknown" ? "group:${source.state}@example.com" : (secret ?? member);
    const options = {
      deleteBeforeReplace,
      retainOnDelete,
      import: id,
      ...(provider === undefined ? {} : { provider: `\${${provider}}` }),
      ...(dependsOn ? { dependsOn: dependsOn.map((other) => `\${${other}}`) } : {}),
      ...(alias === undefined ? {} : { aliases: [`urn:pulumi:test::p::${TYPES.plugin}::${alias}`] }),
    };
    return [name, { type: TYPES.plugin, properties: { ...argsOf(grant), member: shown }, options }];
  });
  const explicit = Object.entries(providers).map(([name, properties]) => [
    name,
    { type: "pulumi:providers:perimeter", properties },
  ]);
  const hasUnknown = Object.values(grants).some(({ member }) => member === "unknown");
  const source = {
    type: ASSOCIATION,
    properties: UNKNOWN_SOURCE,
  };
  const resources: unknown = Object.fromEntries([
    ...explicit,
    ...(hasUnknown ? [["source", source]] : []),
    ...declared,
  ]);
  // JSON is YAML too.
  return { "Pulumi.yaml": JSON.stringify({ name: "p", runtime: "yaml", resources }) };
}

function npmProgram(grants: Grants): Record<string, string> {
  const declared = Object.entries(grants).map(([name, grant]) => {
    const { alias, dependsOn = [], deleteBeforeReplace, retainOnDelete } = grant;
    const options = {
      deleteBeforeReplace,
      retainOnDelete,
      ...(alias === undefined ? {} : { aliases: [{ name: alias }] }),
    };
    return { name, args: argsOf(grant), dependsOn, options };
  });
  return {
    "package.json": JSON.stringify({ name: "p", private: true, main: "index.js" }),
    "index.js": PROGRAM,
    "grants.json": JSON.stringify({ declared, source: UNKNOWN_SOURCE }),
  };
}

const PROGRAM = `"use strict";
const pulumi = require("@pulumi/pulumi");
const { healthcare, networksecurity } = require("pulumi-perimeter");
const { declared, source } = require("./grants.json");

let state;
const unknown = () => {
  state ??= new networksecurity.v1beta1.FirewallEndpointAssociation("source", source).state;
  return pulumi.interpolate\`group:\${state}@example.com\`;
};
const valueOf = (member) =>
  member === "unknown" ? unknown() : member.startsWith("secret:") ? pulumi.secret(member.slice(7)) : member;

const made = {};
for (const { name, args, dependsOn, options } of declared) {
  const all = { ...options, dependsOn: dependsOn.map((other) => made[other]) };
  made[name] = new healthcare.v1beta1.DatasetFhirStoreIamMember(name, { ...args, member: valueOf(args.member) }, all);
}
`;
