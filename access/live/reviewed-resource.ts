import { kindOfMember } from "../../provider/iam/member";
import { grantsOf, type Grant, type Policy } from "../../provider/iam/policy";
import { NOTHING_ABOVE, type AccessAbove, type PoliciesAbove } from "./policies-above";
import type { Place } from "./place";
import type { AccessChanged, ReviewedGrant, ReviewedResource } from "../result/result";
import { mapTexts } from "../result/texts";
import type { HiddenValues } from "../plan/hidden-values";
import { changeOf, leftAbove, type GrantChange } from "../changes/differences";
import { reviewedGrant } from "../result/grants";
import type { AccessPolicy } from "./access-policy";

/**
 * Who has access to resources, now and after the plan.
 *
 * @param above reads the policies above the resources, too.
 */
export async function reviewedResources(
  policies: readonly AccessPolicy[],
  hidden: HiddenValues,
  above: PoliciesAbove | undefined,
): Promise<ReviewedResource[]> {
  const inherited = await above?.of(policies);
  return policies.map((policy, index) => reviewedResource(policy, hidden, inherited?.[index] ?? NOTHING_ABOVE));
}

/** A resource as answers name it. */
export function shownPlace({ cloud, kind: { kind, service }, resource }: Place, hidden: HiddenValues) {
  const endpoint = cloud.settings.isKnown ? cloud.endpointOf(service) : undefined;
  return { resource: hidden.shownName(resource), kind, api: service.api, ...(endpoint !== undefined && { endpoint }) };
}

function reviewedResource(policy: AccessPolicy, hidden: HiddenValues, above: AccessAbove): ReviewedResource {
  const { grants, unread, project } = above;
  const { place, grantModes, before, after, outcome } = policy;
  const named = shownPlace(place, hidden);
  const { variable } = named.endpoint === undefined ? {} : place.cloud.grantSettings(place.kind.service).endpoint;
  const shown = new ShownPolicy(policy, hidden);
  const left = leftAbove(outcome.noAccessLeft, above);
  return {
    ...named,
    ...(variable === undefined ? {} : { endpointVariable: variable }),
    ...(project && { project }),
    ...(grantModes.length === 0 ? {} : { grantModes }),
    changes: outcome.changes.map((each) => shown.change(each)),
    unchanged: outcome.unchanged,
    noAccessLeft: shown.members(before, left.none),
    ...(left.unknown.length > 0 && { accessLeftUnknown: shown.members(before, left.unknown) }),
    // The stack may have grants with secret members on a resource above, too.
    ...(grants.length > 0 && {
      inherited: grants.map(({ of, from, ...grant }) => ({ ...new ShownPolicy(of, hidden).grant(grant), from })),
    }),
    ...(unread.length > 0 && { unreadAbove: unread }),
    unmanaged: after ? shown.unmanaged(after) : [],
    before: before ? shown.bindings(before) : null,
    after: after ? shown.bindings(after) : null,
    unknown: policy.unknown,
  };
}

/** Converts the grants of a policy for a result. */
class ShownPolicy {
  constructor(
    private readonly policy: AccessPolicy,
    private readonly hidden: HiddenValues,
  ) {}

  change(changed: GrantChange): AccessChanged {
    const { change, grant, before } = changed;
    const steps = new Set([
      ...(change === "lost" ? [] : this.policy.about(grant).adders),
      ...(before ? this.policy.about(before).removers : []),
    ]);
    return {
      ...changeOf(changed, (each) => this.grant(each), [...steps]),
      ...(before && { wasManaged: this.policy.about(before).isHeld }),
    };
  }

  unmanaged(after: Policy): ReviewedGrant[] {
    return grantsOf(after)
      .filter((grant) => !this.policy.about(grant).isDeclared)
      .map((grant) => this.grant(grant));
  }

  bindings({ bindings = [] }: Policy): NonNullable<ReviewedResource["before"]> {
    return bindings.map((binding) => {
      const { role = "", condition } = binding;
      const { principal: _, ...shown } = this.shown(reviewedGrant({ member: "", role, condition }));
      return { ...shown, members: grantsOf({ bindings: [binding] }).map((grant) => this.member(grant)) };
    });
  }

  /** @param policy of the grants. A member is masked if any of its grants is. */
  members(policy: Policy | undefined, members: readonly string[]): string[] {
    if (members.length === 0) return [];
    const wanted = new Set(members);
    const shown = new Map(members.map((each) => [each, this.hidden.shown(each)]));
    for (const grant of grantsOf(policy ?? {})) {
      if (wanted.has(grant.member) && this.policy.mayBeSecret(grant)) shown.set(grant.member, this.member(grant));
    }
    return members.map((each) => shown.get(each) ?? each);
  }

  grant(grant: Grant): ReviewedGrant {
    const plain = reviewedGrant(grant);
    const { principal, role, condition } = plain;
    const texts = [principal, role, ...(condition ? [condition.title, condition.expression] : [])];
    const reason = this.policy.mayBeSecret(grant)
      ? "secret"
      : texts.map((each) => this.hidden.reasonOf(each)).find(Boolean);
    return { ...this.shown(plain), principal: this.member(grant), ...(reason && { hidden: reason }) };
  }

  private member(grant: Grant): string {
    return this.policy.mayBeSecret(grant) ? kindOfMember(grant.member) : this.hidden.shown(grant.member);
  }

  private shown<T>(value: T): T {
    return mapTexts(value, (text) => this.hidden.shown(text));
  }
}
