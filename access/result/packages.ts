import { PACKAGE_NAME } from "../../provider/core/definition";

/**
 * The packages of other providers for Google Cloud. A package is the first part of the types of its resources, and the last part of
 * the type of its providers.
 */

/** `@pulumi/gcp` */
export const GCP = "gcp";
export const NATIVE = "google-native";
/** The Terraform provider that Pulumi bridges on demand. */
export const BRIDGED: readonly string[] = ["google", "google-beta"];

/** The packages whose grants a review carries out, too. */
export const FOLLOWED = [NATIVE, GCP] as const;
export type OtherProvider = (typeof FOLLOWED)[number];

/** @param name of a type or a setting: `gcp` for `gcp:project` */
export function packageOf(name: string): string {
  return name.split(":")[0] ?? "";
}

export function isBridged(type: string): boolean {
  return BRIDGED.includes(packageOf(type));
}

export function isOfOtherProvider(type: string): boolean {
  return isBridged(type) || FOLLOWED.some((each) => each === packageOf(type));
}

/** Types of this provider, by the plugin and by the npm front. */
const OWN = new RegExp(`^(?:${PACKAGE_NAME}:|pulumi-nodejs:dynamic/\\w+/v\\w+:)`);

/** Whether a type is of this provider, or of the engine itself: its stacks and its providers. */
export function isOwn(type: string): boolean {
  return OWN.test(type) || packageOf(type) === "pulumi";
}

/** A type in a program's view of a Terraform module: `PKG:tf:google_project_iam_binding`. */
const VIEW = /^[^:]+:tf:(google_\w+)$/;

/** The type of Google's Terraform provider behind a type of a view: `google_project_iam_binding`. */
export function viewIn(type: string): string | undefined {
  return VIEW.exec(type)?.[1];
}

/** The name in Terraform's provider of a kind of Config Connector: `PubSubTopic` for `kubernetes:pubsub.cnrm.cloud.google.com/v1beta1:PubSubTopic`. */
export function connectorKindIn(type: string): string | undefined {
  const kind = /^kubernetes:\w+\.cnrm\.cloud\.google\.com\/[^:]+:(\w+)$/.exec(type)?.[1];
  return kind === undefined ? undefined : (CONNECTOR_NAMES[kind] ?? kind);
}

/** Those that Terraform's provider calls otherwise. */
const CONNECTOR_NAMES: Readonly<Record<string, string>> = {
  RunService: "CloudRunV2Service",
  SQLInstance: "SqlDatabaseInstance",
};

export function isView(type: string): boolean {
  return VIEW.test(type);
}
