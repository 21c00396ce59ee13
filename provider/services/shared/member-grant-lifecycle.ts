import type { ResourceDefinition } from "../../core/definition";
import { changesOf } from "../../core/diff";
import { InputError, NotFoundError } from "../../core/errors";
import type { Current, Prior, ResourceLifecycle } from "../../core/lifecycle";
import { containsUnknown, isUnknown, UNKNOWN, type Values } from "../../core/unknown";
import type { Call } from "../../http/call";
import { rivalProblem } from "../../iam/claims";
import { grantId, grantsWithId, resourceOfGrantId } from "../../iam/grant-id";
import { addGrant, grantsOf, removeGrant, replaceGrants, sameGrant, type Grant, type Policy } from "../../iam/policy";
import { readPolicy, type PolicyTarget } from "../../iam/policy-api";
import type { Environment } from "./environment";
import type { GrantParent } from "./member-grant";
import type { Resource } from "./resource";

/** The resource that grants a member a role on one kind of parent: one implementation for all of them. */
export function memberGrantResource(definition: ResourceDefinition, parent: GrantParent): Resource {
  return { definition, connect: (environment) => new MemberGrantLifecycle(definition, parent, environment) };
}

class MemberGrantLifecycle implements ResourceLifecycle<Call> {
  constructor(
    private readonly definition: ResourceDefinition,
    private readonly parent: GrantParent,
    private readonly environment: Environment,
  ) {}

  check(inputs: Values) {
    if (containsUnknown(inputs)) return [];
    const resource = inputs.name as string;
    const grant = grantOf(inputs);
    const rival = this.replaces ? this.environment.claims.rival(resource, grant) : undefined;
    if (rival) return [rivalProblem(resource)];
    this.environment.claims.claim(resource, grant);
    return [];
  }

  diff(prior: Prior, inputs: Values) {
    const changes = changesOf(this.definition, prior.state, inputs);
    // The new grant is made before the old one goes: nobody is without access in between.
    if (changes.length > 0) return { action: "replace" as const, changes, deleteBeforeReplace: false };
    return { action: "none" as const };
  }

  plan(inputs: Values): Values {
    return {
      ...inputs,
      etag: UNKNOWN,
      project: isUnknown(inputs.name) ? UNKNOWN : this.projectOf(inputs.name as string),
    };
  }

  async create(inputs: Values, call: Call) {
    const resource = inputs.name as string;
    const grant = grantOf(inputs);
    const change = (policy: Policy) => (this.replaces ? replaceGrants(policy, grant) : addGrant(policy, grant));
    const policy = await this.environment.policies.change(this.target(resource), change, call);
    return { id: grantId(resource, grant), state: this.stateOf(inputs, policy) };
  }

  async read(id: string, prior: Omit<Prior, "id"> | undefined, call: Call): Promise<Current | undefined> {
    const known = prior && typeof prior.state.name === "string" ? prior.state : undefined;
    const resource = known ? (known.name as string) : resourceOfGrantId(this.parent.name, id);
    if (resource === undefined) throw this.badId(id);
    let policy: Policy;
    try {
      policy = await readPolicy(this.target(resource), 3, call);
    } catch (error) {
      if (error instanceof NotFoundError && known) return undefined;
      throw error;
    }
    const grant = known
      ? grantsOf(policy).find((each) => sameGrant(each, grantOf(known)))
      : this.theOne(id, grantsWithId(resource, policy, id));
    if (!grant) return undefined;
    const inputs = known ? inputsOf(resource, grantOf(known)) : inputsOf(resource, grant);
    return { id: grantId(resource, grantOf(inputs)), inputs, state: this.stateOf(inputs, policy) };
  }

  /** Everything that tells one grant from another replaces it; all that is left is to see that it is there. */
  async update(_prior: Prior, inputs: Values, call: Call): Promise<Values> {
    return (await this.create(inputs, call)).state;
  }

  async delete(prior: Prior, call: Call): Promise<void> {
    const resource = prior.state.name as string;
    const grant = grantOf(prior.state);
    // Another resource of the program, or this one's replacement, still wants it.
    if (this.environment.claims.isClaimed(resource, grant)) return;
    try {
      await this.environment.policies.change(this.target(resource), (policy) => removeGrant(policy, grant), call);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }

  private get replaces(): boolean {
    return (this.environment.configuration.grantMode ?? "replace") === "replace";
  }

  private target(resource: string): PolicyTarget {
    return { client: this.environment.client(this.parent.service), resource, kind: this.parent.kind };
  }

  private projectOf(resource: string): string {
    return this.parent.name.parse(resource)?.project ?? "";
  }

  private stateOf(inputs: Values, policy: Policy): Values {
    return { ...inputs, etag: policy.etag ?? "", project: this.projectOf(inputs.name as string) };
  }

  private theOne(id: string, grants: Grant[]): Grant | undefined {
    const [first, second] = grants;
    if (first && second && !sameGrant(first, second)) {
      throw new InputError(`Cannot import ${id}`, [
        {
          path: "id",
          reason:
            "names several conditional grants: give the condition in full, as /{title}/{description}/{expression}",
        },
      ]);
    }
    return first;
  }

  private badId(id: string): InputError {
    return new InputError(`Cannot import ${JSON.stringify(id)}`, [
      { path: "id", reason: `must look like ${this.definition.importIds.join(" or ")}` },
    ]);
  }
}

/** The grant in a resource's inputs or state. */
function grantOf(values: Values): Grant {
  const condition = values.condition as Grant["condition"];
  return {
    role: values.role as string,
    member: values.member as string,
    ...(condition ? { condition } : {}),
  };
}

function inputsOf(resource: string, grant: Grant): Values {
  return { name: resource, ...grant };
}
