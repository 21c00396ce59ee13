/** Longest time for one call, in milliseconds, where the program's custom timeouts say nothing else. */
export const DEFAULT_TIMEOUTS = {
  create: 20 * 60_000,
  update: 20 * 60_000,
  delete: 20 * 60_000,
  read: 5 * 60_000,
  lookup: 5 * 60_000,
} as const;
