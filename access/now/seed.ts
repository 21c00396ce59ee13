import type { ServiceDefinition } from "../../provider/core/definition";
import { isRecord, textOf } from "../../provider/core/unknown";
import type { Call } from "../../provider/http/call";
import type { ApiClient } from "../../provider/http/client";
import { readPolicy } from "../../provider/iam/policy-api";
import { containerOf, managerOf, NO_MANAGER, readUpwards } from "../above/hierarchy";
import { isCustomRole } from "../above/roles";
import { iam, resourceManager } from "../above/services";
import { attempted, mapBounded } from "../reads";
import { oneLine } from "../visible";
import type { SeededResource, StackSeed } from "./stack-files";

/** A resource to copy. */
export interface CopiedResource {
  name: string;
  service: ServiceDefinition;
  hasPolicy: boolean;
  /** The kind of the resource above it in the same API that has a policy, if any: `dataset`. */
  parent?: string | undefined;
  /** The client of a service, with the settings of the resource's provider. */
  client(service: ServiceDefinition): ApiClient;
}

/**
 * Reads resources and their policies, what is above them, and the custom roles of the policies.
 *
 * @param inherited whether to read what is above the resources.
 */
export async function seedOf(wanted: readonly CopiedResource[], inherited: boolean): Promise<StackSeed> {
  const copy = new Copy();
  await mapBounded(wanted, async (each) => {
    const { name, service, hasPolicy, parent, client } = each;
    await copy.add(client(service), service.api, name, hasPolicy);
    if (!inherited) return;
    if (parent !== undefined) await copy.add(client(service), service.api, containerOf(name), true);
    const manager = managerOf(each);
    if (manager === undefined) {
      copy.isWithoutManager(client(service));
      return;
    }
    const read = (above: string) => copy.add(manager, resourceManager.api, above, true);
    await readUpwards(each, read, ({ body }) => textOf(body?.parent));
  });
  const [first] = wanted;
  if (inherited && first && managerOf(first)) {
    await mapBounded(copy.customRoles(), (role) => copy.add(first.client(iam), iam.api, role, false));
  }
  return copy.seed();
}

/** What was read, each resource once. */
class Copy {
  private readonly read = new Map<string, Promise<SeededResource>>();
  private readonly done: SeededResource[] = [];
  private readonly unread = new Set<string>();

  add(client: ApiClient, service: string, name: string, hasPolicy: boolean): Promise<SeededResource> {
    const key = `${client.baseUrl} ${name}`;
    const reading = this.read.get(key) ?? this.one(client, service, name, hasPolicy);
    this.read.set(key, reading);
    return reading;
  }

  /** The roles in the policies that a project or an organization defines. */
  customRoles(): string[] {
    const roles = this.done.flatMap(({ policy }) => (policy?.bindings ?? []).map(({ role = "" }) => role));
    return [...new Set(roles.filter(isCustomRole))];
  }

  isWithoutManager({ baseUrl }: ApiClient): void {
    this.unread.add(`What is above the resources of ${baseUrl} is not in the seed: ${NO_MANAGER}`);
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

  private async one(client: ApiClient, service: string, name: string, hasPolicy: boolean): Promise<SeededResource> {
    const body = await this.attempt(name, async (call) => {
      const doing = "read the resource";
      const answer = await client.request({ kind: "read", method: "GET", path: name, doing, resource: name }, call);
      const { name: _, ...rest } = answer;
      return rest;
    });
    const readsByPost = service === resourceManager.api;
    const target = { client, resource: name, kind: "a resource", readsByPost };
    const policy = hasPolicy
      ? await this.attempt(`The policy of ${name}`, (call) => readPolicy(target, 3, call))
      : undefined;
    // An empty policy is left out: the emulator makes it itself, with its own etag.
    const isSet = policy && [policy.bindings, policy.auditConfigs].some((each) => each && each.length > 0);
    const copied = { service, name, ...(isRecord(body) && { body }), ...(isSet && { policy }) };
    if (body ?? policy) this.done.push(copied);
    return copied;
  }

  private async attempt<T>(what: string, read: (call: Call) => Promise<T>): Promise<T | undefined> {
    const result = await attempted(read);
    if (!("failure" in result)) return result.value;
    this.unread.add(oneLine(`${what} is not in the seed: ${result.failure}`));
    return undefined;
  }
}
