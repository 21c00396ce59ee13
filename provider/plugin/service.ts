import { status, type sendUnaryData, type ServerUnaryCall, type ServiceError } from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { GetSchemaResponse, ProviderHandshakeResponse } from "@pulumi/pulumi/proto/provider_pb";
import { PACKAGE_NAME } from "../core/definition";
import { VERSION } from "../version";
import { lazy } from "./lazy";
import type { Session } from "./session";

/**
 * Pulumi's `ResourceProvider`: each method's work is in a module of its own, loaded when it is first called, because
 * the engine waits for every plugin to start.
 */
export function service(session: Session): IResourceProviderServer {
  const unary = <Request, Response>(run: (request: Request) => Response | Promise<Response>) =>
    answering<Request, Response>(session, run);
  return {
    handshake: unary((request) => {
      if (request.getEngineAddress() !== "") session.log.attach(request.getEngineAddress());
      const response = new ProviderHandshakeResponse();
      response.setAcceptSecrets(true);
      response.setAcceptResources(true);
      response.setAcceptOutputs(true);
      return response;
    }),
    getPluginInfo: unary(() => {
      const info = new PluginInfo();
      info.setVersion(VERSION);
      return info;
    }),
    attach: unary((request) => {
      session.log.attach(request.getAddress());
      return new Empty();
    }),
    getSchema: unary(() => {
      const { packageSchema } = lazy.schema();
      const response = new GetSchemaResponse();
      response.setSchema(JSON.stringify(packageSchema()));
      return response;
    }),
    checkConfig: unary((request) => lazy.configuration().checkConfig(request, session)),
    diffConfig: unary((request) => lazy.configuration().diffConfig(request, session)),
    configure: unary((request) => lazy.configuration().configure(request, session)),
    check: unary((request) => lazy.resources().check(request, session)),
    diff: unary((request) => lazy.resources().diff(request, session)),
    create: unary((request) => lazy.resources().create(request, session)),
    read: unary((request) => lazy.resources().read(request, session)),
    update: unary((request) => lazy.resources().update(request, session)),
    delete: unary(async (request) => {
      await lazy.resources().remove(request, session);
      return new Empty();
    }),
    invoke: unary((request) => lazy.resources().invoke(request, session)),
    // The engine says this at the end of every run, and twice after ctrl-C.
    cancel: unary(() => {
      session.cancel();
      return new Empty();
    }),
    call: refusing("has no methods to call"),
    construct: refusing("has no component resources"),
    parameterize: refusing("takes no parameters"),
    getMapping: refusing("has no mapping from other ecosystems"),
    getMappings: refusing("has no mapping from other ecosystems"),
    list: (call) => call.destroy(Object.assign(new Error(), refusal("cannot list resources"))),
  };
}

function answering<Request, Response>(session: Session, run: (request: Request) => Response | Promise<Response>) {
  const answer = async (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) => {
    try {
      const response = await run(call.request);
      await session.log.flushed();
      callback(null, response);
    } catch (error) {
      const { serviceError } = lazy.errors();
      await session.log.flushed();
      callback(serviceError(error, (text) => session.scrub(text)));
    }
  };
  return (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) =>
    void session.serve(answer(call, callback));
}

function refusing(why: string) {
  return (_call: unknown, callback: (error: Partial<ServiceError>) => void) => callback(refusal(why));
}

function refusal(why: string): Partial<ServiceError> {
  return { code: status.UNIMPLEMENTED, details: `The ${PACKAGE_NAME} provider ${why}` };
}
