import { kindOfMember } from "../../provider/iam/member";
import { grantsOf, type Binding, type Expr, type Grant, type Policy } from "../../provider/iam/policy";
import type { AccessAbove } from "./policies-above";
import type { AccessChanged, ReviewedGrant, ReviewedResource } from "../result/result";
import type { HiddenValues } from "../plan/hidden-values";
import { changeOf, leftAbove, policyOutcome, type GrantChange, type PolicyOutcome } from "../changes/outcome";
import { reviewedGrant } from "../result/grants";
import type { PolicyRecord } from "./policy-record";

/** The part of a result about one resource. */
export function reviewedResource(
  { record, outcome }: { record: PolicyRecord; outcome: PolicyOutcome },
  hidden: HiddenValues,
  above?: AccessAbove,
): ReviewedResource {
  const { place, endpoint, endpointVariable, policy } = record.options;
  const { kind, service } = place.kind;
  const { grantModes } = record;
  const shown = new ShownRecord(record, hidden);
  const left = leftAbove(outcome.noAccessLeft, above ?? { grants: [], unread: [] });
  return {
    resource: hidden.shownName(record.resource),
    kind,
    api: service.api,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(endpointVariable === undefined ? {} : { endpointVariable }),
    ...(above?.project && { project: above.project }),
    ...(grantModes.length === 0 ? {} : { grantModes }),
    changes: outcome.changes.map((each) => shown.change(each)),
    unchanged: outcome.unchanged,
    noAccessLeft: shown.members(policy?.live, left.none),
    ...(left.unknown.length > 0 && { accessLeftUnknown: shown.members(policy?.live, left.unknown) }),
    ...(above && inheritedIn(above, (grant) => shown.inherited(grant))),
    unmanaged: policy ? shown.unmanaged(policy.current) : [],
    before: policy ? shown.bindings(policy.live) : null,
    after: policy ? shown.bindings(policy.current) : null,
    unknown: record.unknown,
  };
}

/** The access from above, for a result. */
function inheritedIn(
  { grants, unread }: AccessAbove,
  shown: (grant: Grant) => ReviewedGrant,
): Pick<ReviewedResource, "inherited" | "unreadAbove"> {
  return {
    ...(grants.length > 0 && { inherited: grants.map((grant) => ({ ...shown(grant), from: grant.from })) }),
    ...(unread.length > 0 && { unreadAbove: unread }),
  };
}

/** What the plan does to the policy of a record. */
export function outcomeOf(record: PolicyRecord): PolicyOutcome {
  const { policy } = record.options;
  return policy ? policyOutcome(policy.live, policy.current) : plannedOutcome(record);
}

/** For an unreadable policy: the planned changes of the steps. */
function plannedOutcome(record: PolicyRecord): PolicyOutcome {
  const { gained, lost } = record.written;
  const changes = [
    ...lost.map((grant): GrantChange => ({ change: "lost", grant })),
    ...gained.map((grant): GrantChange => ({ change: "gained", grant })),
  ];
  return { changes, unchanged: 0, noAccessLeft: [] };
}

/** Converts the grants of a record for a result. */
class ShownRecord {
  constructor(
    private readonly record: PolicyRecord,
    private readonly hidden: HiddenValues,
  ) {}

  change(changed: GrantChange): AccessChanged {
    const { record } = this;
    const after = changed.change === "lost" ? undefined : changed.grant;
    const before =
      changed.change === "condition" ? changed.before : changed.change === "lost" ? changed.grant : undefined;
    const steps = new Set([...(after ? record.addersOf(after) : []), ...(before ? record.removersOf(before) : [])]);
    return {
      ...changeOf(changed, (grant) => this.grant(grant), [...steps]),
      ...(before ? { wasManaged: record.wasManaged(before) } : {}),
    };
  }

  unmanaged(after: Policy): ReviewedGrant[] {
    return grantsOf(after)
      .filter((grant) => !this.record.isDeclared(grant))
      .map((grant) => this.grant(grant));
  }

  bindings({ bindings = [] }: Policy): NonNullable<ReviewedResource["before"]> {
    return bindings.map((binding) => {
      const { role = "", condition } = binding;
      return {
        role: this.hidden.shown(role),
        members: grantsOf({ bindings: [binding] }).map((grant) => this.member(grant)),
        ...(condition ? { condition: this.condition(condition) } : {}),
      };
    });
  }

  /** @param policy of the grants. A member is masked if any of its grants is. */
  members(policy: Policy | undefined, members: readonly string[]): string[] {
    if (members.length === 0) return [];
    const wanted = new Set(members);
    const shown = new Map(members.map((each) => [each, this.hidden.shown(each)]));
    for (const grant of grantsOf(policy ?? {})) {
      if (wanted.has(grant.member) && this.record.mayBeSecret(grant)) shown.set(grant.member, this.member(grant));
    }
    return members.map((each) => shown.get(each) ?? each);
  }

  /** A grant of another policy, where no grant of the stack is secret. */
  inherited(grant: Grant): ReviewedGrant {
    const { principal, role, condition } = reviewedGrant(grant);
    return {
      principal: this.hidden.shown(principal),
      role: this.hidden.shown(role),
      ...(condition ? { condition: this.condition(condition) } : {}),
    };
  }

  private grant(grant: Grant): ReviewedGrant {
    const { role, member, condition } = grant;
    const texts = [member, role, ...(condition ? [condition.title, condition.expression] : [])];
    const reason = this.record.mayBeSecret(grant)
      ? "secret"
      : texts.map((each) => this.hidden.reasonOf(each)).find(Boolean);
    return {
      ...this.inherited(grant),
      principal: this.member(grant),
      ...(reason === undefined ? {} : { hidden: reason }),
    };
  }

  private member(grant: Grant): string {
    return this.record.mayBeSecret(grant) ? kindOfMember(grant.member) : this.hidden.shown(grant.member);
  }

  private condition({ title = "", description, expression = "" }: Expr): NonNullable<Binding["condition"]> & {
    title: string;
    expression: string;
  } {
    return {
      title: this.hidden.shown(title),
      ...(description ? { description: this.hidden.shown(description) } : {}),
      expression: this.hidden.shown(expression),
    };
  }
}
