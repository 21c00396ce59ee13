import { InvokeResponse, type InvokeRequest } from "@pulumi/pulumi/proto/provider_pb";
import { DEFAULT_TIMEOUTS } from "../runtime/timeouts";
import { failures } from "./failures";
import { readProperties, toStruct } from "./properties";
import type { Session } from "./session";

/** Runs a lookup, or returns all problems of its arguments. */
export async function invoke(request: InvokeRequest, session: Session): Promise<InvokeResponse> {
  const provider = session.provider();
  const { texts, scrub } = session.knownSecrets;
  const { values, secrets, problems } = readProperties(request.getArgs(), texts);
  const checked = await provider.checkArguments(request.getTok(), values, secrets.isSecret);
  const response = new InvokeResponse();
  const found = [...problems, ...checked.problems];
  if (found.length > 0) return response.setFailuresList(failures(found, { secrets, scrub }));
  session.requireRunning();
  const result = await provider.runLookup(request.getTok(), checked.inputs, { timeout: DEFAULT_TIMEOUTS.lookup });
  // No value is marked as secret, even if it contains a secret: some language hosts (such as YAML's) refuse secrets in this
  // response.
  return response.setReturn(toStruct(result));
}
