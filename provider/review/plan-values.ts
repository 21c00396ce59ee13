/** Stands for a value that a plan or a state hides because it is secret. What is not known yet is core's `UNKNOWN`. */
export const SECRET: unique symbol = Symbol("perimeter.review.secret");
export type Secret = typeof SECRET;

export function isSecret(value: unknown): value is Secret {
  return value === SECRET;
}
