import type { PathSegment } from "../core/problem";
import { isRecord, type Values } from "../core/unknown";

/**
 * `ignoreChanges`. The engine has put the old inputs in these places already; what is left to us is a place where the
 * state differs from the old inputs, because somebody changed the resource outside. There the state stays, too.
 */
export function ignoringChanges(inputs: Values, state: Values, ignored: readonly string[]): Values {
  return ignored.reduce((result, path) => keep(result, state, segmentsOf(path)) as Values, inputs);
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

/** A path as Pulumi writes it: `labels.env`, `labels["a.b"]`, `bindings[0].role`, `labels[*]`. */
export function segmentsOf(path: string): PathSegment[] {
  const parts = path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\[(\*)\]|([^.[\]]+)/g);
  return [...parts].map(([, quoted, index, star, name]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/g, "$1");
    if (index !== undefined) return Number(index);
    return (star ?? name) as string;
  });
}
