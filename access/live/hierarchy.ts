import { textOf, type Values } from "../../provider/core/unknown";
import { getOrCompute } from "../../provider/core/once";
import { RESOURCE_MANAGER } from "../../provider/core/services";
import type { Call } from "../../provider/http/call";
import type { ApiClient } from "../../provider/http/client";
import { fullNameIn } from "../../provider/iam/kinds/kinds";
import { ANY_MEMBER, containersOf, resourceOfGrant } from "../meaning/grant-kinds";
import type { AccessPolicies } from "./access-policies";
import type { AccessPolicy } from "./access-policy";
import { asClause } from "../result/visible";
import { clientBeside, clientOf, resourceKey, type Place, type ResourceInCloud } from "./place";
import type { Attempted } from "./reads";

/**
 * The way up from resources, and what is read on it: each policy, resource and role once, for the answer and for the seed. It
 * only reads.
 */
export class Hierarchy {
  private readonly resources = new Map<string, Promise<Attempted<Values>>>();
  /** By the client, because the credentials of one provider may read a role that those of another may not. */
  private readonly roles = new Map<ApiClient, Map<string, Promise<Attempted<Values>>>>();

  constructor(readonly policies: AccessPolicies) {}

  /**
   * The policies of what contains a resource in its API, and then of its project, the folders and the organization, from the
   * resource upwards. All that is in a bucket has the project of the bucket.
   *
   * @returns `why`: the reason why no project is known, as the end of a sentence.
   */
  async above(resource: ResourceInCloud | Place): Promise<{ found: AccessPolicy[]; why?: string }> {
    const { cloud } = resource;
    const containers = "resource" in resource ? containersOf(resource).map((each) => ({ cloud, ...each })) : [];
    const found = containers.map((each) => this.policies.load(each));
    const { name, why } = await this.nodeOf(resource, containers);
    const seen = new Set<string>();
    for (let next = name; next && !seen.has(next);) {
      seen.add(next);
      const node = resourceOfGrant(ANY_MEMBER, fullNameIn(RESOURCE_MANAGER.api, next));
      if (!node) break;
      const place = { cloud, ...node };
      found.push(this.policies.load(place));
      next = await this.parentOf(place);
    }
    return { found: await Promise.all(found), ...(why !== undefined && { why }) };
  }

  /** What the API answers about a resource. */
  resource(resource: ResourceInCloud): Promise<Attempted<Values>> {
    const { kind, path } = resource;
    const doing = `read the ${kind.kind.replace(/^an? /, "")}`;
    return getOrCompute(this.resources, resourceKey(resource), () => this.get(clientOf(resource), path, doing));
  }

  /** What the IAM API answers about a role. */
  role(name: string, api: ApiClient): Promise<Attempted<Values>> {
    const ofClient = getOrCompute(this.roles, api, () => new Map<string, Promise<Attempted<Values>>>());
    return getOrCompute(ofClient, name, () => this.get(api, name, "read the role"));
  }

  private get(client: ApiClient, path: string, doing: string): Promise<Attempted<Values>> {
    const request = { kind: "read", method: "GET", path, doing } as const;
    const read = (call: Call) => client.request(request, call, (answer) => answer);
    return this.policies.shared(`resource ${client.baseUrl}${path}`, read);
  }

  private async parentOf(node: Place): Promise<string | undefined> {
    if (!hasParent(node)) return undefined;
    const found = await this.resource(node);
    return "value" in found ? textOf(found.value.parent) : undefined;
  }

  /** The project, folder or organization of a resource: by the name, or for what is in a bucket by the bucket. */
  private async nodeOf(
    resource: ResourceInCloud,
    containers: readonly Place[],
  ): Promise<{ name?: string; why?: string }> {
    const { kind, path } = resource;
    if (!clientBeside(resource, RESOURCE_MANAGER)) return { why: NO_MANAGER };
    if (/^(?:projects|folders|organizations)\//.test(path)) return { name: path.split("/").slice(0, 2).join("/") };
    const bucket = [resource, ...containers].find((each) => /^b\/[^/]+$/.test(each.path));
    if (kind.service.api !== "storage" || !bucket) return { why: NO_NODE };
    const found = await this.resource(bucket);
    if ("failure" in found) return { why: unreadProject(found.failure) };
    const number = textOf(found.value.projectNumber);
    const byNumber = resourceOfGrant(ANY_MEMBER, fullNameIn(RESOURCE_MANAGER.api, `projects/${number}`));
    if (number === "" || !byNumber) return { why: NO_NODE };
    // With the project's id, the same project above other resources is read once.
    const project = await this.resource({ cloud: resource.cloud, ...byNumber });
    if ("failure" in project) return { why: unreadProject(project.failure) };
    return { name: `projects/${textOf(project.value.projectId) || number}` };
  }
}

/**
 * What has the unread above it: the resource, or all resources at its address if no Resource Manager belongs to that.
 *
 * @param why the reason that `above` gave
 */
export function belowUnread(resource: ResourceInCloud, why: string): string {
  return why === NO_MANAGER ? `the resources of ${clientOf(resource).baseUrl}` : resource.path;
}

/** Whether something may be above a project, a folder or an organization. */
export function hasParent({ path, kind }: ResourceInCloud): boolean {
  return kind.service.api === RESOURCE_MANAGER.api && !path.startsWith("organizations/");
}

function unreadProject(failure: string): string {
  return `its project could not be read: ${asClause(failure)}`;
}

/** The reason why nothing above a resource was read, as the end of a sentence. */
const NO_MANAGER =
  "this address is not Google's, and CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER names no Resource Manager beside it";

const NO_NODE = "neither its name nor its API says in which project it is";

/** The reason why a role was not read, as the end of a sentence. */
export const NO_ROLES =
  "this address is not Google's, and CLOUDSDK_API_ENDPOINT_OVERRIDES_IAM names no IAM API beside it";
