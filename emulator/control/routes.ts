import { z } from "zod";
import { SERVICES, type Service } from "../base/api";
import type { Core } from "./core";
import { jsonAnswer, type Answer } from "../http/answer";
import { ApiError, errorBody } from "../base/errors";
import { listAsYaml } from "./export";
import { InputError, parseInput } from "../base/input";
import { parseText } from "./parse-text";
import { seedJsonSchema } from "./seed";

/** All control routes start with this path. No API uses it. */
export const CONTROL_PREFIX = "/_emulator/";

/** Streams to the client until it disconnects, so it is not an action. */
export const EVENTS_PATH = `${CONTROL_PREFIX}events`;

export interface ControlRequest {
  method: string;
  path: string;
  parameters: URLSearchParams;
  body: Buffer;
}

/** The result of a route: an object for a JSON response, or a response in another format. */
type Action = (core: Core, request: ControlRequest) => object | Text;

class Text {
  constructor(
    readonly text: string,
    readonly contentType: string,
  ) {}
}

const mutation = z.strictObject({
  name: z.string(),
  service: z.enum(SERVICES).optional(),
  patch: z.record(z.string(), z.unknown()).optional(),
  policy: z.record(z.string(), z.unknown()).nullish(),
});

/** The actions of the control routes. The result becomes the JSON response. */
export const ROUTES: Readonly<Record<string, Action>> = {
  "GET health": (core) => ({ status: "ok", projects: core.projects() }),
  "POST reset": (core, request) => {
    core.reset(parseInput("reset", z.strictObject({ seed: z.boolean().optional() }), read(request) ?? {}));
    return {};
  },
  "POST seed": (core, request) => {
    core.seed(read(request));
    return {};
  },
  "GET requests": (core, { parameters }) => requests(core, parameters),
  "DELETE requests": (core) => {
    core.clearRequests();
    return {};
  },
  "GET permissions": (core) => ({ permissions: core.permissionsUsed() }),
  "GET config": (core) => core.currentConfig(),
  "PUT config": (core, request) => core.configure(read(request)),
  "GET faults": (core) => ({ faults: core.faults.show() }),
  "PUT faults": (core, request) => {
    core.setFaults(read(request));
    return { faults: core.faults.show() };
  },
  "POST faults": (core, request) => {
    core.addFaults(read(request));
    return { faults: core.faults.show() };
  },
  "DELETE faults": (core, { parameters }) => {
    const index = parameters.get("index");
    if (index === null) {
      core.setFaults([]);
    } else if (!core.removeFault(wholeNumber("faults", "index", index))) {
      throw new ApiError("NOT_FOUND", `The fault plan has no rule ${index}; the first one is 0`);
    }
    return {};
  },
  "POST advance": (core, request) => {
    core.advance(parseInput("advance", z.strictObject({ ms: z.number() }), read(request)).ms);
    return { now: core.context.clock.timestamp() };
  },
  "POST mutate": (core, request) => {
    const { name, service, patch, policy } = parseInput("mutate", mutation, read(request));
    return core.mutate(name, { patch, policy }, service);
  },
  "GET resources": (core, { parameters }) => {
    const name = parameters.get("name");
    return name === null
      ? { resources: core.resources() }
      : (core.resource(name, serviceIn(parameters)) ?? missing(name));
  },
  "GET now": (core) => ({ now: core.context.clock.timestamp() }),
  "GET export": (core, { parameters }) => {
    const seed = core.export();
    const format = parseInput("export", z.enum(["json", "yaml"]), parameters.get("format") ?? "yaml");
    return format === "json" ? seed : new Text(listAsYaml(seed), "application/yaml; charset=UTF-8");
  },
  "GET seed.schema.json": () => seedJsonSchema(),
  "GET history": (core, { parameters }) => ({
    versions: core.history(parameters.get("name") ?? "", serviceIn(parameters)),
  }),
  "GET operations": (core) => ({ operations: core.operations() }),
  "DELETE resources": (core, { parameters }) => {
    const name = parameters.get("name") ?? "";
    return core.remove(name, serviceIn(parameters)) ? {} : missing(name);
  },
};

/** The query parameters of the routes that have any. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  "GET requests": ["last", "seq"],
  "DELETE faults": ["index"],
  "GET resources": ["name", "service"],
  "DELETE resources": ["name", "service"],
  "GET export": ["format"],
  "GET history": ["name", "service"],
};

/** Answers a control request. Mistakes are listed in a response with status 400. */
export function control(core: Core, request: ControlRequest): Answer {
  try {
    const key = `${request.method === "HEAD" ? "GET" : request.method} ${request.path.slice(CONTROL_PREFIX.length)}`;
    const action = Object.hasOwn(ROUTES, key) ? ROUTES[key] : undefined;
    if (action === undefined) {
      throw new ApiError("NOT_FOUND", `There is no control route ${request.method} ${request.path}`);
    }
    refuseUnknown(request.parameters, PARAMETERS[key] ?? []);
    const result = action(core, request);
    return result instanceof Text
      ? { status: 200, body: result.text, contentType: result.contentType }
      : jsonAnswer(200, result);
  } catch (error) {
    const known =
      error instanceof ApiError
        ? error
        : error instanceof InputError
          ? new ApiError("INVALID_ARGUMENT", error.message)
          : new ApiError("INTERNAL", error instanceof Error ? error.message : String(error));
    return jsonAnswer(known.httpCode, errorBody(known));
  }
}

/** A misspelled `index` would otherwise remove the whole fault plan. @throws InputError */
function refuseUnknown(parameters: URLSearchParams, known: readonly string[]): void {
  const unknown = [...new Set(parameters.keys())].filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const right = known.length > 0 ? `the parameters are ${known.join(", ")}` : "this route has no parameters";
    throw new InputError("query", [`${unknown.map((name) => JSON.stringify(name)).join(", ")}: ${right}`]);
  }
}

/** Returns all records, or the newest `last` ones, or the one with number `seq` and its bodies if they are kept. */
function requests(core: Core, parameters: URLSearchParams): object {
  const [seq, last] = [parameters.get("seq"), parameters.get("last")];
  if (seq !== null) {
    const found = core.log.withBodies(wholeNumber("requests", "seq", seq));
    if (found === undefined) {
      throw new ApiError("NOT_FOUND", `There is no request ${seq} in the log`);
    }
    return found;
  }
  return { requests: last === null ? core.log.all() : core.log.last(wholeNumber("requests", "last", last)) };
}

/** The API in the parameter `service`. It is needed only if two APIs have a resource with the same name. */
function serviceIn(parameters: URLSearchParams): Service | undefined {
  return parseInput("service", z.enum(SERVICES).optional(), parameters.get("service") ?? undefined);
}

function wholeNumber(what: string, name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new InputError(what, [`${name}: must be a whole number, not '${text.slice(0, 100)}'`]);
  }
  return Number(text);
}

function read({ path, body }: ControlRequest): unknown {
  return body.length === 0 ? undefined : parseText(path, body.toString("utf8"));
}

function missing(name: string): never {
  throw new ApiError("NOT_FOUND", `There is no resource '${name}'`);
}
