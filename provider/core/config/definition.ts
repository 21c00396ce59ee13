import * as z from "zod";
import { field, metaOf, objectType, propertiesOf } from "../field";
import type { Values } from "../unknown";
import { durationProblem } from "./duration";

/** What holds where nobody sets a key. Durations are in the form that users write. */
export const DEFAULTS = {
  requestTimeout: "120s",
  /** Google's own cloud. Others have the same APIs under a domain of their own. */
  universeDomain: "googleapis.com",
  scopes: ["https://www.googleapis.com/auth/cloud-platform"],
  /** IAM's documentation gives up after 300 s (docs/wire.md section 11). */
  retry: { maxAttempts: 10, maxElapsed: "5m", codes: [] },
} as const;

const environmentVariables = new WeakMap<z.ZodType, readonly string[]>();

function key<T extends z.ZodType>(schema: T, description: string, meta: { env?: string[]; secret?: boolean } = {}): T {
  const { env, ...rest } = meta;
  if (env) environmentVariables.set(schema, env);
  return field(schema, description, rest);
}

/**
 * The environment variables that supply a configuration key which neither the program nor the stack's configuration gives,
 * in the order in which they are tried: the first that is not empty wins.
 */
export function environmentOf(schema: z.ZodType): readonly string[] {
  return environmentVariables.get(schema) ?? [];
}

/** Credentials have keys of their own; a URL is shown in messages and logs. */
export const NO_USERINFO = "without user and password";

// Schemas that several keys have, each made once: making one costs a start of the plugin more than anything else here.
const flag = z.boolean();
const texts = z.array(z.string());
const nonEmpty = z.string().min(1, "must not be empty");
const duration = z.string().superRefine((text, context) => {
  const message = durationProblem(text);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});
const httpUrl = z
  .string()
  .regex(/^https?:\/\/[^/\s@]+(\/.*)?$/, `must be an http or https URL, such as https://host/v1/, ${NO_USERINFO}`);
/** A text that goes into a header of every request. */
const headerText = z.string().regex(/^[\x20-\x7e]*$/, "must be one line of printable ASCII");

/** What the key of a custom endpoint means. @param api "GKE Hub API" */
export function endpointDescription(api: string): string {
  return (
    `Base URL of the ${api} instead of the public one, with its version and a trailing slash: ` +
    "`https://host/v1/`. The provider always calls the version it is made for, whatever the URL says."
  );
}

function endpointKey(title: string, env: string[]) {
  return key(httpUrl.optional(), endpointDescription(title), {
    env: env.map((name) => `GOOGLE_${name}_CUSTOM_ENDPOINT`),
  });
}

const GRANT_MODES = ["replace", "merge"] as const;

const retry = objectType("Retry", "When failed requests are repeated.", {
  maxAttempts: key(
    z.number().int().min(1, "must be at least 1").optional(),
    `Most attempts for one request, the first included. Default: ${DEFAULTS.retry.maxAttempts}.`,
  ),
  maxElapsed: key(
    duration.optional(),
    `Longest time to go on repeating one request, such as \`5m\`. Default: ${DEFAULTS.retry.maxElapsed}.`,
  ),
  codes: key(
    z.array(z.number().int()).optional(),
    "HTTP statuses that are repeated for reads beside the standard ones (429, 500, 502, 503, 504).",
  ),
});

/**
 * The provider's configuration: every key once, with its documentation, its environment variables, and whether it is
 * secret (docs/wire.md section 13). The schema, the SDKs and the tables of docs/configuration.md are made of it.
 */
