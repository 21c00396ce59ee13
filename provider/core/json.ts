import { isRecord, type Values } from "./unknown";

/**
 * What a text of JSON says; undefined for no text and for what is no JSON, which has no such value itself. The parser's
 * error, which quotes the text and so its secrets, is dropped.
 */
export function jsonIn(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object in a text of JSON; undefined for anything else. */
export function recordIn(text: string | undefined): Values | undefined {
  const value = jsonIn(text);
  return isRecord(value) ? value : undefined;
}
