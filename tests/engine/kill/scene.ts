import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { EngineProject } from "../../support/engine";
import { untilSeen, type RunningEngine } from "../../support/engine-run";
import { pluginFolder, type PluginForm } from "../../support/plugin";
import { childrenWith } from "../../support/processes";
import { ASSOCIATIONS, FHIR_STORE, PROJECT } from "../../support/programs";
import { ASSOCIATION, STORE_GRANT } from "../../support/tokens";

export type Properties = Record<string, unknown>;

export const LINK = {
  firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
  network: `projects/${PROJECT}/global/networks/prod`,
  location: "us-central1-a",
  firewallEndpointAssociationId: "prod",
  labels: { team: "network" },
};
export const GRANT = {
  name: FHIR_STORE,
  role: "roles/healthcare.fhirResourceReader",
  member: "group:nurses@example.com",
};

export const CHANGED = { ...LINK, labels: { team: "security" } };
/** As long as the real API takes at most, and well within the hour for which it remembers a request id. */
export const CREATE_MS = 15 * 60_000;
export const POLL = { method: "GET", path: /\/operations\// };
export const DELETE = { method: "DELETE", path: /firewallEndpointAssociations\/prod$/ };

/** Associations and grants by name. */
export type Declared = Record<string, Properties>;

function programOf(declared: Declared): Record<string, string> {
  const resources = Object.fromEntries(
    Object.entries(declared).map(([name, properties]) => [
      name,
      { type: "member" in properties ? STORE_GRANT : ASSOCIATION, properties },
    ]),
  );
  // JSON is YAML too.
  return { "Pulumi.yaml": JSON.stringify({ name: "kill", runtime: "yaml", resources }) };
}

/** A request that the emulator has got, or has answered. */
export interface Seen {
  method: string;
  path: RegExp;
  answered?: boolean;
}

/** A YAML program over the built plugin, an emulator, and the means to end one of the two processes at a request. */
export class KilledStack {
  private constructor(
    readonly emulator: Emulator,
    readonly project: EngineProject,
  ) {}

  static async create(form: PluginForm, declared: Declared = {}): Promise<KilledStack> {
    const folder = pluginFolder(form);
    const emulator = await startEmulator({ seed: demoSeed });
    try {
      const project = await EngineProject.create({
        program: programOf(declared),
        config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
        nodeModules: "none",
        path: [folder],
        env: emulator.env,
      });
      return new KilledStack(emulator, project);
    } catch (error) {
      await emulator.stop();
      throw error;
    }
  }

  /** What the program declares from now on. */
  declare(resources: Declared): void {
    this.project.writeFiles(programOf(resources));
  }

  /** What docs/transport.md tells a user to run after a crash. @returns what the refresh changed */
  async recover(): Promise<Record<string, number>> {
    const { changes } = await this.project.refresh({ args: ["--clear-pending-creates"] });
    await this.project.up();
    return changes;
  }

  /** Starts `up`, and waits until the requests are in the hands of the server: they have the effect that their faults let them. */
  async upUntil(...requests: Seen[]): Promise<RunningEngine> {
    this.emulator.clearRequests();
    // None waits for another to end: some never do.
    const running = this.project.start(["up", "--yes", "--skip-preview", "--parallel", "32"]);
    for (const request of requests) await this.until(request, running);
    return running;
  }

  async until({ method, path, answered }: Seen, running: RunningEngine): Promise<void> {
    await untilSeen(running, `${method} ${path}`, () =>
      this.emulator
        .requests()
        .some((each) => each.method === method && path.test(each.path) && (!answered || each.status !== null)),
    );
  }

  posts(): number {
    return this.emulator.requests().filter((each) => each.method === "POST" && each.path.endsWith("Associations"))
      .length;
  }

  links() {
    return this.emulator.resources().filter((each) => each.name.startsWith(ASSOCIATIONS));
  }

  /** The members whom the grant's role is given to. */
  readers(): string[] {
    const { bindings } = this.emulator.resource(FHIR_STORE)?.policy as {
      bindings?: { role: string; members: string[] }[];
    };
    return (bindings ?? []).filter((each) => each.role === GRANT.role).flatMap((each) => each.members);
  }

  async stateOf(name: string): Promise<Properties | undefined> {
    const { deployment } = await this.project.exportState();
    return deployment.resources?.find((each) => each.urn.endsWith(`::${name}`));
  }

  async dispose(): Promise<void> {
    await this.project.dispose();
    await this.emulator.stop();
  }
}

/** The plugin's process of this run. A YAML host of today starts one more, to read the schema. */
export function pluginOf(running: RunningEngine): number {
  const found = childrenWith(running.pid, "pulumi-resource-perimeter");
  if (found.length !== 1) throw new Error(`${found.length} plugins`);
  return found[0] as number;
}
