import { ApiError, BugError, InputError, messageOf, PerimeterError, RefusedError } from "../../provider/core/errors";
import { accessChange } from "../../provider/iam/policy";
import type { Prior } from "../../provider/core/lifecycle";
import { filterProperties, textOf } from "../../provider/core/unknown";
import { silentReporter } from "../../provider/http/call";
import { identityIn, isNotReady, isRenamed, ownProperties } from "../../provider/runtime/kept-properties";
import type { CallOptions, Provider } from "../../provider/runtime/provider";
import { groupedBy } from "../result/order";
import type { Refusal, Uncertainty } from "../result/result";
import { asClause } from "../result/visible";
import { isStale } from "../plan/other-policy";
import type { DeletedResources } from "./deleted-resources";
import { actOfOther, noteConditionalDelete, otherProviderOf } from "./other-steps";
import type { AccessPolicies } from "../live/access-policies";
import type { AccessPolicy, GrantChanges } from "../live/access-policy";
import type { PreviewSettings } from "./preview-settings";
import type { RehearsedProviders } from "./rehearsed-providers";
import type { PlannedGrant } from "../plan/planned-grant";
import { nameOf, WRITES, type Task, type Tasks } from "./tasks";
import { noteAssumed, noteDeletedAgain, noteHidden, noteMayStay, noteMissing } from "./uncertainties";

/** Milliseconds; longer than all waits of one call on the clock of the rehearsal, which take no time. */
const TIMEOUT = 24 * 60 * 60_000;

/** Carries out an update on policies in memory, with the real provider. */
export class Rehearsal {
  readonly refused: Refusal[] = [];
  /** Unknown facts that belong to no policy, by their steps. */
  private readonly uncertainties = new Map<string, Uncertainty>();
  /** The warnings of the provider, and what other providers do beside changing grants. */
  readonly notes = new Set<string>();
  /** Failed tasks. The later steps of the same resource do not happen. */
  private readonly failed = new Set<Task>();

  constructor(
    private readonly policies: AccessPolicies,
    private readonly providers: RehearsedProviders,
    private readonly previewed: PreviewSettings,
    private readonly deleted: DeletedResources,
    /** Of the plan. */
    private readonly mayBeDestroy = false,
  ) {}

  /**
   * The policies must have been read. Each task sees the effects of the tasks before it, as with `--parallel 1`.
   *
   * @param checks whether the engine calls the provider's checks.
   * @param isPart whether the tasks are those of one policy: then other policies stay as they are.
   */
  async run(tasks: Tasks, { checks, isPart = false }: { checks: boolean; isPart?: boolean }): Promise<void> {
    const { inOrder, last } = tasks;
    const isEmptied = !isPart || inOrder.some((task) => this.deleted.concern(task));
    if (isEmptied) this.deleted.empty("replaces", tasks, this.policies, this.previewed);
    for (const task of inOrder) await this.begin(task, checks);
    const due = last.filter((task) => !this.failed.has(task));
    const all = groupedBy(due, ({ old }) => old && this.policies.of(old));
    for (const [policy, tasks] of all)
      if (policy && tasks.length > 1) tasks.forEach((task) => noteConditionalDelete(policy, task));
    const etags = due.map(({ old }) => old && this.policies.of(old)?.after?.etag);
    for (const [index, task] of due.entries()) await this.remove(task, etags[index]);
    if (isEmptied) this.deleted.empty("deletes", tasks, this.policies, this.previewed);
  }

  /** Unknown facts that belong to no policy. */
  get unknown(): Uncertainty[] {
    return [...this.uncertainties.values()];
  }

  /** A step, up to the delete of a replaced resource. In a destroy, engines call no checks. */
  private async begin(task: Task, checks: boolean): Promise<void> {
    const { op, step, old, wanted, removal } = task;
    const { urn } = step;
    if (op === "other") {
      const message = `This review does not support the step ${step.op}`;
      this.uncertainties.set(urn, { code: "unsupported", message, step: urn });
      return;
    }
    const [before, after] = [old && this.policyOf(task, old), wanted && this.policyOf(task, wanted)];
    if (old && before) this.noteOld(task, old, before);
    if (wanted && after) this.noteWanted(task, wanted, after);
    if (op === "delete" || op === "left out" || !wanted) return;
    const isOwn = step.form === undefined;
    const isKnown = this.policies.clouds.of(wanted.step).settings.isKnown;
    if (after && isOwn && isKnown) {
      if (op === "same" && !checks) return;
      if (!(await this.makeOwn(task, wanted, after))) this.failed.add(task);
      // The engine does not delete a resource that it could not replace.
      if (this.failed.has(task)) before?.declares(old?.grants ?? []);
      return;
    }
    // It is known what goes, even if the new place or its cloud is not.
    if (removal === "first") await this.remove(task);
    if (!after || !WRITES.includes(op) || this.failed.has(task)) return;
    if (isOwn) after.wrote(urn, { gained: wanted.grants });
    else this.other(task, wanted, after);
  }