export const configuration = z.strictObject({
  project: key(nonEmpty.optional(), "Default project, its id or number.", {
    env: ["GOOGLE_PROJECT", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"],
  }),
  zone: key(nonEmpty.optional(), "Default location of firewall endpoint associations, which live in a zone.", {
    env: ["GOOGLE_ZONE", "GCLOUD_ZONE", "CLOUDSDK_COMPUTE_ZONE"],
  }),
  accessToken: key(
    nonEmpty.optional(),
    "OAuth 2.0 access token, or the path of a file that holds one. It is not refreshed. Beats `credentials`.",
    { secret: true, env: ["GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"] },
  ),
  credentials: key(
    nonEmpty.optional(),
    "Credentials as JSON text, or the path of such a file: service account, authorized user, external account or " +
      "impersonated service account. Without them, Application Default Credentials are used.",
    { secret: true, env: ["GOOGLE_CREDENTIALS", "GOOGLE_CLOUD_KEYFILE_JSON", "GCLOUD_KEYFILE_JSON"] },
  ),
  impersonateServiceAccount: key(
    z.string().includes("@", { message: "must be the email of a service account" }).optional(),
    "Email of the service account to act as. The caller needs `roles/iam.serviceAccountTokenCreator` on it.",
    { env: ["GOOGLE_IMPERSONATE_SERVICE_ACCOUNT"] },
  ),
  impersonateServiceAccountDelegates: key(
    texts.optional(),
    "Service accounts in between, each with the right to act as the next.",
  ),
  scopes: key(texts.optional(), `OAuth scopes of the access tokens. Default: \`${DEFAULTS.scopes.join(" ")}\`.`),
  userProjectOverride: key(
    flag.optional(),
    "Bill quota to `billingProject`, or without one to the project of the resource, instead of the project of the " +
      "credentials. Default: false.",
    { env: ["USER_PROJECT_OVERRIDE"] },
  ),
  billingProject: key(
    headerText.min(1, "must not be empty").optional(),
    "Quota project; used with `userProjectOverride`.",
    {
      env: ["GOOGLE_BILLING_PROJECT"],
    },
  ),
  requestReason: key(headerText.optional(), "Reason for the audit log, sent as `X-Goog-Request-Reason`.", {
    env: ["CLOUDSDK_CORE_REQUEST_REASON"],
  }),
  requestTimeout: key(
    duration.optional(),
    `Longest time for one HTTP request, such as \`120s\`. Default: ${DEFAULTS.requestTimeout}.`,
  ),
  universeDomain: key(
    nonEmpty.optional(),
    `Domain of the cloud universe. Must be the one of the credentials. Default: \`${DEFAULTS.universeDomain}\`.`,
    { env: ["GOOGLE_CLOUD_UNIVERSE_DOMAIN", "CLOUDSDK_CORE_UNIVERSE_DOMAIN"] },
  ),
  appendUserAgent: key(headerText.optional(), "Text to add to the `User-Agent` of every request.", {
    env: ["GOOGLE_APPEND_USER_AGENT"],
  }),
  emulatorHost: key(
    z
      .string()
      .regex(/^[^/\s@]+:\d+$/, `must be host:port, such as 127.0.0.1:8790, ${NO_USERINFO}`)
      .optional(),
    "`host:port` of an emulator to which every service is sent, without credentials.",
    { env: ["PERIMETER_EMULATOR_HOST"] },
  ),
  sendCredentialsToLoopback: key(
    flag.optional(),
    "Send credentials to endpoints on this machine too, which otherwise get none. Default: false.",
  ),
  gkeHub2CustomEndpoint: endpointKey("GKE Hub API", ["GKE_HUB2"]),
  gkeHubCustomEndpoint: endpointKey("GKE Hub API", ["GKE_HUB"]),
  eventarcCustomEndpoint: endpointKey("Eventarc API", ["EVENTARC"]),
  apiGatewayCustomEndpoint: endpointKey("API Gateway API", ["API_GATEWAY"]),
  networkSecurityCustomEndpoint: endpointKey("Network Security API", ["NETWORK_SECURITY"]),
  databaseMigrationServiceCustomEndpoint: endpointKey("Database Migration API", ["DATABASE_MIGRATION_SERVICE"]),
  healthcareCustomEndpoint: endpointKey("Cloud Healthcare API", ["HEALTHCARE"]),
  grantMode: key(
    z.enum(GRANT_MODES, { error: `must be one of ${GRANT_MODES.join(", ")}` }).optional(),
    "What creating a member grant does to the resource's policy. `replace`: the policy becomes this grant alone. " +
      "`merge`: the member is added to the binding of its role and condition and all else is left as it is. Deleting " +
      "removes only the grant in either mode. Default: `replace`.",
    { env: ["PERIMETER_GRANT_MODE"] },
  ),
  allowLockout: key(
    flag.optional(),
    "Allow a change of a policy that takes from the provider's own identity, or as the last one from others, a role on " +
      "the resource that can change its policy again. Default: false.",
  ),
  reportUnmanaged: key(
    flag.optional(),
    "On refresh, list the principals on managed resources that no grant of the stack explains. Plugin only. Default: " +
      "false.",
  ),
  waitForPropagation: key(
    flag.optional(),
    "Wait after each grant until it is stably visible to reads. Default: false.",
  ),
  preflight: key(
    flag.optional(),
    "At preview, ask the APIs whether the permissions that a create will need are there and whether anything stands in " +
      "its way, and list all that is missing at once. Default: false.",
  ),
  retry: key(retry.optional(), "When failed requests are repeated."),
});

/** The configuration of a run, from every source. Durations are still text: `durationMs` reads them. */
export type Configuration = z.infer<typeof configuration>;

/** Names of all keys. */
export function configurationKeys(): string[] {
  return Object.keys(configuration.shape);
}

/** Names of the keys whose values are secret. */
export function secretKeys(): string[] {
  return propertiesOf(configuration)
    .filter(([, schema]) => metaOf(schema).secret)
    .map(([name]) => name);
}

/** Whether a key says where requests go. */
export function isEndpointKey(key: string): boolean {
  return key === "emulatorHost" || key.endsWith("CustomEndpoint");
}

/** Names of the keys whose values must not be shown: the secret ones, and those with a password in their URL. */
export function keysToHide(values: Values): string[] {
  const withUserinfo = Object.keys(values).filter((key) => {
    return isEndpointKey(key) && typeof values[key] === "string" && values[key].includes("@");
  });
  return [...secretKeys(), ...withUserinfo];
}
