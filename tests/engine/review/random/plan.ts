/** What a plan says of a step of the engine, read from its JSON without the product's code. */
import { grantText } from "../../../support/grant-texts";
import { OTHER_TYPES } from "../../../support/other-provider";

interface State {
  type?: string;
  id?: string;
  provider?: string;
  external?: boolean;
  retainOnDelete?: boolean;
  /** A URN. */
  deletedWith?: string;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
}

/** The inputs of a grant or a role binding. */
interface GrantInputs {
  role?: string;
  member?: string;
  members?: string[];
  condition?: { title: string; expression: string };
}

interface Step {
  op: string;
  urn: string;
  oldState?: State;
  newState?: State;
}

interface PlanJson {
  steps: Step[];
  diagnostics?: { urn?: string; message: string; severity: string }[];
}

/** Whether the resource with this URN is a grant, a role binding or a whole policy. */
export const isGrant = (urn: string) => /Iam(Member|Binding|Policy)::/.test(urn);

const isOfGcp = (urn: string) => urn.includes("::gcp:");
/** A grant whose provider says at preview with which settings it works. */
const isOwnGrant = (urn: string) => isGrant(urn) && !isOfGcp(urn);
const storeOf = (state: State | undefined) => state?.inputs?.name ?? state?.inputs?.fhirStoreId;

export class ShownPlan {
  private readonly json: PlanJson;

  constructor(readonly text: string) {
    // A preview that fails at once has no steps.
    this.json = { steps: [], ...(JSON.parse(text) as Partial<PlanJson>) };
  }

  /** The errors of a preview that failed. */
  get errors(): string[] {
    return (this.json.diagnostics ?? []).flatMap(({ severity, message }) => (severity === "error" ? message : []));
  }

  /** Relative names of the resources that another provider deletes or replaces. */
  get takenAway(): string[] {
    const goes = ({ op, urn }: Step) =>
      OTHER_TYPES.some((type) => urn.includes(type)) && ["delete", "replace", "delete-replaced"].includes(op);
    return this.json.steps
      .filter((step) => goes(step) && step.oldState?.retainOnDelete !== true)
      .flatMap(({ oldState }) => oldState?.id ?? []);
  }

  /** Whether the update replaces this resource, also one that the cloud keeps (`retainOnDelete`). */
  replaces(urn: string): boolean {
    return this.json.steps.some((each) => each.urn === urn && each.op.includes("replace"));
  }

  /** Whether several providers write the access policy of this store. */
  isContested(store: string): boolean {
    const writers = this.json.steps.filter(
      ({ op, urn, newState }) =>
        isGrant(urn) && ["create", "replace", "update"].includes(op) && storeOf(newState) === store,
    );
    // The steps of `@pulumi/gcp` do not know each other.
    return new Set(writers.map(({ urn, newState }) => (isOfGcp(urn) ? urn : newState?.provider))).size > 1;
  }

  /** Whether each provider whose grants change said at preview with which settings it works. */
  get isHeard(): boolean {
    const said = new Set((this.json.diagnostics ?? []).map(({ urn }) => urn));
    const changing = this.json.steps.filter(
      ({ op, urn }) => isOwnGrant(urn) && !["same", "read", "discard"].includes(op),
    );
    const heard = new Set(changing.flatMap(({ urn, newState }) => (said.has(urn) ? (newState?.provider ?? []) : [])));
    return changing
      .flatMap(({ oldState, newState }) => [oldState?.provider, newState?.provider])
      .every((each) => each === undefined || heard.has(each));
  }

  /**
   * Whether a provider that previewed grants stated no settings: it may have had nothing to state, or a busy engine did not take
   * its message in time.
   */
  get isSilent(): boolean {
    const stating = new Set(
      (this.json.diagnostics ?? []).flatMap(({ urn, message }) => (/^Settings /.test(message) ? (urn ?? []) : [])),
    );
    const made = this.json.steps.filter(
      ({ op, urn }) => isOwnGrant(urn) && ["create", "replace", "update"].includes(op),
    );
    const heard = new Set(made.flatMap(({ urn, newState }) => (stating.has(urn) ? (newState?.provider ?? []) : [])));
    return made.some(({ newState }) => newState?.provider !== undefined && !heard.has(newState.provider));
  }

  /** The same plan as the preview prints it without `--show-sames`: the step on the stack stays. */
  withoutSames(): string {
    const steps = this.json.steps.filter(({ op, urn }) => op !== "same" || urn.includes("::pulumi:pulumi:Stack::"));
    return JSON.stringify({ ...this.json, steps });
  }
}

/** The resources of a state, as `pulumi stack export` prints it. */
export class ShownState {
  private readonly resources: (State & { urn: string; delete?: boolean; pendingReplacement?: boolean })[];

  constructor(readonly text: string) {
    const { deployment } = JSON.parse(text) as { deployment: { resources?: ShownState["resources"] } };
    this.resources = deployment.resources ?? [];
  }

  get urns(): string[] {
    return this.resources.map(({ urn }) => urn);
  }

  /** Relative names of the resources whose grants the stack manages. */
  get stores(): string[] {
    return this.resources
      .filter(({ urn, external }) => isGrant(urn) && !external)
      .map(({ inputs, outputs }) => String(inputs?.fhirStoreId ?? inputs?.name ?? outputs?.name));
  }

  /** The URNs of the resources with which others are deleted. */
  get deletedWith(): string[] {
    return this.resources.flatMap(({ deletedWith }) => deletedWith ?? []);
  }

  /** The grants of a resource, as texts: also those that an earlier update left to delete. */
  grantsOf(urn: string): string[] {
    return this.resources
      .filter((each) => each.urn === urn)
      .flatMap(({ inputs }) => {
        const { role = "", member = "", members = [member], condition } = inputs as GrantInputs;
        return members.map((each) => grantText(role, each, condition));
      });
  }

  /** Relative names of the resources of another provider that an earlier update left to delete. */
  get leftToDelete(): string[] {
    const isLeft = (each: ShownState["resources"][number]) =>
      each.delete === true && OTHER_TYPES.some((type) => each.urn.includes(type));
    return this.resources.filter(isLeft).flatMap(({ id }) => id ?? []);
  }

  /** Whether an update that failed left something that only the state shows. */
  get isInterrupted(): boolean {
    return this.resources.some((each) => each.delete === true || each.pendingReplacement === true);
  }
}
