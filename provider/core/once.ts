/**
 * A function that computes at its first call, and returns that value at every later call. Callers of an asynchronous
 * `compute` share its promise. A failure (thrown or rejected) is not cached: the next call computes again.
 */
export function once<T>(compute: () => T): () => T {
  let computed: { value: T } | undefined;
  return () => {
    if (computed) return computed.value;
    const { value } = (computed = { value: compute() });
    if (value instanceof Promise) value.catch(() => (computed = undefined));
    return value;
  };
}

/** The value of a key. At the first call for the key, it is computed and kept in the map. */
export function getOrCompute<K, V extends NonNullable<unknown>>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  compute: () => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = compute();
  map.set(key, value);
  return value;
}
