import type { Values } from "../../provider/core/unknown";
import { Provider } from "../../provider/runtime/provider";
import { inParallel } from "../support/simulated-stack";

/**
 * One provider process of the hammer: makes and removes the grants of its job, so many at a time, and says how each
 * ended. Started with an IPC channel: says that it is there, does the one job that it is sent and ends.
 */
export interface Job {
  configuration: Values;
  environment: Record<string, string>;
  token: string;
  parallel: number;
  /** In order for one grant; grants do not wait for each other. */
  grants: { inputs: Values; steps: ("add" | "remove")[] }[];
}

export interface Done {
  /** Of each grant: why a step failed. */
  failures: string[];
}

process.once("message", (job: Job) => {
  run(job)
    .then((done) => process.send?.(done, () => process.disconnect()))
    .catch((error: unknown) => process.send?.({ failures: [String(error)] }, () => process.disconnect()));
});

process.send?.("ready");

async function run({ configuration, environment, token, parallel, grants }: Job): Promise<Done> {
  const failures: string[] = [];
  const provider = new Provider(configuration, environment);
  const options = { timeout: 120_000 };
  await inParallel(
    parallel,
    grants.map(({ inputs, steps }) => async () => {
      for (const step of steps) {
        try {
          if (step === "add") await provider.create(token, inputs, options);
          else await provider.delete(token, { id: "x", state: inputs }, options);
        } catch (error) {
          failures.push(`${step} ${String(inputs.member)}: ${(error as Error).message}`);
        }
      }
    }),
  );
  return { failures };
}
