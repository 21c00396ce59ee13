import { ApiError, badRequest } from "../base/errors";
import { emptyObject, isObject, ownProperty, toCamel, type Json, type JsonObject } from "../base/json";
import type { FieldType, Message } from "../base/schema";

export interface Selection {
  [name: string]: Selection | true;
}

/**
 * Parses the query parameter `fields`, which selects a part of the response, e.g. `name,bindings(role,members)` or
 * `metadata/target`. All methods accept it.
 *
 * @param shape the message of the response. Unknown names are refused
 * @throws ApiError INVALID_ARGUMENT
 */
export function parseSelection(expression: string, shape: Message): Selection {
  return canonical(new Parser(expression).parse(), { kind: "message", message: shape }, "", expression);
}

/** The selection with the names of the shape. The parameter may also use snake_case. */
function canonical(selection: Selection, type: FieldType, parent: string, expression: string): Selection {
  const result = emptySelection();
  for (const [name, inner] of Object.entries(selection)) {
    const path = parent === "" ? name : `${parent}.${name}`;
    const found = name === "*" ? { name, type } : fieldOf(name, type);
    if (found === undefined) {
      throw refusal(expression, `Error expanding 'fields' parameter. Cannot find matching fields for path '${path}'.`);
    }
    add(result, found.name, inner === true ? true : canonical(inner, found.type, path, expression));
  }
  return result;
}

/** The field of a type; undefined if it does not exist. Maps and free-form objects have every field. */
function fieldOf(name: string, type: FieldType): { name: string; type: FieldType } | undefined {
  switch (type.kind) {
    case "list":
      return fieldOf(name, type.item);
    case "message": {
      const known = [name, toCamel(name)].find((spelling) => ownProperty(type.message.fields, spelling) !== undefined);
      const field = known === undefined ? undefined : ownProperty(type.message.fields, known);
      return known === undefined || field === undefined ? undefined : { name: known, type: field.type };
    }
    case "map":
      return { name, type: type.value };
    case "struct":
      return { name, type };
    default:
      return undefined;
  }
}

/** Two selections of the same field are merged: `labels/a,labels/b`. */
function add(selection: Selection, name: string, inner: Selection | true): void {
  const held = selection[name];
  if (held === undefined || held === true || inner === true) {
    selection[name] = held === true ? true : inner;
  } else {
    Object.entries(inner).forEach(([key, value]) => add(held, key, value));
  }
}

function emptySelection(): Selection {
  return Object.create(null) as Selection;
}

/** The selected parts of a value. */
export function select(value: JsonObject, selection: Selection): JsonObject {
  const picked = pick(value, selection);
  return isObject(picked) ? picked : {};
}

function pick(value: Json | undefined, selection: Selection | true): Json | undefined {
  if (selection === true || value === undefined || ownProperty(selection, "*") === true) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => pick(item, selection) ?? null);
  }
  if (!isObject(value)) {
    return value;
  }
  const result = emptyObject();
  for (const [name, inner] of Object.entries(value)) {
    const chosen = ownProperty(selection, name) ?? ownProperty(selection, "*");
    if (chosen !== undefined) {
      result[name] = pick(inner, chosen);
    }
  }
  return result;
}

class Parser {
  private at = 0;

  constructor(private readonly source: string) {}

  parse(): Selection {
    const selection = this.group(0);
    if (this.at < this.source.length) {
      throw this.refuse();
    }
    return selection;
  }

  private group(depth: number): Selection {
    this.refuseIfTooDeep(depth);
    const selection = emptySelection();
    do {
      add(selection, ...this.path(depth));
    } while (this.take(","));
    return selection;
  }

  private path(depth: number): [string, Selection | true] {
    const found = /^[A-Za-z0-9_@*.-]+/.exec(this.source.slice(this.at, this.at + 256));
    if (found === null) {
      throw this.refuse();
    }
    this.at += found[0].length;
    if (this.take("/")) {
      this.refuseIfTooDeep(depth);
      const [name, inner] = this.path(depth + 1);
      return [found[0], Object.assign(emptySelection(), { [name]: inner })];
    }
    if (this.take("(")) {
      const inner = this.group(depth + 1);
      if (!this.take(")")) {
        throw this.refuse();
      }
      return [found[0], inner];
    }
    return [found[0], true];
  }

  private take(character: string): boolean {
    if (this.source[this.at] !== character) {
      return false;
    }
    this.at += 1;
    return true;
  }

  /** Real resources are less deep. The limit prevents a stack overflow. */
  private refuseIfTooDeep(depth: number): void {
    if (depth > 32) {
      throw this.refuse();
    }
  }

  private refuse(): Error {
    return refusal(this.source, `Invalid field selection ${this.source.slice(0, 200)}`);
  }
}

/** The error of the real front end: the mistake is in the details. */
function refusal(expression: string, description: string): ApiError {
  return new ApiError("INVALID_ARGUMENT", "Request contains an invalid argument.", [
    badRequest([{ field: expression.slice(0, 1000), description }]),
  ]);
}
