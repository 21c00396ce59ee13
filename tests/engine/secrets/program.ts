/**
 * A program in which every input is a secret once, alone, and then all inputs of a resource together. Each secret text
 * is a word of its own, so that one that gets out says which it was.
 */
import type { Seed } from "../../../emulator";
import { ASSOCIATION, JOB_GRANT, STORE_BINDING, STORE_GRANT } from "../../support/tokens";
import type { Refusal } from "./quoting-api";

type Properties = Record<string, unknown>;

interface Declared {
  type: string;
  properties: Properties;
  options?: Properties;
}

const ZONE = "us-central1-a";
/** A word that every secret text below holds, and no other text. */
export const CANARY = /canary[0-9a-f]{2}\w*|cafe[0-9a-f]{4}-[0-9a-f-]{27}/gi;

let made = 0;
const canary = (what: string) => `canary${(0x10 + made++).toString(16)}${what}`;
const secret = (text: string) => ({ "fn::secret": text });

const association = (name: string, more: Properties): Declared => ({
  type: ASSOCIATION,
  properties: {
    firewallEndpoint: `organizations/1/locations/${ZONE}/firewallEndpoints/edge`,
    network: `projects/open/global/networks/${name}`,
    firewallEndpointAssociationId: name,
    location: ZONE,
    project: "open",
    ...more,
  },
});

const JOBS = "projects/open/locations/us-central1/migrationJobs";
const STORES = "projects/open/locations/us-central1/datasets/clinic/fhirStores";

/** Each grant is on a resource of its own: the policy of a shared one would show what other grants were told. */
const jobGrant = (job: string, more: Properties): Declared => ({
  type: JOB_GRANT,
  properties: { name: `${JOBS}/${job}`, role: "roles/datamigration.admin", member: "group:open@example.com", ...more },
});
const storeGrant = (store: string, more: Properties): Declared => ({
  type: STORE_GRANT,
  properties: {
    name: `${STORES}/${store}`,
    role: "roles/healthcare.fhirStoreAdmin",
    member: "group:open@example.com",
    ...more,
  },
});
/** The role of bindings, and the store of each. */
export const BOUND_ROLE = "roles/healthcare.fhirResourceReader";
export const BOUND_STORES = ["members", "ignored-members"].map((store) => `${STORES}/${store}`);
const storeBinding = (store: string, options?: Properties): Declared => ({
  type: STORE_BINDING,
  properties: {
    name: `${STORES}/${store}`,
    role: BOUND_ROLE,
    members: ["group:open@example.com", secret(`user:${canary("element")}@example.com`)],
  },
  ...(options ? { options } : {}),
});

const uuid = () => `cafe${(0x1000 + made++).toString(16)}-8f5d-4c59-9b1b-0d3c3b6d2f11`;
const expression = (text: string) => `request.host == '${text}'`;

const everyInput = (id: string): Declared =>
  association("every-input", {
    firewallEndpoint: secret(`organizations/1/locations/${ZONE}/firewallEndpoints/canary04everyendpoint`),
    network: secret(`projects/canary05every/global/networks/${canary("everynetwork")}`),
    firewallEndpointAssociationId: secret(id),
    labels: { "fn::secret": { hidden: canary("everylabel") } },
    project: secret("canary05every"),
    location: secret(ZONE),
    requestId: secret(uuid()),
    tlsInspectionPolicy: secret(`projects/canary05every/locations/us-central1/tlsInspectionPolicies/${canary("tls")}`),
  });
const everyPart = (store: string): Declared =>
  storeGrant("every-part", {
    name: secret(store),
    role: secret(`projects/open/roles/${canary("everyrole")}`),
    member: secret(`serviceAccount:${canary("everymember")}@open.iam.gserviceaccount.com`),
    condition: {
      "fn::secret": { title: canary("everytitle"), expression: expression(canary("everyexpression")) },
    },
  });

const hiddenJob = `projects/${canary("jobproject")}/locations/us-central1/migrationJobs/${canary("job")}`;
const hiddenStore = `${STORES}/${canary("store")}`;
export const DEFAULT_PROJECT = canary("defaultproject");
export const ACCESS_TOKEN = canary("token");
const providerProject = canary("providerproject");

