/** More live reads than these would wait for the same connections. */
const AT_ONCE = 8;

/** What `run` makes of each item, in their order. It runs on a few items at once. */
export async function mapBounded<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  // One iterator for all: each worker takes the next item when it is done with one.
  const work = async () => {
    for (const [index, item] of entries) results[index] = await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
  return results;
}
