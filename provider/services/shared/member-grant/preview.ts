import {
  ApiError,
  BadAnswerError,
  ConnectionError,
  CredentialsError,
  messageOf,
  NotFoundError,
  TimeoutError,
} from "../../../core/errors";
import type { Call } from "../../../http/call";
import { countRefusal, limitRefusal, previewedPolicy } from "../../../iam/limits";
import { lockOutRefusal, type PolicyAdmins } from "../../../iam/lockout";
import { accessChange, addGrants, grantKey, replaceGrants, type Grant, type Policy } from "../../../iam/policy";
import type { PolicyTarget } from "../../../iam/policy-api";
import { previewAccessChange, previewLossByReplacement, type AccessChange } from "../../../iam/preview-access-change";
import type { LifecycleContext } from "../resource";
import type { GrantPolicies } from "./policies";
import { grantOf, type GrantValues, type Inputs } from "./definition";

/** Finds out, with reads only, what creating a member grant would do. */
export class MemberGrantPreview {
  constructor(
    private readonly policies: GrantPolicies,
    private readonly context: LifecycleContext,
  ) {}

  /**
   * Reports who gains and who loses access.
   *
   * @param admins the administrators that the create must keep; undefined when the configuration allows all changes.
   * @throws RefusedError when the create would throw it; NotFoundError when nothing in the program can create the resource.
   */
  async preview(
    inputs: Inputs,
    secret: readonly string[],
    admins: PolicyAdmins | undefined,
    call: Call,
  ): Promise<void> {
    const target = this.policies.target(inputs.name);
    const grant = grantOf(inputs);
    let live: Policy;
    try {
      live = await this.policies.readRecent(inputs.name, call);
    } catch (error) {
      if (!isFailureToLook(error)) throw error;
      if (error instanceof NotFoundError) {
        if (call.hasOtherResources?.() === false) throw error.withHint(NOBODY_CREATES_IT);
        call.reporter.info(missingResource(inputs.name));
        return;
      }
      call.reporter.info(`It is unknown who gains and who loses access: ${messageOf(error)}`);
      return;
    }
    if (this.policies.replaces) {
      const planned = replaceGrants(live, grant);
      this.report(target, grant, accessChange(live, planned), secret, call);
      const refusal =
        limitRefusal(target.resource, live, planned) ??
        (admins && lockOutRefusal(target.resource, live, planned, admins));
      if (refusal) throw refusal;
    } else {
      const previewed = previewedPolicy(live);
      this.report(target, grant, { gained: previewed.has(grant) ? [] : [grant], lost: [] }, secret, call);
      this.refuseTooMany(target, grant, live);
    }
  }

  /** Reports who loses the grant that a replacement deletes, unless another resource wants it. */
  previewDelete(replaced: GrantValues, { identity, reporter }: Call): void {
    if (this.context.claims.others(this.policies.objectOf(replaced), identity).length > 0) return;
    previewLossByReplacement(replaced.name, "grant", [grantOf(replaced)], reporter);
  }

  /** @throws RefusedError when the grants of the program on this resource would exceed the limits of the policy. */
  private refuseTooMany({ client, resource }: PolicyTarget, grant: Grant, live: Policy): void {
    const declared = this.context.claims.declaredOn({ url: client.baseUrl, name: resource });
    const previewed = previewedPolicy(live);
    // A preview without a check has no declared grants.
    const { count, added } = previewed.with(declared.length > 0 ? declared : [{ part: grantKey(grant) }]);
    const refusal = countRefusal(resource, previewed.count, count, () => addGrants(live, added));
    if (refusal) throw refusal;
  }

  private report(
    { resource }: PolicyTarget,
    grant: Grant,
    change: AccessChange,
    secret: readonly string[],
    { reporter, stateIsUnknown = false }: Call,
  ): void {
    if (secret.some((input) => input !== "member")) {
      reporter.info("Who gains and who loses access is not shown, because it would reveal a secret of this grant");
      return;
    }
    // A secret member may replace another secret member, which the policy still has.
    const hidden = { members: [grant.member], others: stateIsUnknown };
    previewAccessChange(resource, change, reporter, secret.includes("member") ? hidden : undefined);
  }
}

const NOBODY_CREATES_IT = "No other resource of this program can create it: correct the input `name`";

/** For a front that does not see whether the program creates the resource (docs/grants.md, "A resource that does not exist"). */
function missingResource(name: string): string {
  return (
    `${name} does not exist (NOT_FOUND), so nobody has access to it. The update fails unless another resource of this program ` +
    "creates it first: if none does, correct the input `name`"
  );
}

/** Failed reads of the policy that must not make a preview fail. */
export function isFailureToLook(error: unknown): boolean {
  return (
    error instanceof ApiError ||
    error instanceof BadAnswerError ||
    error instanceof CredentialsError ||
    error instanceof ConnectionError ||
    error instanceof TimeoutError
  );
}
