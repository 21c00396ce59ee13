import { isRecord, textOf } from "../../provider/core/unknown";
import type { Call } from "../../provider/http/call";
import type { ApiClient, PolicyForm } from "../../provider/http/client";
import { readPolicy } from "../../provider/iam/policy-api";
import {
  clientBeside,
  Hierarchy,
  NO_MANAGER,
  NO_ROLES,
  policyInCloud,
  type PolicyInCloud,
  type ResourceInCloud,
} from "../live/hierarchy";
import { isCustomRole } from "../../provider/iam/lockout";
import { SERVICES } from "../../provider/core/services";
import { getOrCompute } from "../../provider/core/once";
import { RESOURCE_MANAGER } from "../../provider/core/services";
import { attempted, mapBounded } from "../live/reads";
import { oneLine } from "../result/visible";
import type { Place } from "../live/clouds";
import type { SeededResource, StackSeed } from "./stack-files";

/** A resource to copy. */
export interface CopiedResource extends ResourceInCloud, Partial<Pick<PolicyInCloud, "containers">> {
  /** How its policy is read; undefined if it has none. */
  form: PolicyForm | undefined;
  /** Whether the emulator has more than the policy of it. */
  hasBody: boolean;
}

/** A resource with a policy, to be copied. */
export function copied(place: Place): CopiedResource {
  const { form, isNamedInFull } = place.kind;
  return { ...policyInCloud(place), form, hasBody: !isNamedInFull };
}

/**
 * Reads resources and their policies, what is above them, and the custom roles of the policies.
 *
 * @param inherited whether to read what is above the resources.
 */
export async function seedOf(wanted: readonly CopiedResource[], inherited: boolean): Promise<StackSeed> {
  const copy = new Copy();
  const roles = await mapBounded(wanted, async (each) => {
    const { name, service, form, hasBody, client } = each;
    const own = await copy.add(client(service), service.api, name, { form, hasBody });
    if (!inherited) return [];
    const found = [own, ...(await copy.above(each))];
    return found
      .flatMap(customRolesOf)
      .map((role) => ({ role, client: clientBeside(each, SERVICES.iam), from: client(service) }));
  });
  await copy.addRoles(roles.flat());
  return copy.seed();
}

/** The roles in a policy that a project or an organization defines. */
function customRolesOf({ policy }: SeededResource): string[] {
  return (policy?.bindings ?? []).map(({ role = "" }) => role).filter(isCustomRole);
}

/** The parts of a resource to copy. */
type Parts = Pick<CopiedResource, "form" | "hasBody">;

/** A custom role in the policy of a resource, or above it. */
interface FoundRole {
  role: string;
  /** The client for it, with the settings of the resource's provider; undefined if the cloud of the resource has no IAM API. */
  client: ApiClient | undefined;
  /** The client of the resource. */
  from: ApiClient;
}

/** What was read, each resource once. */
class Copy {
  private readonly hierarchy = new Hierarchy();
  private readonly read = new Map<string, Promise<SeededResource>>();
  private readonly done: SeededResource[] = [];
  private readonly unread = new Set<string>();

  add(client: ApiClient, service: string, name: string, parts: Parts): Promise<SeededResource> {
    return getOrCompute(this.read, `${client.baseUrl} ${name}`, () => this.one([client], service, name, parts));
  }

  /** Reads each role of each cloud. The credentials of one provider may read a role that those of another may not. */
  async addRoles(found: readonly FoundRole[]): Promise<void> {
    const clients = new Map<string, Set<ApiClient>>();
    for (const { role, client, from } of found) {
      if (client === undefined) {
        this.unread.add(`${role} is not in the seed: it is not read for ${from.baseUrl}, because ${NO_ROLES}`);
        continue;
      }
      getOrCompute(clients, `${client.baseUrl} ${role}`, () => new Set<ApiClient>()).add(client);
    }
    await mapBounded([...clients], async ([key, all]) => {
      await this.one([...all], SERVICES.iam.api, key.slice(key.indexOf(" ") + 1), {
        form: undefined,
        hasBody: true,
      });
    });
  }

  /** Reads what is above a resource. What cannot be read is noted. */
  async above(resource: CopiedResource): Promise<SeededResource[]> {
    const { name, service, hasBody, client } = resource;
    const { found, why } = await this.hierarchy.above(resource, {
      container: ({ kind, path }) =>
        this.add(client(kind.service), kind.service.api, path, { form: kind.form, hasBody }),
      node: (manager, above) => this.add(manager, RESOURCE_MANAGER.api, above, { form: "post", hasBody: true }),
      parentOf: ({ body }) => textOf(body?.parent),
    });
    const what = why === NO_MANAGER ? `the resources of ${client(service).baseUrl}` : name;
    if (why !== undefined) this.unread.add(oneLine(`What is above ${what} is not in the seed: ${why}`));
    return found;
  }

  seed(): StackSeed {
    const names = this.done.map(({ service, name }) => `${service} ${name}`);
    for (const { service, name } of this.done.filter((_, at) => names.indexOf(names[at] ?? "") !== at)) {
      this.unread.add(`One of two resources is not in the seed: two clouds of the stack have ${name} (${service})`);
    }
    const known = new Map(this.done.map((each) => [`${each.service} ${each.name}`, each]));
    const resources = [...known].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, each]) => each);
    return { resources, unread: [...this.unread].sort() };
  }

  /** @param clients of one cloud: each is tried until one can read the resource */
  private async one(
    clients: readonly ApiClient[],
    service: string,
    name: string,
    { form, hasBody }: Parts,
  ): Promise<SeededResource> {
    const readBody = (client: ApiClient, call: Call) => {
      const doing = "read the resource";
      return client.request({ kind: "read", method: "GET", path: name, doing }, call, ({ name: _, ...rest }) => rest);
    };
    const body = hasBody ? await this.attempt(name, clients, readBody) : undefined;
    const policy = form
      ? await this.attempt(`The policy of ${name}`, clients, (client, call) =>
          readPolicy({ client, resource: name, kind: "a resource", form }, 3, call),
        )
      : undefined;
    // An empty policy is left out: the emulator makes it itself, with its own etag.
    const isSet = policy && [policy.bindings, policy.auditConfigs].some((each) => each && each.length > 0);
    // The name of an object in a bucket is encoded in the path of a request alone.
    const copied = {
      service,
      name: name.replaceAll("%2F", "/"),
      ...(isRecord(body) && { body }),
      ...(isSet && { policy }),
    };
    if (body ?? policy) this.done.push(copied);
    return copied;
  }

  private async attempt<T>(
    what: string,
    clients: readonly ApiClient[],
    read: (client: ApiClient, call: Call) => Promise<T>,
  ): Promise<T | undefined> {
    let failure = "";
    for (const client of clients) {
      const result = await attempted((call) => read(client, call));
      if (!("failure" in result)) return result.value;
      failure ||= result.failure;
    }
    this.unread.add(oneLine(`${what} is not in the seed: ${failure}`));
    return undefined;
  }
}
