/**
 * `google.rpc.Code`: for each name the number in an operation's error (`rpc`) and its HTTP status
 * (docs/wire.md section 10; https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto).
 */
export const RPC_STATUSES = {
  CANCELLED: { rpc: 1, http: 499 },
  UNKNOWN: { rpc: 2, http: 500 },
  INVALID_ARGUMENT: { rpc: 3, http: 400 },
  DEADLINE_EXCEEDED: { rpc: 4, http: 504 },
  NOT_FOUND: { rpc: 5, http: 404 },
  ALREADY_EXISTS: { rpc: 6, http: 409 },
  PERMISSION_DENIED: { rpc: 7, http: 403 },
  RESOURCE_EXHAUSTED: { rpc: 8, http: 429 },
  FAILED_PRECONDITION: { rpc: 9, http: 400 },
  ABORTED: { rpc: 10, http: 409 },
  OUT_OF_RANGE: { rpc: 11, http: 400 },
  UNIMPLEMENTED: { rpc: 12, http: 501 },
  INTERNAL: { rpc: 13, http: 500 },
  UNAVAILABLE: { rpc: 14, http: 503 },
  DATA_LOSS: { rpc: 15, http: 500 },
  UNAUTHENTICATED: { rpc: 16, http: 401 },
} as const;
export type RpcStatus = keyof typeof RPC_STATUSES;

const NAMES = Object.keys(RPC_STATUSES).filter(isRpcStatus);

export function isRpcStatus(text: unknown): text is RpcStatus {
  return typeof text === "string" && Object.hasOwn(RPC_STATUSES, text);
}

/** The most likely meaning of an HTTP status for which `google.rpc.Code` has several names or none. */
const LIKELY: ReadonlyMap<number, RpcStatus> = new Map([
  [400, "INVALID_ARGUMENT"],
  [408, "DEADLINE_EXCEEDED"],
  [409, "ABORTED"],
  [412, "ABORTED"],
  [500, "INTERNAL"],
  [502, "UNAVAILABLE"],
]);

/** The status for an HTTP status. Only for responses whose body names none: 400 and 409 have several meanings. */
export function statusOfHttp(http: number): RpcStatus {
  const status = LIKELY.get(http) ?? NAMES.find((name) => RPC_STATUSES[name].http === http);
  return status ?? (http >= 500 ? "INTERNAL" : "UNKNOWN");
}

/** The status of the number in an operation's error; `UNKNOWN` for a number that `google.rpc.Code` does not have. */
export function statusOfRpc(rpc: number): RpcStatus {
  return NAMES.find((name) => RPC_STATUSES[name].rpc === rpc) ?? "UNKNOWN";
}
