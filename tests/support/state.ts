/** A stack's state, as the engine writes it. */

/** A secret as `--show-secrets` prints it, and as an import encrypts it (`Sig` in sdk/go/common/resource/sig/sig.go). */
export const shownSecret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  plaintext: JSON.stringify(value),
});

export interface StepState {
  type: string;
  urn: string;
  id?: string;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  protect?: boolean;
  provider?: string;
  [key: string]: unknown;
}

export interface StackState {
  version: number;
  deployment: {
    resources?: StepState[];
    pending_operations?: unknown[];
    [key: string]: unknown;
  };
}
