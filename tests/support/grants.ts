import { startEmulator, type Emulator, type EmulatorOptions } from "../../emulator";
import { READ_BY_POST } from "./changes";
import type { Values } from "../../provider/core/unknown";
import type { Reporter } from "../../provider/http/call";
import { pooledSend } from "../../provider/http/pool";
import type { Send } from "../../provider/http/send";
import type { Policy } from "../../provider/iam/policy";
import type { Connectors } from "../../provider/runtime/connections";
import { Provider } from "../../provider/runtime/provider";
import { testCredentials } from "../../provider/testing/credentials";
import { providerFront } from "./provider-front";
import { DEFAULT, SimulatedStack } from "./simulated-stack";
import { STORE_GRANT } from "./tokens";

export const ROLE = "roles/healthcare.fhirResourceReader";
export const ADMIN_ROLE = "roles/healthcare.fhirStoreAdmin";
/** Longer than any test. */
export const OPTIONS = { timeout: 600_000 };

export function storeName(number = 0): string {
  return `projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/store-${number}`;
}

export function grantOn(store: number, member: string, more: Values = {}): Values {
  return { name: storeName(store), role: ROLE, member, ...more };
}

/** `user:{name}0@example.com`, `user:{name}1@example.com`, … */
export function users(count: number, name = "u"): string[] {
  return Array.from({ length: count }, (_, at) => `user:${name}${at}@example.com`);
}

/** Somebody else's policy with something of everything: what a grant of ours must leave as it is. */
export const FOREIGN: Policy = {
  bindings: [
    { role: "roles/healthcare.fhirStoreViewer", members: ["user:Zoe@Example.com", "user:adam@example.com"] },
    { role: ROLE, members: ["deleted:user:gone@example.com?uid=123456789", "group:Clinicians@example.com"] },
    {
      role: ROLE,
      members: ["user:temp@example.com"],
      condition: {
        title: "until-july",
        description: "d",
        expression: 'request.time < timestamp("2026-07-01T00:00:00Z")',
      },
    },
  ],
  auditConfigs: [
    {
      service: "allServices",
      auditLogConfigs: [{ logType: "ADMIN_READ" }, { logType: "DATA_READ", exemptedMembers: ["user:x@example.com"] }],
    },
  ],
};

/** One request as it went over the wire. */
export interface Sent {
  method: string;
  url: string;
  body?: { policy: Policy };
}

/** An emulator with some FHIR stores, and providers that are connected to it over HTTP. */
export class GrantCloud {
  /** What the providers of this world sent. */
  readonly sent: Sent[] = [];

  private constructor(readonly emulator: Emulator) {}

  static async start({
    stores = 1,
    policy,
    ...options
  }: EmulatorOptions & { stores?: number; policy?: Policy } = {}): Promise<GrantCloud> {
    const seed = Array.from({ length: stores }, (_, at) => ({
      service: "healthcare",
      name: storeName(at),
      body: { version: "R4" },
      ...(policy ? { policy } : {}),
    }));
    return new GrantCloud(await startEmulator({ seed, ...options }));
  }

  provider(configuration: Values = {}, connectors: Partial<Connectors> = {}): Provider {
    return new Provider(configuration, { ...this.emulator.env }, { send: this.send, ...connectors });
  }

  merging(configuration: Values = {}, connectors: Partial<Connectors> = {}): Provider {
    return this.provider({ grantMode: "merge", ...configuration }, connectors);
  }

  policy(store = 0): Policy {
    return this.emulator.resource(storeName(store))?.policy ?? {};
  }

  setPolicy(policy: Policy, store = 0): void {
    this.emulator.mutate(storeName(store), { policy });
  }

  /** Who holds the role, without or with a condition. */
  members(store = 0, role = ROLE): string[] {
    return (this.policy(store).bindings ?? []).flatMap((each) => (each.role === role ? [...(each.members ?? [])] : []));
  }

  get reads(): number {
    return this.sent.filter(({ method }) => method === "GET").length;
  }

  get writes(): Sent[] {
    return this.sent.filter(({ method, url }) => method === "POST" && !READ_BY_POST.test(url));
  }

  /** A provider with the credentials of a service account, which it knows by its email address. */
  as(email: string, configuration: Values = {}): Provider {
    const tokens = testCredentials({
      project: () => Promise.resolve("demo-project"),
      serviceAccount: () => Promise.resolve(email),
    });
    const settings = { healthcareCustomEndpoint: `${this.emulator.url}/v1beta1/`, sendCredentialsToLoopback: true };
    return this.merging({ ...settings, ...configuration }, { tokens });
  }

  /** How many answers had this status. */
  answered(status: number): number {
    return this.emulator.requests().filter((each) => each.status === status).length;
  }

  stop(): Promise<void> {
    return this.emulator.stop();
  }

  readonly send: Send = (request) => {
    const { method, url } = request;
    const body = request.body === undefined ? undefined : (JSON.parse(request.body) as { policy: Policy });
    this.sent.push({ method, url, body });
    return pooledSend(request);
  };
}

/** A reporter that keeps what it is told. */
export function listener() {
  const said: string[] = [];
  const reporter: Reporter = {
    status: () => {},
    info: (text) => void said.push(`info: ${text}`),
    warning: (text) => void said.push(`warning: ${text}`),
  };
  return { said, reporter };
}

/**
 * A stack of grants whose provider runs in this process, so that a test can watch and change its requests. The names of the
 * resources are their identities.
 */
export class GrantStack {
  private readonly stack = new SimulatedStack();

  constructor(private provider: Provider) {}

  /** The next run's provider process: it knows nothing of the last run. */
  use(provider: Provider): void {
    this.provider = provider;
  }

  /**
   * @param parallel how many grants change at the same time; with 1, a grant is made before the next one is checked.
   * @returns what was done, such as `create a`, in order.
   * @throws Error with the first failure.
   */
  async up(program: Record<string, Values>, { parallel = 8 }: { parallel?: number } = {}): Promise<string[]> {
    const declared = Object.entries(program).map(([name, inputs]) => [name, { type: STORE_GRANT, inputs }] as const);
    const options = {
      fronts: { [DEFAULT]: providerFront(this.provider, OPTIONS) },
      ...(parallel > 1 ? { parallel } : {}),
    };
    const { calls, errors } = await this.stack.run(Object.fromEntries(declared), options);
    if (errors.length > 0) throw new Error(errors.join("; "));
    const changes = calls.filter(({ method }) => method !== "check" && method !== "diff");
    return changes.map(({ method, name }) => `${method} ${name}`);
  }

  /** Deletes everything, without a check before it. */
  destroy(options: { parallel?: number } = {}): Promise<string[]> {
    return this.up({}, options);
  }
}
