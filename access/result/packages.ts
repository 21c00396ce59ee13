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
