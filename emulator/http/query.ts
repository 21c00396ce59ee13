import type { QueryType, QueryValues } from "../base/api";
import { invalidPayload, type FieldViolation } from "../base/errors";
import { ownProperty, toCamel, toSnake } from "../base/json";

/** All methods accept these (docs/wire.md section 1). Google's clients also send some of them with a `$`. */
const COMMON = new Set([
  ...["$.xgafv", "access_token", "alt", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser"],
  ...["uploadType", "upload_protocol", "$alt", "$fields", "$prettyPrint", "$callback", "$key", "$unique"],
]);

export interface Query {
  /** The values of the method's own parameters. */
  values: QueryValues;
  /** The parameters that all methods accept. */
  common: URLSearchParams;
}

/** Parses a query string. @throws ApiError INVALID_ARGUMENT that lists every unknown parameter */
export function decodeQuery(parameters: URLSearchParams, known: Readonly<Record<string, QueryType>>): Query {
  const values: QueryValues = {};
  const common = new URLSearchParams();
  const violations: FieldViolation[] = [];
  for (const name of new Set(parameters.keys())) {
    const given = parameters.getAll(name);
    if (COMMON.has(name)) {
      common.set(name, given[given.length - 1] ?? "");
      continue;
    }
    const camel = name.split(".").map(toCamel).join(".");
    const type = ownProperty(known, camel);
    if (type === undefined) {
      violations.push({
        description: `Invalid JSON payload received. Unknown name ${JSON.stringify(name)}: Cannot bind query parameter. Field '${name}' could not be found in request message.`,
      });
    } else if (type === "strings") {
      values[camel] = given.join(",");
    } else if (given.length > 1) {
      violations.push({
        description: `Invalid JSON payload received. Unknown name ${JSON.stringify(name)}: Proto field is not repeating, cannot start list.`,
      });
    } else {
      read(values, camel, type, given[0] ?? "", violations);
    }
  }
  const alt = common.get("$alt") ?? common.get("alt") ?? "json";
  if (!/^json(;|$)/i.test(alt)) {
    violations.push({
      field: "$alt",
      description: `The emulator answers in JSON only; alt was ${JSON.stringify(alt)}`,
    });
  }
  if (violations.length > 0) {
    throw invalidPayload(violations);
  }
  return { values, common };
}

function read(values: QueryValues, name: string, type: QueryType, raw: string, violations: FieldViolation[]): void {
  const field = name.split(".").map(toSnake).join(".");
  if (type === "int32") {
    const number = Number(raw);
    if (!/^-?\d{1,10}$/.test(raw) || Math.abs(number) > 0x7fffffff) {
      const description = `Invalid value at '${field}' (TYPE_INT32), ${JSON.stringify(raw)}`;
      violations.push({ field, description });
    }
    values[name] = number;
  } else if (type === "bool") {
    // Clients in Python send `True` and `False`.
    if (!/^(true|false)$/i.test(raw)) {
      violations.push({ field, description: `Invalid value at '${field}' (TYPE_BOOL), ${JSON.stringify(raw)}` });
    }
    values[name] = raw.toLowerCase() === "true";
  } else {
    values[name] = raw;
  }
}
