import * as z from "zod";
import type { ServiceDefinition } from "../definition";
import { field, metaOf, objectType, propertiesOf } from "../field";
import { SERVICES, type EndpointSetting } from "../services";
import type { Values } from "../unknown";
import { addressProblem } from "./address";

/** Default values of keys. Durations have the form that users write. */
export const DEFAULTS = {
  grantMode: "replace",
  requestTimeout: "120s",
  /** Google's public cloud. Other universes have the same APIs under another domain. */
  universeDomain: "googleapis.com",
  scopes: ["https://www.googleapis.com/auth/cloud-platform"],
  /** IAM's documentation recommends to stop after 300 s (docs/wire.md section 11). */
  retry: { maxAttempts: 10, maxElapsed: "5m", codes: [] },
} as const;

const environmentVariables = new WeakMap<z.ZodType, readonly string[]>();

function key<T extends z.ZodType>(schema: T, description: string, meta: { env?: string[]; secret?: boolean } = {}): T {
  const { env, ...rest } = meta;
  if (env) environmentVariables.set(schema, env);
  return field(schema, description, rest);
}

/**
 * The environment variables for a key that neither the program nor the stack's configuration sets, in order of priority: the
 * first that is not empty wins.
 */
export function environmentOf(schema: z.ZodType): readonly string[] {
  return environmentVariables.get(schema) ?? [];
}

