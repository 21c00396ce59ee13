import { isProjectNumber, type AccessFromAbove } from "../../provider/core/reference";
import { listOf, textOf, type Values } from "../../provider/core/unknown";
import type { Call } from "../../provider/http/call";
import type { ApiClient } from "../../provider/http/client";
import { grantsOf, type Grant, type Policy } from "../../provider/iam/policy";
import { readPolicy } from "../../provider/iam/policy-api";
import { accessAt } from "../condition/expiry";
import { capitalized, withArticle } from "../result/visible";
import { PolicyCopies } from "./policy-copies";
import { attempted, mapBounded, READ_TIMEOUT_MS } from "./reads";
import type { ContainerOf } from "../meaning/grant-kinds";
import { RESOURCE_MANAGER } from "../../provider/core/services";
import { clientBeside, Hierarchy, NO_MANAGER, NO_ROLES, type PolicyInCloud } from "./hierarchy";
import { isCustomRole } from "../../provider/iam/lockout";
import { permissionsGiveAccess, roleGivesAccess } from "./roles";
import { SERVICES } from "../../provider/core/services";
import { getOrCompute } from "../../provider/core/once";

/** A resource, for reading who has access to it from above. */
export interface ResourceBelow extends PolicyInCloud {
  above: AccessFromAbove;
}

export interface GrantAbove extends Grant {
  /** `project demo-project` */
  from: string;
}

/** What the policies above a resource give. */
export interface AccessAbove {
  grants: GrantAbove[];
  /** What could not be read, e.g. `project demo-project`. Then there may be more grants. */
  unread: string[];
  /** The two names of the project that the resource's name has; undefined if it was not read. */
  project?: ProjectNames | undefined;
}

export interface ProjectNames {
  id: string;
  number: string;
}

const NO_PROJECT: Above = { name: "", label: "", api: "", unread: ["project"] };
const NOTHING: AccessAbove = { grants: [], unread: [] };

/**
 * The policy of this name after the plan, which may change it.
 *
 * @param api of the policy
 * @returns `isSure`: false if the plan may change it in another way, too.
 */
export type PolicyAfter = (name: string, live: Policy, api: string) => { policy: Policy; isSure: boolean };

/** A policy above: of a dataset, a project, a folder or an organization. */
interface Above {
  name: string;
  label: string;
  /** The API of its policy. */
  api: string;
  policy?: Policy;
  /** The resource above it, if there is one and it could be read. */
  parent?: string | undefined;
  /** Of a project. */
  project?: ProjectNames | undefined;
  unread: string[];
}

/**
 * Reads the policies above resources, each once: those of the dataset of a FHIR store, of the project, of the folders and of the
 * organization. It only reads. A failed read becomes a note.
 */
export class PoliciesAbove {
  /** By the address of the API and the name. */
  private readonly read = new Map<string, Promise<Above>>();
  /** By the client, because the credentials of one provider may read a role that those of another may not. */
  private readonly roles = new Map<ApiClient, Map<string, Promise<readonly string[] | undefined>>>();
  private readonly hierarchy: Hierarchy;
  private readonly sentences = new Set<string>();
  private readonly givesAccess = accessAt();

  /**
   * @param timeout milliseconds, for each read with its retries.
   * @param after the effect of the plan on a policy.
   * @param policies that were read already, such as that of a project which is reviewed itself.
   */
  constructor(
    private readonly timeout = READ_TIMEOUT_MS,
    private readonly after: PolicyAfter = (_name, policy) => ({ policy, isSure: true }),
    readonly policies = new PolicyCopies(),
  ) {
    this.hierarchy = new Hierarchy(timeout);
  }

  /** Sentences about what could not be read, each once. */
  get notes(): string[] {
    return [...this.sentences];
  }

  /** In the order of the resources. */
  of(resources: ReadonlyArray<ResourceBelow | undefined>): Promise<AccessAbove[]> {
    return mapBounded(resources, async (resource) => (resource ? this.aboveOne(resource) : NOTHING));
  }

  private async aboveOne(resource: ResourceBelow): Promise<AccessAbove> {
    const { above } = resource;
    const all = await this.chainOf(resource);
    // The policy of a project is not above itself.
    const chain = all.filter(({ name, api }) => name !== resource.name || api !== resource.service.api);
    const project = all.find((each) => each.project && isInside(resource.name, each.name))?.project;
    const found = await Promise.all(
      chain.map(async ({ name, label, api, policy: live, unread }) => {
        const { policy, isSure } = this.after(name, live ?? {}, api);
        const doubts = isSure ? unread : [...unread, `${label}, whose policy the plan changes`];
        const roles = [...new Set((policy.bindings ?? []).map(({ role = "" }) => role))];
        const given = new Map<string, boolean>();
        const unreadRoles: string[] = [];
        for (const role of roles) {
          const gives = roleGivesAccess(role, above);
          const permissions = gives === "unknown" ? await this.permissionsOf(role, resource) : undefined;
          const isUnread = gives === "unknown" && permissions === undefined;
          const isCustom = isCustomRole(role);
          if (isUnread && isCustom) unreadRoles.push(`role ${role}`);
          const isGiven = permissions ? permissionsGiveAccess(permissions, above) : gives === true;
          // A predefined role of the service counts if it could not be read, so that no access is missed.
          given.set(role, isGiven || (isUnread && !isCustom));
        }
        const grants = grantsOf(policy).filter((grant) => given.get(grant.role) && this.givesAccess(grant));
        return { grants: grants.map((grant) => ({ ...grant, from: label })), unread: [...doubts, ...unreadRoles] };
      }),
    );
    const [grants, unread] = [found.flatMap((each) => each.grants), found.flatMap((each) => each.unread)];
    return { grants, unread, ...(project && { project }) };
  }

