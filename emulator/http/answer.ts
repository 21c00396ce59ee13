import { ApiError, errorBody, errorInfo, retryInfo } from "./errors";
import { faultStatus, type Fault } from "../control/faults";
import type { JsonObject } from "../messages/json";

/** What is sent back. */
export interface Answer {
  status: number;
  body: string;
  contentType: string;
  headers?: Record<string, string>;
}

const JSON_TYPE = "application/json; charset=UTF-8";
const HTML_TYPE = "text/html; charset=UTF-8";

export function jsonAnswer(status: number, body: object, compact = false): Answer {
  return { status, body: `${JSON.stringify(body, null, compact ? 0 : 2)}\n`, contentType: JSON_TYPE };
}

export function errorAnswer(error: ApiError): Answer {
  return jsonAnswer(error.httpCode, errorBody(error));
}

/** The front end's own page, for what never reaches an API: an unknown path, a malformed request. */
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

/** Does the fault put another answer in the place of the real one? */
export function replacesAnswer(fault: Fault): boolean {
  return fault.status !== undefined || fault.body !== undefined || fault.html === true || fault.empty === true;
}

/** The answer that a fault asks for. */
export function faultAnswer(fault: Fault): Answer {
  const headers: Record<string, string> = {};
  if (fault.retryAfter !== undefined) {
    headers["Retry-After"] = String(fault.retryAfter);
  }
  return { ...faultBody(fault), headers };
}

function faultBody(fault: Fault): Answer {
  const { contentType } = fault;
  if (fault.html) {
    const { code } = faultStatus({ status: 502, ...fault });
    const page = htmlAnswer(code, "Server Error", fault.message ?? "The server encountered an error.");
    return contentType === undefined ? page : { ...page, contentType };
  }
  if (fault.empty) {
    const { code } = faultStatus({ status: 200, ...fault });
    return { status: code, body: "", contentType: contentType ?? JSON_TYPE };
  }
  if (fault.body !== undefined) {
    const { code } = faultStatus({ status: 200, ...fault });
    const body = typeof fault.body === "string" ? fault.body : JSON.stringify(fault.body);
    return { status: code, body, contentType: contentType ?? JSON_TYPE };
  }
  const { code, name } = faultStatus(fault);
  const details: JsonObject[] = [];
  if (fault.reason !== undefined) {
    details.push(errorInfo(fault.reason, fault.domain ?? "googleapis.com", fault.metadata));
  }
  if (fault.retryInfo !== undefined) {
    details.push(retryInfo(typeof fault.retryInfo === "number" ? `${fault.retryInfo}s` : fault.retryInfo));
  }
  const answer = errorAnswer(new ApiError(name, fault.message ?? `Injected fault: ${name}`, details, code));
  return contentType === undefined ? answer : { ...answer, contentType };
}
