import type { ReviewResult } from "../result";
import { readAccessOfNames, type AccessOptions } from "./access";
import { copied, seedOf } from "./seed";
import type { StackSeed } from "./stack-files";

export interface ReadAccessOptions extends AccessOptions {
  /** Whether a seed of the emulator is made. @default false */
  seed?: boolean;
}

/**
 * Returns who has access to resources now, and on demand a copy of the resources as a seed of the emulator.
 *
 * @throws InputError and ConfigurationError like `access`.
 */
export async function readAccess(options: ReadAccessOptions): Promise<{ result: ReviewResult; seed?: StackSeed }> {
  const { result, read } = await readAccessOfNames(options);
  if (!options.seed) return { result };
  return { result, seed: await seedOf(read.map(copied), options.inherited ?? true) };
}