  /** The policy of a resource of the same API that contains this one. */
  private container({ client }: ResourceBelow, { kind, path, label }: ContainerOf): Promise<Above> {
    const { service, form } = kind;
    const api = client(service);
    return getOrCompute(this.read, api.baseUrl + path, async () => {
      const policy = await this.policyOf({ client: api, resource: path, kind: kind.kind, form });
      const found = { name: path, label, api: service.api };
      if (!("failure" in policy)) return { ...found, policy: policy.value, unread: [] };
      this.sentences.add(`The policy of ${label} could not be read: ${policy.failure}`);
      return { ...found, unread: [label] };
    });
  }

  /** The policies of the resource's project and of all that it is in, from the nearest upwards. */
  private async chainOf(resource: ResourceBelow): Promise<Above[]> {
    const { found, why } = await this.hierarchy.above(resource, {
      container: (each) => this.container(resource, each),
      node: (api, name) => getOrCompute(this.read, api.baseUrl + name, () => this.node(api, name)),
      parentOf: ({ parent }) => parent,
    });
    if (why === undefined) return found;
    const all = `the resources of ${resource.client(resource.service).baseUrl}`;
    this.sentences.add(`The policies above ${why === NO_MANAGER ? all : resource.name} were not read: ${why}`);
    return [...found, NO_PROJECT];
  }

  private async node(api: ApiClient, name: string): Promise<Above> {
    const [collection = "", id = ""] = name.split("/");
    const word = collection.slice(0, -1);
    const label = `${word} ${id}`;
    const read: (call: Call) => Promise<Pick<Above, "parent" | "project">> = (call) =>
      api.request({ kind: "read", method: "GET", path: name, doing: `read the ${word}` }, call, (answer) => ({
        parent: textOf(answer.parent) || undefined,
        project: projectIn(answer),
      }));
    const [policy, parent] = await Promise.all([
      this.policyOf({ client: api, resource: name, kind: withArticle(word), form: "post" }),
      word === "organization" ? { value: {} } : this.attempt(read),
    ]);
    const above = `what is above ${label}`;
    if ("failure" in policy) {
      const what = `The policy of ${label}${"failure" in parent ? " and what is above it" : ""}`;
      this.sentences.add(`${what} could not be read: ${policy.failure}`);
    } else if ("failure" in parent) {
      this.sentences.add(`${capitalized(above)} could not be read: ${parent.failure}`);
    }
    return {
      name,
      label,
      api: RESOURCE_MANAGER.api,
      ...("value" in policy && { policy: policy.value }),
      ...("value" in parent && parent.value),
      unread: [...("failure" in policy ? [label] : []), ...("failure" in parent ? [above] : [])],
    };
  }

  /** The permissions of a role; undefined if they could not be read. */
  private permissionsOf(role: string, resource: ResourceBelow): Promise<readonly string[] | undefined> {
    const api = clientBeside(resource, SERVICES.iam);
    if (api === undefined) {
      const { baseUrl } = resource.client(resource.service);
      this.sentences.add(
        `The permissions of the role ${role} were not read at ${baseUrl}${effectOf(role)}: ${NO_ROLES}`,
      );
      return Promise.resolve(undefined);
    }
    const ofClient = getOrCompute(this.roles, api, () => new Map<string, Promise<readonly string[] | undefined>>());
    return getOrCompute(ofClient, role, () => this.readPermissions(role, api));
  }

  private async readPermissions(role: string, api: ApiClient): Promise<readonly string[] | undefined> {
    const result = await this.attempt((call) =>
      api.request({ kind: "read", method: "GET", path: role, doing: "read the role" }, call, (answer) =>
        answer.deleted === true ? [] : listOf(answer.includedPermissions).map(textOf),
      ),
    );
    if (!("failure" in result)) return result.value;
    this.sentences.add(`The permissions of the role ${role} could not be read${effectOf(role)}: ${result.failure}`);
    return undefined;
  }

  private policyOf(place: Parameters<typeof readPolicy>[0]): Promise<{ value: Policy } | { failure: string }> {
    const { client, resource } = place;
    return this.attempt(async (call) => {
      const { live } = await this.policies.load(client.baseUrl, resource, () => readPolicy(place, 3, call));
      return live;
    });
  }

  private async attempt<T>(read: (call: Call) => Promise<T>): Promise<{ value: T } | { failure: string }> {
    const result = await attempted(read, this.timeout);
    return "failure" in result ? { failure: asClause(result.failure) } : result;
  }
}

/** An answer about a project has its number in its name: `{ "name": "projects/415104041262", "projectId": "demo-project" }`. */
function projectIn({ name, projectId }: Values): ProjectNames | undefined {
  const [id, number] = [textOf(projectId), textOf(name).replace(/^projects\//, "")];
  return id !== "" && !isProjectNumber(id) && isProjectNumber(number) ? { id, number } : undefined;
}

function isInside(name: string, project: string): boolean {
  return name === project || name.startsWith(`${project}/`);
}

function asClause(sentence: string): string {
  return sentence.replace(/[.\s]+$/, "");
}

/** What follows if the permissions of a role are not known, as a part of a sentence. */
function effectOf(role: string): string {
  return isCustomRole(role) ? "" : ", so it counts as a role that gives access";
}
