import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import type { Values } from "../../provider/core/unknown";
import type { Policy } from "../../provider/iam/policy";
import { HiddenValues } from "../../access/plan/hidden-values";
import { NewResources } from "../../access/plan/new-resources";
import { readPlan, type Plan, type PlanStep } from "../../access/plan/plan";
import { stepsOf } from "../../access/plan/steps";
import type { PlannedState } from "../../access/plan/planned-state";
import { providerSettings } from "../../access/plan/provider-settings";
import { rehearse, type Rehearsed as StackRehearsed } from "../../access/rehearsal/rehearse";
import { answerSchema, summaryOf, type Found, type StackAnswer } from "../../access/result/result";
import { readStackState } from "../../access/plan/state";
import { changesAmong } from "./changes";
import { STORE_GRANT, urnOf } from "./tokens";

export const STORE = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";
export const JOB = "projects/demo-project/locations/us-central1/migrationJobs/orders-to-sql";
export const VIEWER = "roles/healthcare.fhirStoreViewer";
export const ADA = "user:ada@example.com";
export const GRACE = "user:grace@example.com";
export const EVE = "user:eve@example.com";

/** The policy of a store on which these members are viewers. */
export const holding = (...members: string[]) => ({ bindings: [{ role: VIEWER, members }] });
const PLANS = join(__dirname, "../fixtures/plans");

/** A plan that the real engine wrote, of a preview in another environment, which did not state its settings. */
export function realPlan(name: string, command?: "destroy"): Plan {
  return { ...readPlan(readFileSync(join(PLANS, `${name}.json`), "utf8"), command), previewed: [] };
}

export function realState(name: string): PlannedState[] {
  return readStackState(readFileSync(join(PLANS, `${name}.json`), "utf8")).resources;
}

/** A grant as a plan or a state has it. */
export function planned(
  name: string,
  values: Values,
  more: Partial<PlannedState & { type: string }> = {},
): PlannedState {
  const type = more.type ?? STORE_GRANT;
  const inputs = { name: STORE, role: VIEWER, ...values };
  return { urn: urnOf(name, type), type, id: `id of ${name}`, inputs, outputs: inputs, ...more };
}

function stepOf(op: string, { old, wanted }: { old?: PlannedState; wanted?: PlannedState }): PlanStep {
  const { urn, type } = wanted ?? old ?? planned("nobody", {});
  const provider = (wanted ?? old)?.provider;
  return {
    op,
    urn,
    type,
    ...(provider ? { provider } : {}),
    ...(old ? { old } : {}),
    ...(wanted ? { new: wanted } : {}),
  };
}

export const creates = (name: string, values: Values, more?: Partial<PlannedState>) =>
  stepOf("create", { wanted: planned(name, values, more) });
export const deletes = (name: string, values: Values, more?: Partial<PlannedState>) =>
  stepOf("delete", { old: planned(name, values, more) });
/** Without outputs: a step `same` that has them is one that `--target` left out. */
export const same = (name: string, values: Values, more?: Partial<PlannedState>) =>
  stepOf("same", { old: planned(name, values, more), wanted: planned(name, values, { outputs: {}, ...more }) });
export const updates = (old: PlannedState, wanted: PlannedState) => stepOf("update", { old, wanted });
/** The new one is created first. */
export const replaces = (name: string, old: Values, values: Values, more: Partial<PlannedState> = {}) =>
  stepOf("replace", { old: planned(name, old, { delete: true, ...more }), wanted: planned(name, values, more) });

export function planOf(steps: PlanStep[], { mode = "merge", ...more }: Partial<Plan> & { mode?: string } = {}): Plan {
  const config = { "perimeter:grantMode": mode, "perimeter:project": "demo-project" };
  return {
    operation: "update",
    config,
    steps,
    errors: [],
    announced: [],
    previewed: [],
    hasUnchanged: true,
    unchangedNotShown: 0,
    ...more,
  };
}

/** A rehearsal with the counts of a result. */
export type Rehearsed = Omit<StackAnswer, "verdict">;

/** An emulator with a FHIR store and a migration job, and rehearsals on it. */
export class RehearsalCloud {
  private constructor(readonly emulator: Emulator) {}

  static async start({ store = {}, job = {}, more = [] }: { store?: Policy; job?: Policy; more?: object[] } = {}) {
    const seed = [
      { service: "healthcare", name: STORE, body: { version: "R4" }, policy: store },
      { service: "datamigration", name: JOB, body: {}, policy: job },
      ...more,
    ];
    return new RehearsalCloud(await startEmulator({ seed }));
  }

  /** Fails where the rehearsal wrote anything, or its result is not of the documented shape. */
  async rehearse(plan: Plan, state?: PlannedState[], settings: Values = {}, timeout = 5_000): Promise<Rehearsed> {
    this.emulator.clearRequests();
    const { found: result, hidden } = await this.reviewed(plan, state, settings, timeout);
    const changes = changesAmong(this.emulator.requests());
    if (changes.length > 0) throw new Error(`The rehearsal sent ${changes.map(({ path }) => path).join(", ")}`);
    const { operation: _, ...found } = hidden.scrubbed({ ...result, summary: summaryOf(result) });
    return answerSchema.shape.stacks.element.omit({ verdict: true }).parse(found);
  }

  /** What the resources of a stack declare after a plan, and what its steps take out of policies. */
  async declared(plan: Plan, state?: PlannedState[]): Promise<Pick<StackRehearsed, "declared" | "takes">> {
    return this.reviewed(plan, state, {}, 5_000);
  }

  private async reviewed(plan: Plan, state: PlannedState[] | undefined, settings: Values, timeout: number) {
    const hidden = new HiddenValues(plan, state);
    const rehearsed = await rehearse({
      plan,
      steps: stepsOf(plan, state),
      created: new NewResources(stepsOf(plan)),
      state,
      hidden,
      settings: providerSettings(plan, { state, given: settings }),
      environment: { ...this.emulator.env },
      timeout,
      // What the policies above give is tested in access/live; here, tests count the reads of the policies themselves.
      inherited: false,
    });
    return { ...rehearsed, hidden };
  }

  /** The resources whose policies were read. */
  get read(): string[] {
    return this.emulator.requests().map(({ path }) => decodeURIComponent(path).replace(/^.*?(?=projects\/)/, ""));
  }

  stop(): Promise<void> {
    return this.emulator.stop();
  }
}

/** The changes of a resource as lines: `lost user:ada@example.com roles/viewer <- name of the step`. */
export function linesOf({ resources }: Pick<Found, "resources">, resource = STORE): string[] {
  return (resources.find((each) => each.resource === resource)?.changes ?? []).map((each) => {
    const { change, principal, role, condition, steps } = each;
    const by = steps.map((urn) => urn.split("::").at(-1)).join(", ");
    const before = change === "condition" ? `${each.conditionBefore?.title ?? "none"} -> ` : "";
    const under = condition || before ? ` if ${before}${condition?.title ?? "none"}` : "";
    return `${change} ${principal} ${role.replace("roles/healthcare.", "")}${under} <- ${by}`;
  });
}
