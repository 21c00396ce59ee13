import { InputError, NotFoundError } from "../../../core/errors";
import type { CurrentOf } from "../../../core/lifecycle";
import type { Call } from "../../../http/call";
import { grantId, grantsWithId, resourceOfGrantId } from "../../../iam/grant-id";
import { isDeletedFormOf } from "../../../iam/member";
import { currentFormOf, sameGrant, type Grant, type Policy } from "../../../iam/policy";
import type { LifecycleContext } from "../resource";
import { badId, readIncomplete, type CompleteGrant, type KnownGrant } from "./incomplete";
import type { GrantPolicies } from "./policies";
import { grantOf, type Definition, type Inputs } from "./definition";

type Current = CurrentOf<Definition>;

/** Refreshes and imports of member grants. */
export class MemberGrantReader {
  constructor(
    private readonly definition: Definition,
    private readonly policies: GrantPolicies,
    private readonly context: LifecycleContext,
  ) {}

  /**
   * Reads a grant of the engine's state. Returns undefined when the policy no longer has it, or the resource does not exist.
   */
  read(prior: KnownGrant, call: Call): Promise<Current | undefined> {
    if (prior.kind === "complete") return this.refresh(prior, call);
    return readIncomplete(prior, this.policies, this.context, call, (id) => this.import(id, call));
  }

  /**
   * Reads a grant by an id from the user.
   *
   * @throws InputError when the id is invalid, or matches several grants.
   */
  async import(id: string, call: Call): Promise<Current | undefined> {
    const resource = resourceOfGrantId(this.policies.parent.name, id);
    if (resource === undefined) throw badId(id, this.definition.importIds);
    const policy = await this.policies.readRecent(resource, call).catch((error: unknown) => {
      this.context.stackGrants.missed();
      throw error;
    });
    const grant = onlyOne(id, grantsWithId(resource, policy, id));
    return grant && this.currentOf(resource, grant, policy);
  }

  private async refresh({ state: known }: CompleteGrant, call: Call): Promise<Current | undefined> {
    const { stackGrants, configuration } = this.context;
    const resource = known.name;
    let policy: Policy;
    try {
      policy = await this.policies.readRecent(resource, call);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      stackGrants.missed();
      throw error;
    }
    const grant = currentFormOf(policy, grantOf(known));
    if (configuration.reportUnmanaged)
      stackGrants.note(this.policies.resourceOf({ name: resource }), policy, grant, call);
    if (!grant) return undefined;
    if (isDeletedFormOf(grant.member, known.member)) reportDeletedIdentity(resource, call);
    // Letter case does not change the grant, so the program's spelling stays.
    return this.currentOf(resource, sameGrant(grant, grantOf(known)) ? grantOf(known) : grant, policy);
  }

  private currentOf(resource: string, grant: Grant, policy: Policy): Current {
    const inputs: Inputs = { name: resource, ...grant };
    return { id: grantId(resource, grant), inputs, state: this.policies.stateOf(inputs, policy) };
  }
}

function onlyOne(id: string, [first, second]: Grant[]): Grant | undefined {
  if (first && second && !sameGrant(first, second)) {
    throw new InputError(`Cannot import ${id}`, [
      {
        path: "id",
        reason: "names several conditional grants: give the condition in full, as /{title}/{description}/{expression}",
      },
    ]);
  }
  return first;
}

/**
 * Warns that a grant's identity was deleted. The state gets the member in its deleted form, so that the refresh shows the
 * deletion, and a delete removes this form from the policy. If the state dropped the grant, it would stay in the policy.
 */
function reportDeletedIdentity(resource: string, call: Call): void {
  call.reporter.warning(
    `The identity of this grant on ${resource} was deleted. The policy keeps its member in the deleted form, which ` +
      "gives no access. Recover the identity and refresh again. Or give the grant to another member, or remove it from " +
      "the program: then the next pulumi up removes the deleted form",
  );
}
