import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import {
  apiError,
  BadAnswerError,
  CancelledError,
  ConfigurationError,
  ConnectionError,
  InputError,
  NotReadyError,
  TimeoutError,
  RPC_STATUSES,
  type RpcStatus,
} from "../core/errors";
import { ResourceNotReady, serviceError } from "./errors";
import { status } from "./grpc";
import { toStruct } from "./properties";
import { jsonOf } from "./struct";

const asIs = (text: string) => text;
const failure = (of: RpcStatus) =>
  apiError({ doing: "read the scope", resource: "scopes/a", request: "GET /x", status: of, message: "no" });

test.each<[string, unknown, status]>([
  ["bad input", new InputError("x", []), status.INVALID_ARGUMENT],
  ["bad configuration", new ConfigurationError("x"), status.INVALID_ARGUMENT],
  ["a lost connection", new ConnectionError("x"), status.UNAVAILABLE],
  ["a bad answer", new BadAnswerError("x"), status.UNAVAILABLE],
  ["time that ran out", new TimeoutError("x"), status.DEADLINE_EXCEEDED],
  ["a stop", new CancelledError("x"), status.CANCELLED],
  ["an API's refusal", failure("PERMISSION_DENIED"), status.PERMISSION_DENIED],
  ["a bug", new TypeError("x"), status.INTERNAL],
])("%s has its own gRPC code", (_name, error, code) => {
  expect(serviceError(error, asIs).code).toBe(code);
});

test("no API error leaves a pending operation or looks like a missing method", () => {
  const codes = (Object.keys(RPC_STATUSES) as RpcStatus[]).map((each) => serviceError(failure(each), asIs).code);
  for (const taken of [status.INTERNAL, status.UNKNOWN, status.DATA_LOSS, status.UNIMPLEMENTED]) {
    expect(codes).not.toContain(taken);
  }
});

test("an unexpected error asks for a bug report and contains no credentials", () => {
  const { details } = serviceError(new TypeError("cannot read ya29.canary-token"), asIs);
  expect(details).toMatch(/^Bug in the perimeter provider, please report it: TypeError: cannot read/);
  expect(details).not.toContain("canary");
});

test("sends the complete state of a resource that is not ready, and reasons without secrets", () => {
  const error = new NotReadyError("projects/p/x", { name: "x" }, ["operation of canary goes on"]);
  const resource = { id: error.id, outputs: toStruct(error.properties), inputs: toStruct({ network: "n" }) };
  const scrub = (text: string) => text.replace("canary", "[secret]");
  const { metadata, details } = serviceError(new ResourceNotReady(error, resource), scrub);
  const [bytes] = metadata?.get("grpc-status-details-bin") ?? [];
  const [detail] = Status.deserializeBinary(bytes as Buffer).getDetailsList();
  expect(detail?.getTypeUrl()).toBe("type.googleapis.com/pulumirpc.ErrorResourceInitFailed");
  const failed = ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() as Uint8Array);
  expect(failed.getId()).toBe("projects/p/x");
  expect(failed.getReasonsList()).toEqual(["operation of [secret] goes on"]);
  expect(jsonOf(failed.getProperties())).toEqual({ name: "x" });
  expect(jsonOf(failed.getInputs())).toEqual({ network: "n" });
  expect(details).toBe("operation of [secret] goes on");
});
