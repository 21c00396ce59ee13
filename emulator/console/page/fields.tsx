import type { JSX } from "preact";
import { link } from "./route";
import { store } from "./store";

/** A value of a resource as nested fields. Names of existing resources are links. */
export function Fields({ value }: { value: Readonly<Record<string, unknown>> }): JSX.Element {
  return (
    <dl class="fields">
      {Object.entries(value).map(([name, inner]) => (
        <div key={name} class={isNested(inner) ? "field field-nested" : "field"}>
          <dt>{name}</dt>
          <dd>
            <Value value={inner} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: { value: unknown }): JSX.Element {
  if (Array.isArray(value)) {
    return value.length === 0 ? (
      <span class="soft">empty list</span>
    ) : (
      <ul class="values">
        {value.map((item: unknown, index) => (
          <li key={index}>
            <Value value={item} />
          </li>
        ))}
      </ul>
    );
  }
  if (typeof value === "object" && value !== null) {
    return Object.keys(value).length === 0 ? (
      <span class="soft">empty</span>
    ) : (
      <Fields value={value as Record<string, unknown>} />
    );
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return store.named(text).length > 0 ? (
    <a href={link("resource", { name: text })}>{text}</a>
  ) : (
    <span class="value">{text}</span>
  );
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

export interface Difference {
  path: string;
  before?: string;
  after?: string;
}

/** The fields that differ between two values, by their paths. */
export function differences(before: unknown, after: unknown): Difference[] {
  const [left, right] = [flat(before), flat(after)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((path) => left.get(path) !== right.get(path))
    .map((path) => ({ path, before: left.get(path), after: right.get(path) }));
}

function flat(value: unknown, at = "", found = new Map<string, string>()): Map<string, string> {
  if (isNested(value)) {
    for (const [name, inner] of Object.entries(value as object)) {
      flat(inner, Array.isArray(value) ? `${at}[${name}]` : at === "" ? name : `${at}.${name}`, found);
    }
  } else if (at !== "") {
    found.set(at, typeof value === "string" ? value : JSON.stringify(value));
  }
  return found;
}
