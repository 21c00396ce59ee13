import { isRecord, type Values } from "./unknown";

/**
 * Parses JSON; returns undefined when it is absent or invalid (JSON itself has no undefined). Drops the parser's error,
 * because it quotes the text and so its secrets.
 */
export function jsonIn(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a JSON object; returns undefined for anything else. */
export function recordIn(text: string | undefined): Values | undefined {
  const value = jsonIn(text);
  return isRecord(value) ? value : undefined;
}
