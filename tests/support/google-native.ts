/**
 * States as google-native writes them, as the engine hands them to a provider. The real ones are in
 * `tests/engine/moves/google-native-associations.json`; grants follow what that plugin's source does with them
 * (`provider/pkg/provider/provider.go` and `iam.go`): Check adds `project` and `location`, Create keeps the inputs as
 * outputs and the path of the request as id, and Read puts the whole policy in place of the grant.
 */
import type { Prior, Props } from "../lifecycle/plugin-client";

const secret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

/** A state, and the id that goes with it. */
export interface NativeState extends Required<Prior> {
  id: string;
}

export function nativeAssociation(name: string, inputs: Props): NativeState {
  return { id: `v1beta1/${name}`, inputs, outputs: { ...outputsOf(inputs), name, state: "ACTIVE" } };
}

/** @param grant what the program declared. @param ids what it declared besides, such as `migrationJobId`. */
export function nativeGrant(resource: string, grant: Props, ids: Props): NativeState {
  const [, project, , location] = resource.split("/");
  const inputs = { ...grant, ...ids, project, location };
  return { id: policyPath(resource), inputs, outputs: { ...outputsOf(inputs), ...grant } };
}

/** The same after a refresh by google-native. */
export function refreshedNativeGrant(resource: string, ids: Props, policy: Props): NativeState {
  const [, project, , location] = resource.split("/");
  const inputs = { ...ids, project, location, resource, version: 3, bindings: policy.bindings };
  return { id: policyPath(resource), inputs, outputs: { ...outputsOf(inputs), ...policy } };
}

function policyPath(resource: string): string {
  return `v1beta1/${resource}:getIamPolicy`;
}

function outputsOf(inputs: Props): Props {
  return { ...inputs, __defaults: {}, __inputs: secret(inputs) };
}
