import { errorBody, type ApiError } from "./errors";

/** An HTTP answer before it is sent. */
export interface Answer {
  status: number;
  body: string;
  contentType: string;
  headers?: Record<string, string>;
}

export const JSON_TYPE = "application/json; charset=UTF-8";
const HTML_TYPE = "text/html; charset=UTF-8";

export function jsonAnswer(status: number, body: object, compact = false): Answer {
  return { status, body: `${JSON.stringify(body, null, compact ? 0 : 2)}\n`, contentType: JSON_TYPE };
}

export function errorAnswer(error: ApiError): Answer {
  return jsonAnswer(error.httpCode, errorBody(error));
}

/** The HTML page with which Google's front end refuses what never reaches an API: an unknown path, a malformed request. */
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

export function unknownPath(path: string): Answer {
  return htmlAnswer(404, "Not Found", `The requested URL ${path} was not found on this server.`);
}
