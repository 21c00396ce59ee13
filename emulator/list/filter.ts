import { isObject, ownProperty, textOf, toCamel, type Json, type JsonObject } from "../base/json";
import type { FieldType, Message } from "../base/schema";
import { comparable, defaultValue, findField, isReachable, valuesAt, type FieldPath } from "./fields";
import { ListSyntaxError, parseFilter, type Filter, type Restriction } from "./parse-filter";

export type Predicate = (body: JsonObject) => boolean;

/**
 * Compiles a filter (AIP-160) to a predicate of messages. It supports typed comparisons, `:` as "has", traversal of messages
 * and maps, AND, OR, NOT and parentheses. It does not support values without a field, and functions.
 *
 * @throws ListSyntaxError for a syntax error, an unknown field or an unsupported feature
 */
export function compileFilter(source: string, shape: Message): Predicate {
  const filter = parseFilter(source);
  return filter === undefined ? () => true : compile(filter, shape);
}

function compile(filter: Filter, shape: Message): Predicate {
  switch (filter.kind) {
    case "and": {
      const parts = filter.parts.map((part) => compile(part, shape));
      return (body) => parts.every((matches) => matches(body));
    }
    case "or": {
      const parts = filter.parts.map((part) => compile(part, shape));
      return (body) => parts.some((matches) => matches(body));
    }
    case "not": {
      const part = compile(filter.part, shape);
      return (body) => !part(body);
    }
    case "restriction":
      return compileRestriction(filter, findField(shape, filter.path));
  }
}

function compileRestriction(restriction: Restriction, field: FieldPath): Predicate {
  if (restriction.comparator === ":") {
    const has = hasTest(restriction, field);
    return (body) => valuesAt(body, field.steps).some(has);
  }
  const name = restriction.path.join(".");
  if (field.repeated) {
    throw new ListSyntaxError(`'${name}' leads through a list; only ':' (has) is supported for it`);
  }
  const test = comparison(restriction, field.type);
  const unset = field.keyed ? undefined : defaultValue(field.type);
  return (body) => {
    // An unset message or key matches no comparison. An unset scalar has its default value.
    const held = valuesAt(body, field.steps)[0] ?? (isReachable(body, field) ? unset : undefined);
    return held !== undefined && test(held);
  };
}

/** `:` tests whether a value is set (`*`), or whether it contains a key, a field, an item of a list or a part of a text. */
function hasTest({ value, quoted, path }: Restriction, { type, keyed, repeated }: FieldPath): (held: Json) => boolean {
  if (value === "*" && !quoted) {
    return (held) => (isObject(held) ? Object.keys(held).length > 0 : keyed || (held !== false && held !== ""));
  }
  switch (type.kind) {
    case "map":
    case "struct":
      return (held) =>
        [held]
          .flat()
          .some((item) =>
            typeof item === "object"
              ? isObject(item) && ownProperty(item, value) !== undefined
              : String(item) === value,
          );
    case "message": {
      const name = toCamel(value);
      if (ownProperty(type.message.fields, name) === undefined) {
        throw new ListSyntaxError(`'${path.join(".")}' has no field '${value}'`);
      }
      return (held) => isObject(held) && ownProperty(held, name) !== undefined;
    }
    case "list": {
      const item = comparison({ kind: "restriction", path, comparator: "=", value, quoted }, type.item);
      return (held) => Array.isArray(held) && held.some(item);
    }
    default:
      return type.kind === "string" && !keyed && !repeated
        ? (held) => textOf(held).includes(value)
        : comparison({ kind: "restriction", path, comparator: "=", value, quoted }, type);
  }
}

function comparison({ comparator, value, path }: Restriction, type: FieldType): (held: Json) => boolean {
  const name = path.join(".");
  const wanted = comparable(type, value, name);
  const equal = comparator === "=" || comparator === "!=";
  if (!equal && (type.kind === "bool" || type.kind === "enum")) {
    throw new ListSyntaxError(`'${name}' has no order, so '${comparator}' is not supported for it`);
  }
  if (equal && type.kind === "string" && value.includes("*")) {
    const matches = wildcard(value);
    return (held) => matches(textOf(held)) === (comparator === "=");
  }
  return (held) => {
    if (typeof held === "object") {
      return false;
    }
    // A seed may have values of a newer API that no filter can name.
    const actual = type.kind === "enum" ? String(held) : comparable(type, held, name);
    switch (comparator) {
      case "=":
        return actual === wanted;
      case "!=":
        return actual !== wanted;
      case "<":
        return actual < wanted;
      case "<=":
        return actual <= wanted;
      case ">":
        return actual > wanted;
      default:
        return actual >= wanted;
    }
  };
}

/** `*` matches any characters. The parts are searched from left to right, so that no text makes this slow. */
function wildcard(pattern: string): (text: string) => boolean {
  const parts = pattern.split("*");
  const first = parts[0] ?? "";
  const last = parts[parts.length - 1] ?? "";
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) {
      return false;
    }
    const end = text.length - last.length;
    let at = first.length;
    for (const part of parts.slice(1, -1)) {
      const found = text.indexOf(part, at);
      if (found < 0 || found + part.length > end) {
        return false;
      }
      at = found + part.length;
    }
    return true;
  };
}
