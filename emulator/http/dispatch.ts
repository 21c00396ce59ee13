import { errorAnswer, htmlAnswer, jsonAnswer, type Answer } from "./answer";
import type { Config } from "../base/config";
import type { Context, Method } from "../services/method";
import { ApiError, invalidArgument, invalidPayload, serviceDisabled, userProjectDenied } from "../base/errors";
import { newerFields } from "../iam/messages";
import { isTooDeep, type Json, type JsonObject } from "../base/json";
import { parseSelection, select, type Selection } from "./fields-parameter";
import { decodeQuery, type Query } from "./query";
import type { Route } from "./router";
import { decode } from "../messages/decode";
import { withEnumNumbers } from "../messages/shown";
import type { Author } from "../state/history";
import { SaveError } from "../state/persistence";
import type { OperationFailure } from "../state/store";

/** An API request after routing. */
export interface ApiRequest {
  route: Route;
  parameters: URLSearchParams;
  headers: Record<string, string | undefined>;
  body: Buffer;
  /** The parts of a fault that the handler applies, as in `Call`. */
  stale: boolean;
  operationFailure?: OperationFailure;
  /** The sender, for the history of the changes. */
  author: Author;
}

/**
 * Answers an API call. The checks have the order of the real front end: credentials, enabled API, quota project, query and
 * body, permission. Then the handler runs. Its changes are saved before the response, and a refused request changes nothing.
 * It never throws: an error other than an ApiError becomes 500 INTERNAL.
 */
export function dispatch(request: ApiRequest, context: Context): Answer {
  const { store, operations } = context;
  try {
    return store.as(request.author, () => {
      operations.finishDue();
      const answer = call(request, context);
      store.commit();
      return answer;
    });
  } catch (error) {
    store.rollback();
    return errorAnswer(asApiError(error), request.route.method.api.notes.olderErrors);
  }
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  process.emitWarning(error instanceof Error ? error : String(error), { code: "EMULATOR_INTERNAL" });
  return new ApiError("INTERNAL", error instanceof SaveError ? error.message : "Internal error encountered.");
}

function call(request: ApiRequest, context: Context): Answer {
  const { route, headers, parameters } = request;
  const { method, services, name, project, location } = route;
  const config = context.config();
  context.tokens.check(bearerToken(headers, parameters), config, method.api.service, method.id);
  if ((config.disabledServices as string[]).includes(method.api.service)) {
    throw serviceDisabled(method.api, project);
  }
  const userProject = headers["x-goog-user-project"];
  if (userProject !== undefined && config.deniedUserProjects.includes(userProject)) {
    throw userProjectDenied(method.api.service, userProject);
  }
  if (method.verb === "GET" && request.body.length > 0) {
    return htmlAnswer(400, "Bad Request", "Your client has issued a malformed or illegal request.");
  }
  const query = decodeQuery(parameters, method.query ?? {});
  const selection = readSelection(query, method);
  const body = decodeBody(request, config);
  if (method.permission !== undefined) {
    context.permissions.require(method.api, method.permission, name);
  }
  const { stale, operationFailure } = request;
  const result = method.handler(
    { method, services, name, project, location, query: query.values, body, stale, operationFailure },
    context,
  );
  return present(result, query, selection, request);
}

/**
 * The selection in the query parameter `fields`. It is parsed before the handler runs, so that a request with a mistake has no
 * effect.
 */
function readSelection({ common }: Query, method: Method): Selection | undefined {
  const fields = common.get("$fields") ?? common.get("fields");
  return fields ? parseSelection(fields, method.response) : undefined;
}

/** Formats the response as the common query parameters request: selected fields only, enums as numbers, compact. */
function present(
  result: JsonObject,
  { common }: Query,
  selection: Selection | undefined,
  { route }: ApiRequest,
): Answer {
  const alt = common.get("$alt") ?? common.get("alt") ?? "";
  const numbered = /enum-encoding=int/i.test(alt) ? withEnumNumbers(route.method.response, result) : result;
  const compact = (common.get("$prettyPrint") ?? common.get("prettyPrint")) === "false";
  return jsonAnswer(200, selection ? select(numbered, selection) : numbered, compact);
}

function bearerToken(headers: ApiRequest["headers"], parameters: URLSearchParams): string | undefined {
  const header = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  return header ?? parameters.get("access_token") ?? parameters.get("oauth_token") ?? undefined;
}

function decodeBody({ route, body }: ApiRequest, config: Config): JsonObject {
  const { request } = route.method;
  if (request === undefined) {
    return {};
  }
  const { value, violations } = decode(request, parseJson(body), {
    newer: newerFields(config.newerPolicyFields),
  });
  if (violations.length > 0) {
    throw invalidPayload(violations);
  }
  return value;
}

/** Parses the JSON of a body; undefined for an empty body. @throws ApiError INVALID_ARGUMENT unless it is JSON in UTF-8 */
function parseJson(body: Buffer): Json | undefined {
  if (body.length === 0) {
    return undefined;
  }
  let source: string;
  try {
    source = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw invalidArgument("Invalid JSON payload received. The payload is not valid UTF-8.");
  }
  let parsed: Json;
  try {
    parsed = JSON.parse(source) as Json;
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : "";
    throw invalidArgument(`Invalid JSON payload received. Expected a value. ${reason}`);
  }
  if (isTooDeep(parsed)) {
    throw invalidArgument("Invalid JSON payload received. Message too deep.");
  }
  // `null` is invalid like a list, and decoding refuses every list.
  return parsed ?? [];
}
