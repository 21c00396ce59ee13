import { invalidArgument } from "./errors";
import { emptyObject, isObject, ownProperty, type Json, type JsonObject } from "../messages/json";

interface Selection {
  [name: string]: Selection | true;
}

/**
 * The part of an answer that the query parameter `fields` selects. Every method takes it, e.g. as
 * `name,bindings(role,members)` or `metadata/target`. Unknown names select nothing.
 *
 * @throws ApiError INVALID_ARGUMENT where the expression cannot be read
 */
export function selectFields(value: JsonObject, expression: string): JsonObject {
  const parser = new Parser(expression);
  const picked = pick(value, parser.parse());
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
    const selection = Object.create(null) as Selection;
    do {
      const [name, inner] = this.path(depth);
      selection[name] = inner;
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
      return [found[0], Object.assign(Object.create(null) as Selection, { [name]: inner })];
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

  /** No resource is that deep. Only an attempt to exhaust the stack is. */
  private refuseIfTooDeep(depth: number): void {
    if (depth > 32) {
      throw this.refuse();
    }
  }

  private refuse(): Error {
    const description = `Invalid field selection ${this.source.slice(0, 200)}`;
    return invalidArgument(description, [{ field: "fields", description }]);
  }
}