/** @param problemOf what is wrong with a text, as a phrase after its key; undefined for a valid text. */
function checkedText(problemOf: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const message = problemOf(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

// Schemas that several keys share. Each is created once, because creating schemas takes most of this module's start time.
const flag = z.boolean();
const texts = z.array(z.string());
const nonEmpty = z.string().min(1, "must not be empty");
const duration = checkedText(durationProblem);
const hostPort = checkedText((text) => addressProblem(text, "host:port"));
const baseUrl = checkedText((text) => addressProblem(text, "base URL"));
const domain = checkedText((text) => addressProblem(text, "domain"));
/** A text that goes into a header of every request. */
const headerText = z.string().regex(/^[\x20-\x7e]*$/, "must be one line of printable ASCII");

/** The description of a custom endpoint's key. @param api "GKE Hub API" */
export function endpointDescription(api: string): string {
  return (
    `Base URL of the ${api} instead of the public one, with its version and a trailing slash: ` +
    "`https://host/v1/`. The provider always calls the version it is made for, whatever the URL says."
  );
}

/** A key for each name of each service's endpoint: `gkeHub2CustomEndpoint`, `GOOGLE_GKE_HUB2_CUSTOM_ENDPOINT`. */
function endpointKeys(): Record<EndpointSetting, z.ZodOptional<typeof baseUrl>> {
  const keys = Object.values(SERVICES).flatMap(({ title, endpointKeys: names }) =>
    names.map((name) => {
      const variable = name.replace(/[A-Z]/g, "_$&").toUpperCase();
      const schema = key(baseUrl.optional(), endpointDescription(title), {
        env: [`GOOGLE_${variable}_CUSTOM_ENDPOINT`],
      });
      return [`${name}CustomEndpoint`, schema] as const;
    }),
  );
  return Object.fromEntries(keys) as ReturnType<typeof endpointKeys>;
}

/** For a description: the quotas of the services that have one. */
function policyWriteQuotas(): string {
  const services: readonly ServiceDefinition[] = Object.values(SERVICES);
  return services
    .flatMap(({ title, policyWritesPerMinute: quota }) => (quota === undefined ? [] : [`${quota} for the ${title}`]))
    .join(", ");
}

const GRANT_MODES = ["replace", "merge"] as const;

const retry = objectType("Retry", "Which failed requests are repeated, and how long.", {
  maxAttempts: key(
    z.number().int().min(1, "must be at least 1").optional(),
    `Maximum number of attempts for one request, including the first. Default: ${DEFAULTS.retry.maxAttempts}.`,
  ),
  maxElapsed: key(
    duration.optional(),
    `Maximum time to retry one request, such as \`5m\`. Default: ${DEFAULTS.retry.maxElapsed}.`,
  ),
  codes: key(
    z.array(z.number().int()).optional(),
    "HTTP statuses to retry for reads, in addition to the standard statuses (429, 500, 502, 503, 504).",
  ),
});

/**
 * The provider's configuration: every key once, with its documentation, its environment variables, and whether it is secret
 * (docs/wire.md section 13). The schema, the SDKs and the tables of docs/configuration.md are generated from it.
 */
export const configuration = z.strictObject({
  project: key(nonEmpty.optional(), "Default project, its id or number.", {
    env: ["GOOGLE_PROJECT", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"],
  }),
  zone: key(nonEmpty.optional(), "Default location of firewall endpoint associations, which are zonal.", {
    env: ["GOOGLE_ZONE", "GCLOUD_ZONE", "CLOUDSDK_COMPUTE_ZONE"],
  }),
  accessToken: key(
    nonEmpty.optional(),
    "OAuth 2.0 access token, or the path of a file that holds one. It is not refreshed. Overrides `credentials`.",
    { secret: true, env: ["GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"] },
  ),
  credentials: key(
    nonEmpty.optional(),
    "Credentials as JSON text, or the path of a JSON file: service account, authorized user, external account or " +
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
    "Delegation chain: service accounts, each with the right to impersonate the next.",
  ),
  scopes: key(texts.optional(), `OAuth scopes of the access tokens. Default: \`${DEFAULTS.scopes.join(" ")}\`.`),
  userProjectOverride: key(
    flag.optional(),
    "Charge quota to `billingProject`, or if it is not set to the project of the resource, instead of the project of the " +
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
    `Maximum time for one HTTP request, such as \`120s\`. Default: ${DEFAULTS.requestTimeout}.`,
  ),
  universeDomain: key(
    domain.optional(),
    `Domain of the cloud universe. Must match the universe of the credentials. Default: \`${DEFAULTS.universeDomain}\`.`,
    { env: ["GOOGLE_CLOUD_UNIVERSE_DOMAIN", "CLOUDSDK_CORE_UNIVERSE_DOMAIN"] },
  ),
  appendUserAgent: key(headerText.optional(), "Text to add to the `User-Agent` of every request.", {
    env: ["GOOGLE_APPEND_USER_AGENT"],
  }),
  emulatorHost: key(
    hostPort.optional(),
    "`host:port` of an emulator that gets the requests of all services, without credentials. Put an IPv6 address in brackets: " +
      "`[::1]:8790`.",
    { env: ["PERIMETER_EMULATOR_HOST"] },
  ),
  sendCredentialsToLoopback: key(
    flag.optional(),
    "Send credentials also to endpoints on this machine. Default: false.",
  ),
  ...endpointKeys(),
  endpoints: key(
    z.record(z.string(), baseUrl).optional(),
    'Base URLs of other APIs instead of the public ones, by the first part of their host: `{"pubsub": "https://host/v1/"}`. A ' +
      "custom endpoint of its own has priority.",
  ),
  grantMode: key(
    z.enum(GRANT_MODES, { error: `must be one of ${GRANT_MODES.join(", ")}` }).optional(),
    "What creating a member grant does to the resource's policy. `replace`: the policy becomes this grant alone. " +
      "`merge`: the member is added to the binding of its role and condition; everything else stays unchanged. Deleting " +
      `removes only the grant in both modes. Default: \`${DEFAULTS.grantMode}\`.`,
    { env: ["PERIMETER_GRANT_MODE"] },
  ),
  allowLockout: key(
    flag.optional(),
    "Allow changes that remove the provider's own role, or the last role, that can change the policy of the resource " +
      "again. Default: false.",
  ),
  policyWritesPerMinute: key(
    z.number().int().min(1, "must be at least 1").optional(),
    "Quota of each API for policy changes per minute. The provider uses 90 % of it; further changes wait. Default: " +
      `${policyWriteQuotas()}; none for the other APIs, for an emulator and for endpoints on this machine.`,
  ),
  waitForPropagation: key(
    flag.optional(),
    "Wait after each grant until several reads in a row show it. Default: false.",
  ),
  preflight: key(
    flag.optional(),
    "At preview, check the permissions that a create needs and anything else that would prevent it, and list all " +
      "problems at once. Default: false.",
  ),
  retry: key(retry.optional(), "Which failed requests are repeated, and how long."),
});

/** The configuration of a run, from every source. Durations are still text: `durationMs` parses them. */
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

/** Whether a key sets an address for requests. */
export function isEndpointKey(key: string): boolean {
  return ["emulatorHost", "endpoints"].includes(key) || key.endsWith("CustomEndpoint");
}

/** Whether a key decides how a grant changes a policy, or in which cloud. */
export function isDecisiveKey(key: string): boolean {
  return isEndpointKey(key) || ["grantMode", "allowLockout", "universeDomain"].includes(key);
}

/** Names of the keys whose values must not be shown: the secret ones, and addresses with a password in them. */
export function keysToHide(values: Values): string[] {
  const withUserinfo = Object.keys(values).filter((key) => {
    return (isEndpointKey(key) || key === "universeDomain") && JSON.stringify(values[key] ?? "").includes("@");
  });
  return [...secretKeys(), ...withUserinfo];
}

/** A duration of Go's syntax, as Pulumi users know it from custom timeouts: `90s`, `1h30m`, `500ms`. */
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;

/** Milliseconds. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Node's timers hold at most 31 bits of milliseconds (about 24.8 days) and fire at once for longer times; this limit is well below. */
const LONGEST_MS = 24 * 3_600_000;
const SHORTEST_MS = 1;

/** What is wrong with a duration, as a phrase after its key; undefined for a valid duration. */
export function durationProblem(text: string): string | undefined {
  if (!DURATION.test(text)) return "must be a duration, such as 30s, 2m or 1h30m";
  const ms = durationMs(text);
  return ms >= SHORTEST_MS && ms <= LONGEST_MS ? undefined : "must be a duration from 1ms to 24h";
}

/** A checked duration, such as `90s` or `1h30m`, in milliseconds. */
export function durationMs(text: string): number {
  const parts = [...text.matchAll(PART)].map(([, amount, unit = ""]) => Number(amount) * (UNITS.get(unit) ?? 0));
  return parts.reduce((total, each) => total + each, 0);
}
