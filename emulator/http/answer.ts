import { ApiError, errorBody, inOlderFormat } from "../base/errors";

/** An HTTP answer before it is sent. */
export interface Answer {
  status: number;
  body: string;
  contentType: string;
  headers?: Record<string, string>;
  /** When the connection may be closed after the answer; without it, at once. */
  openUntil?: Promise<void>;
}

export const JSON_TYPE = "application/json; charset=UTF-8";
const HTML_TYPE = "text/html; charset=UTF-8";

export function jsonAnswer(status: number, body: object, compact = false): Answer {
  return { status, body: `${JSON.stringify(body, null, compact ? 0 : 2)}\n`, contentType: JSON_TYPE };
}

/** @param isOlder whether the API has the older format of errors */
export function errorAnswer(error: ApiError, isOlder = false): Answer {
  if (!isOlder) return jsonAnswer(error.httpCode, errorBody(error));
  const { code, body } = inOlderFormat(error);
  return jsonAnswer(code, body);
}

/** The HTML page of Google's front end for requests that do not reach an API, e.g. an unknown path or a malformed request. */
export function htmlAnswer(status: number, title: string, text: string): Answer {
  const safe = text.slice(0, 2000).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const body = `<!DOCTYPE html>
<html lang=en>
  <meta charset=utf-8>
  <title>Error ${status} (${title})!!1</title>
  <p><b>${status}.</b> <ins>That’s an error.</ins>
  <p>${safe}  <ins>That’s all we know.</ins>
`;
  return { status, body, contentType: HTML_TYPE };
}

/**
 * The response for an unknown path. A delete does not get 404, because clients would take the resource for deleted and forget
 * it. It does not get a 5xx either, because clients repeat the request.
 */
export function unknownPath(method: string, path: string): Answer {
  if (method === "DELETE") {
    const text = `The emulator does not serve DELETE ${path.slice(0, 2000)}: nothing was deleted.`;
    return errorAnswer(new ApiError("UNIMPLEMENTED", text, [], 405));
  }
  return htmlAnswer(404, "Not Found", `The requested URL ${path} was not found on this server.`);
}
