/** The syntax tree of a filter (AIP-160, https://google.aip.dev/160). */
export type Filter =
  | { readonly kind: "and" | "or"; readonly parts: readonly Filter[] }
  | { readonly kind: "not"; readonly part: Filter }
  | Restriction;

const COMPARATORS = ["<=", ">=", "!=", "<", ">", "=", ":"] as const;

/** A comparison, e.g. `labels.env = "prod"`. */
export interface Restriction {
  readonly kind: "restriction";
  /** The names between the dots, without quotes. */
  readonly path: readonly string[];
  readonly comparator: (typeof COMPARATORS)[number];
  readonly value: string;
  /** Whether the value has quotes. A quoted `*` has no special meaning. */
  readonly quoted: boolean;
}

/** An error in a filter or an order, with a message for its author. */
export class ListSyntaxError extends Error {}

/** Real filters are less deep. The limit prevents a stack overflow. */
const MAX_DEPTH = 32;

/** Parses a filter. @returns undefined for an empty filter @throws ListSyntaxError */
export function parseFilter(source: string): Filter | undefined {
  return source.trim() === "" ? undefined : new Parser(source).parse();
}

/** A parser from left to right. `OR` binds tighter than `AND`. Terms without an operator between them are a conjunction. */
class Parser {
  private at = 0;

  constructor(private readonly source: string) {}

  parse(): Filter {
    const filter = this.conjunction(0);
    if (this.at < this.source.length) {
      throw new ListSyntaxError(`unexpected '${this.rest()}'`);
    }
    return filter;
  }

  private conjunction(depth: number): Filter {
    const parts = [this.disjunction(depth)];
    for (this.spaces(); this.at < this.source.length && this.source[this.at] !== ")"; this.spaces()) {
      this.word("AND");
      parts.push(this.disjunction(depth));
    }
    return combine("and", parts);
  }

  private disjunction(depth: number): Filter {
    const parts = [this.term(depth)];
    while (this.word("OR")) {
      parts.push(this.term(depth));
    }
    return combine("or", parts);
  }

  private term(depth: number): Filter {
    if (depth > MAX_DEPTH) {
      throw new ListSyntaxError(`terms are nested more than ${MAX_DEPTH} deep`);
    }
    if (this.word("NOT") || this.take("-")) {
      return { kind: "not", part: this.term(depth + 1) };
    }
    if (this.take("(")) {
      const inner = this.conjunction(depth + 1);
      if (!this.take(")")) {
        throw new ListSyntaxError("a ')' is missing");
      }
      return inner;
    }
    return this.restriction();
  }

  private restriction(): Restriction {
    const path = [this.name()];
    while (this.source[this.at] === ".") {
      this.at += 1;
      path.push(this.name());
    }
    if (this.source[this.at] === "(") {
      throw new ListSyntaxError(`'${path.join(".")}' is written as a function; no functions are supported`);
    }
    const comparator = COMPARATORS.find((candidate) => this.take(candidate));
    if (comparator === undefined) {
      throw new ListSyntaxError(
        `'${path.join(".")}' stands alone; only comparisons such as field = "value" are supported`,
      );
    }
    this.spaces();
    const quoted = this.quoted();
    const value = quoted ?? this.match(/[^\s()",]+/y);
    if (value === undefined) {
      throw new ListSyntaxError(`a value is missing after '${path.join(".")}${comparator}'`);
    }
    return { kind: "restriction", path, comparator, value, quoted: quoted !== undefined };
  }

  private name(): string {
    this.spaces();
    const name = this.quoted() ?? this.match(/[^\s.=!<>:(),"']+/y);
    if (name === undefined || name === "AND" || name === "OR") {
      throw new ListSyntaxError(`a field name was expected at '${name ?? this.rest()}'`);
    }
    return name;
  }

  private quoted(): string | undefined {
    const quote = this.source[this.at];
    if (quote !== '"' && quote !== "'") {
      return undefined;
    }
    const text = this.match(quote === '"' ? /"(?:[^"\\]|\\.)*"/sy : /'(?:[^'\\]|\\.)*'/sy);
    if (text === undefined) {
      throw new ListSyntaxError(`a quote is not closed: ${this.rest()}`);
    }
    return text.slice(1, -1).replace(/\\(.)/gs, "$1");
  }

  private spaces(): void {
    this.match(/\s+/y);
  }

  private take(text: string): boolean {
    this.spaces();
    const found = this.source.startsWith(text, this.at);
    this.at += found ? text.length : 0;
    return found;
  }

  /** Reads a keyword, but not the beginning of a longer name. */
  private word(keyword: "AND" | "OR" | "NOT"): boolean {
    this.spaces();
    const found = new RegExp(`${keyword}(?=[\\s(])`, "y");
    return this.match(found) !== undefined;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private rest(): string {
    return this.source.slice(this.at, this.at + 40) || "the end";
  }
}

function combine(kind: "and" | "or", parts: readonly Filter[]): Filter {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind, parts };
}