  /** Notes what the plan says about the grants that a step has before it. */
  private noteOld(task: Task, old: PlannedGrant, policy: AccessPolicy): void {
    const { op, removal } = task;
    policy.has(old);
    if (op === "delete" && removal === "never") return;
    if (!isUntouched(task) && removal !== "never") this.previewed.noteDoubts(policy, old);
    noteHidden(policy, old, task, "old");
    if (task.mayStay) noteMayStay(policy, task);
  }

  /** Notes what the plan says about the grants that a step has after it. */
  private noteWanted(task: Task, wanted: PlannedGrant, policy: AccessPolicy): void {
    policy.declares(wanted.grants);
    if (task.isAssumed) for (const grant of wanted.grants) policy.about(grant).assumers.add(task.step.urn);
    if (!isUntouched(task)) this.previewed.noteDoubts(policy, wanted);
    noteHidden(policy, wanted, task, "wanted");
    if (task.mayGoAgain) noteDeletedAgain(policy, task);
  }

  /** A step on a resource of the provider itself, by its own code. @returns false when it failed, which is noted */
  private makeOwn(task: Task, wanted: PlannedGrant, policy: AccessPolicy): Promise<boolean> {
    const { op, old, removal } = task;
    const { token, identity } = task.step;
    const provider = this.providers.of(wanted.step);
    const options = this.options(task);
    // The engine compares an import with the resource that it read.
    const before = op === "import" ? wanted : old;
    return this.attempt(task, policy, async () => {
      const { inputs, problems } = await provider.check(token, wanted.values, { identity });
      if (problems.length > 0) throw new InputError(`The inputs of ${nameOf(task)} are wrong`, problems);
      const prior = before && this.prior(task, provider, before);
      const diff = prior && provider.compare(token, prior, inputs, { identity }).diff;
      const isUpdate = diff?.action === "update" || (op === "update" && !isNewNameOnly(old, wanted));
      if (removal === "first") await this.remove(task);
      const isCreate = op === "create" || op === "replace";
      if (this.failed.has(task) || !(isCreate || isUpdate)) return;
      await this.write(task, policy, { gained: wanted.grants }, async () => {
        if (isCreate) await provider.create(token, inputs, options);
        else if (prior) await provider.update(token, prior, inputs, options);
      });
    });
  }

  /**
   * Removes the grant of the state.
   *
   * @param etagBefore that of the policy before the deletes at the end, of which this is one.
   */
  private async remove(task: Task, etagBefore?: string): Promise<void> {
    const { old } = task;
    const policy = old && this.policyOf(task, old);
    if (!old || !policy) return;
    noteMissing(policy, old, task);
    const isOwn = task.step.form === undefined;
    const done = isOwn ? await this.removeOwn(task, old, policy) : this.other(task, undefined, policy, etagBefore);
    if (done) return;
    this.failed.add(task);
    // The state keeps it.
    policy.declares(old.grants);
  }

  private removeOwn(task: Task, old: PlannedGrant, policy: AccessPolicy): Promise<boolean> {
    const { step } = task;
    const provider = this.providers.of(old.step);
    return this.attempt(task, policy, async () => {
      for (const grant of old.grants) noteAssumed(policy, grant, task, this.mayBeDestroy);
      await this.write(task, policy, { lost: old.grants }, async () => {
        // The state hides what identifies the grant in the policy.
        if (old.hidden.size > 0) return;
        // With an alias, the delete of a replaced resource has the name that the state has.
        const identity = step.front === "plugin" ? { identity: old.state.urn } : identityIn(old.state.outputs);
        await provider.delete(step.token, this.prior(task, provider, old), { ...this.options(task), ...identity });
      });
    });
  }

