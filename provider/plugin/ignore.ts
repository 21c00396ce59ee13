import { parsePath, type PathSegment } from "../core/problem";
import { isRecord, type Values } from "../core/unknown";

/**
 * The inputs under `ignoreChanges`. At the ignored paths, the engine has already put the old inputs. If somebody changed the
 * resource outside of Pulumi, the state differs from the old inputs: this uses the state, so that the resource does not
 * change.
 *
 * @param ignored paths as Pulumi writes them. A path into a list has no effect: only a whole list can be ignored.
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
