/** Default time limit of one call, in milliseconds, without custom timeouts in the program. */
export const DEFAULT_TIMEOUTS = {
  create: 20 * 60_000,
  update: 20 * 60_000,
  delete: 20 * 60_000,
  read: 5 * 60_000,
  lookup: 5 * 60_000,
} as const;
