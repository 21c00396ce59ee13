import { getOrCompute } from "../../provider/core/once";
import { RESOURCE_MANAGER, SERVICES } from "../../provider/core/services";
import type { Values } from "../../provider/core/unknown";
import type { ApiClient } from "../../provider/http/client";
import { isCustomRole } from "../../provider/iam/lockout";
import { belowUnread, NO_ROLES, type Hierarchy } from "../live/hierarchy";
import { clientBeside, clientOf, resourceKey, type Place, type ResourceInCloud } from "../live/place";
import { mapBounded } from "../live/reads";
import type { StackNow } from "../live/stack-now";
import { resourceNamed } from "../meaning/grant-kinds";
import { compareBy } from "../result/order";
import type { ReviewedResource } from "../result/result";
import { isHidden } from "../result/texts";
import { oneLine } from "../result/visible";
import { associationService } from "./associations";
import type { SeededResource, StackSeed } from "./stack-files";
import { StackProviders } from "./stack-providers";

/**
 * Copies resources and their policies, what is above them, and the custom roles of the policies.
 *
 * @param hierarchy what it has read is not read again.
 * @param inherited whether to copy what is above the resources.
 */
export async function seedOf(
  wanted: readonly (ResourceInCloud | Place)[],
  hierarchy: Hierarchy,
  inherited: boolean,
): Promise<StackSeed> {
  const copy = new Copy(hierarchy);
  await mapBounded(wanted, async (each) => {
    const own = await copy.add(each);
    if (inherited) copy.findRoles(each, [own, ...(await copy.above(each))]);
  });
  await copy.addRoles();
  return copy.seed();
}

const NAME_IS_SECRET = "The resources whose names the stack keeps secret are not in the seed";

/** Copies these resources with grants of a stack, and its associations. */
export async function seedOfStack(
  stack: StackNow,
  resources: readonly ReviewedResource[],
  inherited: boolean,
): Promise<StackSeed> {
  const { clouds, hidden, hierarchy } = stack;
  const providers = StackProviders.of(stack);
  const granted = resources.flatMap((each) => {
    const grant = providers.grantOn(each);
    return grant ? [{ ...resourceNamed(each.resource), cloud: clouds.of(grant) }] : [];
  });
  const kind = { service: associationService, kind: "an association" };
  const associations = providers.associations.flatMap((each) =>
    each.id ? [{ cloud: clouds.of(each), kind, path: each.id }] : [],
  );
  const seed = await seedOf([...granted, ...associations], hierarchy, inherited);
  const secret = resources.some(({ resource }) => isHidden(resource)) ? [NAME_IS_SECRET] : [];
  return { ...seed, unread: [...hidden.scrubbed(seed.unread), ...secret] };
}

/** What is copied, each resource once. */
class Copy {
  private readonly copies = new Map<string, Promise<SeededResource>>();
  private readonly done: SeededResource[] = [];
  private readonly unread = new Set<string>();
  /** The custom roles of the policies by the address of their API, with the clients that may read them. */
  private readonly roles = new Map<string, { name: string; clients: Set<ApiClient> }>();

  constructor(private readonly hierarchy: Hierarchy) {}

  add(resource: ResourceInCloud | Place): Promise<SeededResource> {
    return getOrCompute(this.copies, resourceKey(resource), () => this.one(resource));
  }

  /** Copies what is above a resource. What cannot be read is noted. */
  async above(resource: ResourceInCloud | Place): Promise<SeededResource[]> {
    const { found, why } = await this.hierarchy.above(resource);
    if (why !== undefined) {
      this.unread.add(oneLine(`What is above ${belowUnread(resource, why)} is not in the seed: ${why}`));
    }
    return Promise.all(found.map(({ place }) => this.add(place)));
  }

  /** Finds the roles in policies, of a resource and above it, that a project or an organization defines. */
  findRoles(resource: ResourceInCloud, copies: readonly SeededResource[]): void {
    const client = clientBeside(resource, SERVICES.iam);
    const roles = copies.flatMap(({ policy }) => (policy?.bindings ?? []).map(({ role = "" }) => role));
    for (const name of roles.filter(isCustomRole)) {
      if (client) {
        const key = `${client.baseUrl} ${name}`;
        getOrCompute(this.roles, key, () => ({ name, clients: new Set<ApiClient>() })).clients.add(client);
      } else {
        const { baseUrl } = clientOf(resource);
        this.unread.add(`${name} is not in the seed: it is not read for ${baseUrl}, because ${NO_ROLES}`);
      }
    }
  }

  /** Copies each role of each cloud. The credentials of one provider may read a role that those of another may not. */
  async addRoles(): Promise<void> {
    await mapBounded([...this.roles.values()], async ({ name, clients }) => {
      const failures: string[] = [];
      for (const client of clients) {
        const found = await this.hierarchy.role(name, client);
        if ("value" in found) {
          this.done.push({ service: SERVICES.iam.api, name, body: withoutName(found.value) });
          return;
        }
        failures.push(found.failure);
      }
      this.note(name, failures[0]);
    });
  }

  seed(): StackSeed {
    const inOrder = this.done.toSorted(compareBy(({ service, name }) => [`${service} ${name}`]));
    const resources = inOrder.filter(({ service, name }, at) => {
      const next = inOrder[at + 1];
      const isLast = next?.name !== name || next.service !== service;
      if (!isLast)
        this.unread.add(`One of two resources is not in the seed: two clouds of the stack have ${name} (${service})`);
      return isLast;
    });
    return { resources, unread: [...this.unread].sort() };
  }

  private async one(resource: ResourceInCloud | Place): Promise<SeededResource> {
    const { path, kind } = resource;
    const body = hasBody(resource) ? await this.hierarchy.resource(resource) : undefined;
    const policy = "resource" in resource ? await this.hierarchy.policies.load(resource) : undefined;
    if (body && "failure" in body) this.note(path, body.failure);
    if (policy?.failure !== undefined) this.note(`The policy of ${path}`, policy.failure);
    const { before } = policy ?? {};
    // An empty policy is left out: the emulator makes it itself, with its own etag.
    const isSet = before && [before.bindings, before.auditConfigs].some((each) => each && each.length > 0);
    // The name of an object in a bucket is encoded in the path of a request alone.
    const copied = {
      service: kind.service.api,
      name: path.replaceAll("%2F", "/"),
      ...(body && "value" in body && { body: withoutName(body.value) }),
      ...(isSet && { policy: before }),
    };
    if ((body && "value" in body) || before) this.done.push(copied);
    return copied;
  }

  private note(what: string, failure = ""): void {
    this.unread.add(oneLine(`${what} is not in the seed: ${failure}`));
  }
}

/** Whether the emulator has more than the policy of a resource. Of the kinds that are named in full, it has only the policy. */
function hasBody(resource: ResourceInCloud | Place): boolean {
  if (!("resource" in resource) || resource.kind.service.api === RESOURCE_MANAGER.api) return true;
  return resource.resource === resource.path;
}

function withoutName({ name: _, ...body }: Values): Values {
  return body;
}
