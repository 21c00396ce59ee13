import { emptyObject, isObject, ownProperty, toCamel, type Json } from "../base/json";
import type { FieldType, Message } from "../base/schema";

/** The bodies of a request and its response, for display: without passwords, keys and tokens. */
export interface Bodies {
  /** Absent if there was no body or the body is not JSON. */
  request?: string;
  response?: string;
}

const MAX_CHARACTERS = 4 * 1024 * 1024;
/** Longer bodies are not kept. A truncated body is not JSON, so secrets could not be removed from it. */
const MAX_BODY_CHARACTERS = 64 * 1024;
const NOT_KEPT = "(not kept)";
const SECRET_NAME = /passw|secret|credential|private_?key|client_?key|access_?key|api_?key|(?<!page_?)token$/i;

/** The bodies of the newest requests, about 4 million characters, by the record of the request. */
export class KeptBodies {
  private readonly kept = new Map<object, Bodies>();
  private characters = 0;

  /** @param shape the message of the request; its input-only fields are removed */
  keep(record: object, shape: Message | undefined, request: string, response: string): void {
    const bodies = withoutSecrets(shape, request, response);
    this.kept.set(record, bodies);
    this.characters += lengthOf(bodies);
    for (const [oldest, held] of this.kept) {
      if (this.characters <= MAX_CHARACTERS) {
        return;
      }
      this.kept.delete(oldest);
      this.characters -= lengthOf(held);
    }
  }

  of(record: object): Bodies | undefined {
    return this.kept.get(record);
  }

  clear(): void {
    this.kept.clear();
    this.characters = 0;
  }
}

function lengthOf({ request = "", response = "" }: Bodies): number {
  // Small bodies need more memory than their text.
  return request.length + response.length + 200;
}

function withoutSecrets(shape: Message | undefined, request: string, response: string): Bodies {
  const secrets: string[] = [];
  const sent = rewritten(request, (value) => redacted(shape, value, secrets));
  const answered = rewritten(response, (value) => redacted(undefined, value, secrets));
  return {
    ...(sent !== undefined && { request: sent }),
    // An error may quote an invalid value.
    ...(answered !== undefined && { response: hide(answered, secrets) }),
  };
}

function rewritten(text: string, rewrite: (value: Json) => Json): string | undefined {
  if (text === "" || text.length > MAX_BODY_CHARACTERS) {
    return undefined;
  }
  try {
    return JSON.stringify(rewrite(JSON.parse(text) as Json), null, 2);
  } catch {
    return undefined;
  }
}

function hide(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(JSON.stringify(secret).slice(1, -1), NOT_KEPT), text);
}

function redacted(shape: Message | undefined, value: Json, secrets: string[]): Json {
  if (Array.isArray(value)) {
    return value.map((item) => redacted(shape, item, secrets));
  }
  if (!isObject(value)) {
    return value;
  }
  const result = emptyObject();
  for (const [name, inner] of Object.entries(value)) {
    const field = shape && ownProperty(shape.fields, toCamel(name));
    if (inner !== undefined && (field?.inputOnly || SECRET_NAME.test(name))) {
      textsIn(inner, secrets);
      result[name] = NOT_KEPT;
    } else {
      result[name] = inner === undefined ? inner : redacted(field && messageOf(field.type), inner, secrets);
    }
  }
  return result;
}

/** The message of a field, also in a list. */
function messageOf(type: FieldType): Message | undefined {
  return type.kind === "message" ? type.message : type.kind === "list" ? messageOf(type.item) : undefined;
}

function textsIn(value: Json, found: string[]): void {
  if (typeof value === "string" && value.length >= 4) {
    found.push(value);
  } else if (Array.isArray(value)) {
    value.forEach((item) => textsIn(item, found));
  } else if (isObject(value)) {
    Object.values(value).forEach((item) => item !== undefined && textsIn(item, found));
  }
}