/** Resources that the program declares, by name; every other round has other labels and conditions. */
function resources(round: number): Record<string, Declared> {
  made = 0x20 * round + 8;
  const condition = (more: Properties) => ({
    condition: { title: "open", expression: "true", description: "open", ...more },
  });
  return {
    network: association("network", { network: secret(`projects/open/global/networks/${canary("network")}`) }),
    endpoint: association("endpoint", {
      firewallEndpoint: secret(`organizations/1/locations/${ZONE}/firewallEndpoints/canary01endpoint`),
    }),
    "association-id": association("id", { firewallEndpointAssociationId: secret("canary02id") }),
    label: association("label", { labels: { open: "open", hidden: secret(canary("label")) } }),
    labels: association("labels", { labels: { "fn::secret": { hidden: canary("labels") } } }),
    project: association("project", { project: secret("canary03project") }),
    "default-project": association("default-project", { project: undefined }),
    "provider-project": {
      ...association("provider-project", { project: undefined }),
      options: { provider: "${elsewhere}" },
    },
    "request-id": association("request-id", { requestId: secret(uuid()) }),
    tls: association("tls", {
      tlsInspectionPolicy: secret(`projects/open/locations/us-central1/tlsInspectionPolicies/${canary("tls")}`),
    }),
    "every-input": everyInput("canary06everyid"),
    member: jobGrant("member", { member: secret(`user:${canary("member")}@example.com`) }),
    name: jobGrant("name", { name: secret(hiddenJob) }),
    role: jobGrant("role", { role: secret(`projects/open/roles/${canary("role")}`) }),
    title: storeGrant("title", condition({ title: secret(canary("title")) })),
    expression: storeGrant(
      "expression",
      condition({ title: "e", expression: secret(expression(canary("expression"))) }),
    ),
    description: storeGrant("description", condition({ title: "d", description: secret(canary("description")) })),
    "every-part": everyPart(hiddenStore),
    members: storeBinding("members"),
    "ignored-members": storeBinding("ignored-members", { ignoreChanges: ["members"] }),
  };
}

/** Answers that resources of their own get, an association and a grant for each, with every input a secret. */
const REFUSED: Record<string, Omit<Refusal, "methods" | "path">> = {
  denied: { code: 403, status: "PERMISSION_DENIED" },
  missing: { code: 404, status: "NOT_FOUND" },
  taken: { code: 409, status: "ALREADY_EXISTS" },
  internal: { code: 500, status: "INTERNAL" },
  operation: { code: 200, status: "OK", operation: true },
};
const refusedId = (answer: string) => `canary07${answer}id`;
const refusedStore = (answer: string) => `${STORES}/canary07${answer}store`;
/** Writes of policies are tried again for a minute after INTERNAL. */
const REFUSED_GRANTS = Object.keys(REFUSED).filter((answer) => answer !== "internal");

/** What has its creates refused in this way, and each as told by its path. */
export const REFUSALS: Refusal[] = [
  ...Object.entries(REFUSED).map(([answer, refusal]) => ({
    ...refusal,
    methods: ["POST"],
    path: new RegExp(`${refusedId(answer)}|${refusedStore(answer)}`),
  })),
  { methods: ["POST"], code: 400, status: "INVALID_ARGUMENT" },
];

/** Resources whose creates get the answers above, by name. */
function refused(): Record<string, Declared> {
  const associations = Object.keys(REFUSED).map((answer) => [`${answer}-link`, everyInput(refusedId(answer))] as const);
  const grants = REFUSED_GRANTS.map((answer) => [`${answer}-grant`, everyPart(refusedStore(answer))] as const);
  return Object.fromEntries([...associations, ...grants]);
}

/** The program in which every create is refused, and the names of its resources. */
export function refusedProgram(): { files: Record<string, string>; names: string[] } {
  const declared = { ...resources(0), ...refused() };
  return { files: filesOf(declared), names: Object.keys(declared) };
}

/** The files of the program in a round. */
export const program = (round: number): Record<string, string> => filesOf(resources(round));

function filesOf(declared: Record<string, Declared>): Record<string, string> {
  const elsewhere = {
    type: "pulumi:providers:perimeter",
    properties: { project: secret(providerProject), grantMode: "merge", retry: { maxAttempts: 2 } },
  };
  // JSON is YAML too.
  const yaml = {
    name: "secrets",
    runtime: "yaml",
    resources: { elsewhere, ...declared },
    outputs: { named: "${association-id.name}", granted: "${member.id}" },
  };
  return { "Pulumi.yaml": JSON.stringify(yaml, null, 2) };
}

const JOB_NAMES = [...["member", "role"].map((job) => `${JOBS}/${job}`), hiddenJob];
const STORE_NAMES = [
  ...["title", "expression", "description"].map((store) => `${STORES}/${store}`),
  hiddenStore,
  ...BOUND_STORES,
  ...REFUSED_GRANTS.map(refusedStore),
];
const OWNERS = { bindings: [{ role: "roles/owner", members: ["user:grace@example.com"] }] };

/** What has to be there before the program. */
export const SEED: Seed[] = [
  ...JOB_NAMES.map((name) => ({ service: "datamigration" as const, name, policy: OWNERS })),
  ...STORE_NAMES.map((name) => ({ service: "healthcare" as const, name, policy: OWNERS })),
];