  /**
   * Notes what a step writes into the policy. On an unreadable policy, the step does not run.
   *
   * @param planned the changes that the plan shows.
   */
  private async write(
    { step }: Task,
    policy: AccessPolicy,
    planned: GrantChanges,
    run: () => Promise<void>,
  ): Promise<void> {
    const { urn } = step;
    const { after: before } = policy;
    if (!before) {
      policy.wrote(urn, planned);
      return;
    }
    try {
      await run();
    } finally {
      policy.wrote(urn, accessChange(before, policy.after ?? before));
    }
  }

  /** @returns false when the API refuses the step. This is noted. */
  private other(task: Task, wanted: PlannedGrant | undefined, policy: AccessPolicy, etagBefore?: string): boolean {
    const provider = otherProviderOf(task.step);
    if (!provider) throw new BugError(`${task.step.urn} is a grant of this provider`);
    const { other } = task.old ?? {};
    return actOfOther(task, provider, wanted, policy, {
      note: (note) => void this.notes.add(note),
      refuse: (reason) => this.refuse(task, policy, reason),
      mayBeFirst: other?.kind === "policy" && etagBefore !== undefined && !isStale({ etag: etagBefore }, other),
    });
  }

  private refuse({ step }: Task, { resource }: AccessPolicy, message: string): void {
    const reason = `${asClause(message)}. The update would fail at this step`;
    this.refused.push({ step: step.urn, resource, reason });
  }

  /** @returns false when the provider refused, or something else failed. Both are noted. */
  private async attempt(task: Task, policy: AccessPolicy, act: () => Promise<void>): Promise<boolean> {
    const { urn } = task.step;
    try {
      await act();
      return true;
    } catch (error) {
      if (!(error instanceof PerimeterError)) throw error;
      const message = messageOf(error);
      if (error instanceof RefusedError || error instanceof InputError) {
        this.refuse(task, policy, message);
      } else {
        const isUnimplemented = error instanceof ApiError && error.status === "UNIMPLEMENTED";
        const code = error.code === "BUG" || isUnimplemented ? "unsupported" : "unreadable policy";
        policy.noteUnknown({ code, message, step: urn });
      }
      return false;
    }
  }

  /** The policy of a grant. If the plan does not name it, this is noted and the result is undefined. */
  private policyOf(task: Task, planned: PlannedGrant): AccessPolicy | undefined {
    const policy = this.policies.of(planned);
    if (policy) return policy;
    if (isUntouched(task) || (task.op === "import" && planned === task.wanted)) return undefined;
    const { urn } = task.step;
    const { code, why } = UNNAMED[planned.nameHidden ?? "not there"];
    const message = `It is unknown which resource ${nameOf(task)} is on: ${why}`;
    this.uncertainties.set(urn, { code, message, step: urn });
    return undefined;
  }

  private prior({ step }: Task, provider: Provider, { state, values }: PlannedGrant): Prior {
    const { etag, project } = state.outputs;
    const more = { ...(textOf(etag) ? { etag } : {}), ...(textOf(project) ? { project } : {}) };
    // Only the provider's lifecycles read these, such as which members of a binding others added.
    const internal = filterProperties(ownProperties(state.outputs), (name) => name.startsWith("__"));
    const remembered = { ...internal, ...values, ...more };
    const id = state.id?.startsWith("hidden-") ? provider.idOf(step.token, remembered) : state.id;
    return { id: id ?? "", state: remembered };
  }

  private options({ step: { identity } }: Task): CallOptions {
    const warning = (message: string) => void this.notes.add(message);
    return { timeout: TIMEOUT, identity, reporter: { ...silentReporter, warning } };
  }
}

function isUntouched({ op }: Task): boolean {
  return op === "same" || op === "left out";
}

/** The reason why a step names no resource. */
const UNNAMED = {
  secret: { code: "secret", why: "its name is secret" },
  "known after the update": { code: "not known yet", why: "its name is known after the update" },
  "not there": { code: "incomplete state", why: "neither the plan nor the state names it" },
} as const;

/** Whether an update of the npm front only writes the resource's new name into the state. */
function isNewNameOnly(old: PlannedGrant | undefined, wanted: PlannedGrant): boolean {
  return old !== undefined && isRenamed(old.state.outputs, wanted.state.inputs) && !isNotReady(old.state.outputs);
}
