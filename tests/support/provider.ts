import { startEmulator, type Emulator, type EmulatorOptions, type RequestRecord } from "../../emulator";
import type { Values } from "../../provider/core/unknown";
import type { Connectors } from "../../provider/runtime/connections";
import { Provider, type CallOptions } from "../../provider/runtime/provider";
import { FakeClock } from "../../provider/testing/clock";

/** An emulator and providers that talk to it over HTTP, on one clock that only moves when somebody sleeps. */
export class Bench {
  readonly clock = new FakeClock();

  private constructor(readonly emulator: Emulator) {}

  static async start(options: EmulatorOptions = {}): Promise<Bench> {
    let bench: Bench | undefined = undefined;
    const emulator = await startEmulator({ clock: () => bench?.clock.now() ?? 0, ...options });
    bench = new Bench(emulator);
    return bench;
  }

  /** A provider as a run of the engine has one: several share the cloud, and nothing else. */
  provider(
    configuration: Values = {},
    environment: Record<string, string> = {},
    more: Partial<Connectors> = {},
  ): Provider {
    const host = `${this.emulator.host}:${this.emulator.port}`;
    return new Provider({ emulatorHost: host, project: "p", ...configuration }, environment, {
      clock: this.clock,
      ...more,
    });
  }

  /** The requests since the last look, those for operations left out. */
  requests(): RequestRecord[] {
    const all = this.emulator.requests();
    this.emulator.clearRequests();
    return all.filter((each) => !each.path.includes("/operations/"));
  }

  /** The same in short: `GET v1beta1/projects/…`, the query beside it. */
  calls(): string[] {
    return this.requests().map(({ method, path }) => `${method} ${decodeURIComponent(path).slice(1)}`);
  }
}

/** Generous limits, and status lines into the given list. */
export function limits(options: Partial<CallOptions> & { lines?: string[] } = {}): CallOptions {
  const { lines, ...others } = options;
  const add = (message: string) => void lines?.push(message);
  return {
    timeout: 20 * 60_000,
    identity: "urn:pulumi:dev::demo::type::name",
    ...(lines ? { reporter: { status: add, info: add, warning: add } } : {}),
    ...others,
  };
}

/** What a promise rejects with; fails where it does not. */
export async function failure(promise: Promise<unknown>): Promise<Error & Values> {
  const outcome: unknown = await promise.then(
    (value) => new Error(`succeeded with ${JSON.stringify(value)}`, { cause: "success" }),
    (error: unknown) => error,
  );
  if (outcome instanceof Error && outcome.cause === "success") throw outcome;
  return outcome as Error & Values;
}
