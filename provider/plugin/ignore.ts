import { parsePath, type PathSegment } from "../core/problem";
import { isRecord, type Values } from "../core/unknown";

/**
 * The inputs under `ignoreChanges`. At the ignored places, the engine has put the old inputs already. Where somebody changed
 * the resource outside of Pulumi, the state differs from the old inputs: this puts in the state, so that it stays as it is.
 *
 * @param ignored paths as Pulumi writes them. A path into a list has no effect: a list is ignored as a whole or not at all.
 */
export function ignoringChanges(inputs: Values, state: Values, ignored: readonly string[]): Values {
  return ignored.reduce((result, path) => {
    const kept = keep(result, state, parsePath(path));
    return isRecord(kept) ? kept : result;
  }, inputs);
}

/** `wanted` with what `current` has at the path; `*` is every property. */
function keep(wanted: unknown, current: unknown, [segment, ...rest]: readonly PathSegment[]): unknown {
  if (segment === undefined) return current;
  if (!isRecord(wanted) && !isRecord(current)) return wanted;
  const [left, right] = [isRecord(wanted) ? wanted : {}, isRecord(current) ? current : {}];
  const names = segment === "*" ? [...new Set([...Object.keys(left), ...Object.keys(right)])] : [String(segment)];
  const kept = names.map((name): [string, unknown] => [name, keep(left[name], right[name], rest)]);
  const merged = Object.fromEntries([...Object.entries(left), ...kept]);
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}
