import { textOf, type Values } from "../../provider/core/unknown";
import { shortTypeOf } from "./meaning";

/** The access policies of Identity-Aware Proxy, which end with the resource that the proxy is in front of. */

/** The names of the policies, as the documentation of their grants has them: https://www.pulumi.com/registry/packages/gcp/api-docs/iap/ */
const BEHIND: ReadonlyArray<readonly [resource: RegExp, policy: string]> = [
  [
    /^\/\/compute\.[^/]+\/projects\/([^/]+)\/global\/backendServices\/([^/]+)$/,
    "projects/$1/iap_web/compute/services/$2",
  ],
  [
    /^\/\/compute\.[^/]+\/projects\/([^/]+)\/regions\/([^/]+)\/backendServices\/([^/]+)$/,
    "projects/$1/iap_web/compute-$2/services/$3",
  ],
  [
    /^\/\/compute\.[^/]+\/projects\/([^/]+)\/zones\/([^/]+)\/instances\/([^/]+)$/,
    "projects/$1/iap_tunnel/zones/$2/instances/$3",
  ],
  [
    /^\/\/run\.[^/]+\/projects\/([^/]+)\/locations\/([^/]+)\/services\/([^/]+)$/,
    "projects/$1/iap_web/cloud_run-$2/services/$3",
  ],
];
const VERSION = /^(gcp:appengine\/|google:AppEngine|google-native:appengine\/)(Standard|Flexible)?(App)?Version$/i;

/**
 * The full name of the proxy's policy for a resource, if there can be one.
 *
 * @param name full
 * @param values of its state, with the project of its provider
 */
export function iapNameOf(type: string, name: string | undefined, values: Values): string | undefined {
  const found = BEHIND.find(([resource]) => resource.test(name ?? ""));
  if (found && name !== undefined) return `//iap.googleapis.com/${name.replace(...found)}`;
  if (!VERSION.test(shortTypeOf(type))) return undefined;
  const [project, service, version] = [values.project, values.service ?? "default", values.versionId].map(textOf);
  return project && service && version
    ? `//iap.googleapis.com/projects/${project}/iap_web/appengine-${project}/services/${service}/versions/${version}`
    : undefined;
}
