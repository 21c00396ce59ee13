import type { Service } from "./api";
import { FULL_NAME_HOSTS } from "./full-name-hosts";
import { POLICY_KINDS } from "./generated/policy-kinds";
import { namePattern } from "./name-pattern";

/**
 * How the API of a kind reads and writes its policy:
 *  - `get`: GET {name}:getIamPolicy, POST {name}:setIamPolicy;
 *  - `post`: the same, but reads with POST, and the version in the body;
 *  - `query`: as `post`, but the version is in the query and the read has no body;
 *  - `path`: GET {name}/getIamPolicy, POST {name}/setIamPolicy;
 *  - `iam`: GET {name}/iam, PUT {name}/iam with the policy itself as the body;
 *  - `iam-1`: as `iam`, but a read cannot ask for a version of the policy.
 */
export type PolicyForm = "get" | "post" | "query" | "path" | "iam" | "iam-1";

/** A kind of resource with an access policy, as the discovery documents describe it. */
export interface PolicyKind {
  readonly service: Service;
  /** Whether the paths of the API begin with its name: `compute/v1`. */
  readonly hasServicePath: boolean;
  /** The versions of the API that have it, the newest stable one first, and their forms. */
  readonly versions: readonly { readonly version: string; readonly form: PolicyForm }[];
  /** How the API tests permissions: not at all, with the permissions in the body, or with a POST that has them in the query. */
  readonly test: "-" | "test" | "test-query";
  /** The name in the API: `projects/{project}/topics/{topic}`, `b/{bucket}`. A variable with a plus may have slashes. */
  readonly path: string;
  /** The name in full resource names, after the host: `projects/_/buckets/{bucket}`. */
  readonly fullName: string;
}

/**
 * Names in full resource names, where they differ from the path in the API.
 * Source: https://cloud.google.com/iam/docs/full-resource-names.
 */
const FULL_NAMES: Readonly<Record<string, string>> = {
  "b/{bucket}": "projects/_/buckets/{bucket}",
  "b/{bucket}/managedFolders/{+managedFolder}": "projects/_/buckets/{bucket}/managedFolders/{+managedFolder}",
  "b/{bucket}/o/{+object}": "projects/_/buckets/{bucket}/objects/{+object}",
};

/** Every kind, in the order of the table. */
export const policyKinds: readonly PolicyKind[] = POLICY_KINDS.trim().split("\n").map(kindOf);

/** The APIs whose paths begin with their name. */
export const SERVICE_PATHS: ReadonlySet<Service> = new Set(
  policyKinds.filter(({ hasServicePath }) => hasServicePath).map(({ service }) => service),
);

function kindOf(line: string): PolicyKind {
  const [service = "", base = "", form = "", test = "", template = "", others = ""] = line.split(" ");
  // The name of an object or of a managed folder in a bucket may have slashes.
  const path = template.replace(/\{(object|managedFolder)\}$/, "{+$1}");
  const newest = base.split("/").at(-1) ?? "";
  const versions = [newest, ...(others === "-" ? [] : others.split(","))].map((each) => {
    const [version = "", own = form] = each.split(":");
    return { version, form: own as PolicyForm };
  });
  return {
    service: service as Service,
    hasServicePath: base.includes("/"),
    versions,
    test: test as PolicyKind["test"],
    path,
    fullName: (service === "storage" ? FULL_NAMES[path] : undefined) ?? path,
  };
}

/**
 * The API and the relative name in a full resource name, e.g. `b/my-bucket` of
 * `//storage.googleapis.com/projects/_/buckets/my-bucket`. undefined for any other text.
 */
export function splitFullName(text: string): { service: string; name: string } | undefined {
  const [, host = "", name = ""] = /^\/\/([a-z0-9-]+)\.googleapis\.com\/(.+)$/.exec(text) ?? [];
  if (host === "") return undefined;
  const service = FULL_NAME_HOSTS[host] ?? host;
  const kind = policyKinds.find((each) => {
    return each.service === service && each.fullName !== each.path && namePattern(each.fullName).test(name);
  });
  const values = kind && namePattern(kind.fullName).exec(name)?.slice(1);
  return { service, name: storedName(kind?.path.replace(/\{\+?\w+\}/g, () => values?.shift() ?? "") ?? name) };
}

/**
 * The name under which a resource is stored. That of a managed folder is a path that ends with a slash (`m/`), and requests name it
 * with or without this slash.
 * Source: https://cloud.google.com/storage/docs/json_api/v1/managedFolder, and its method getIamPolicy.
 */
export function storedName(name: string): string {
  return name.replace(/^(b\/[^/]+\/managedFolders\/.*[^/])\/+$/, "$1");
}

/** The name with the id of its project, where it has a number of the switch `projectNumbers`. */
export function nameWithProjectId(name: string, projectNumbers: Readonly<Record<string, string>>): string {
  const number = /^projects\/(\d+)(?=\/|$)/.exec(name)?.[1] ?? "";
  return Object.hasOwn(projectNumbers, number) ? name.replace(number, () => projectNumbers[number] ?? "") : name;
}
