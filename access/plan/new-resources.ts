import { templateShape } from "../../provider/core/reference";
import type { ResourceKind } from "../meaning/gcp-types";
import { isServiceAccount } from "../meaning/resource-kinds";
import { hiddenReasonOf } from "./hidden-values";
import { grantKindOf } from "../meaning/grant-kinds";
import { namesIn } from "./planned-grant";
import type { PlanStep } from "./plan";
import { type GrantStep, ownershipOf, type Step } from "./steps";
import { RESOURCE_MANAGER } from "../../provider/core/services";

/** The inputs that say who gets what. */
const GRANTED: readonly string[] = ["role", "member", "members", "condition", "policyData", "bindings"];

/** The resources of Google Cloud that a plan creates, as far as their type tells the kind. Nobody has access to them before. */
export class NewResources {
  /** The kinds of created resources, by URN; undefined for other types. */
  private readonly created: ReadonlyMap<string, ResourceKind | undefined>;
  /** The same with the replacements, which may have another name. */
  private readonly made: ReadonlyMap<string, ResourceKind | undefined>;

  constructor(steps: readonly Step[]) {
    // With this input, a create may find the resource there already, with the grants on it.
    const isNew = ({ new: wanted }: PlanStep) => !wanted?.inputs.createIgnoreAlreadyExists;
    const kindsOf = (all: readonly Step[]) => new Map(all.map(({ urn, meaning }) => [urn, meaning.resource]));
    this.created = kindsOf(steps.filter((step) => step.op === "create" && isNew(step)));
    this.made = kindsOf(steps.filter(({ op }) => ["create", "replace", "create-replacement"].includes(op)));
  }

  /**
   * Whether a grant that a step creates is on one of them, or on what is in it. The engine tells which resources the name comes
   * from, and not which of their outputs. So the name must be that of the created kind up to its own variable. Where a program
   * writes the whole name as one text, only a grant that takes nothing from anybody counts.
   */
  have(grant: GrantStep): boolean {
    if (!grant.named && ownershipOf(grant) !== "nothing") return false;
    const { op, new: wanted } = grant;
    if (op !== "create" || !wanted) return false;
    return namesIn(grant).some((input) => {
      const urns = wanted.inputsFrom?.[input] ?? [];
      const isAllNew = urns.every((urn) => this.created.has(urn));
      return isAllNew && urns.some((urn) => mayBeIn(this.created.get(urn), grant, input));
    });
  }

  /**
   * Whether each member of a grant that the plan hides is a service account that the plan creates: its email is known after the update.
   * Then no identity gains access that existed before the update.
   */
  are({ new: wanted }: PlanStep): boolean {
    const { inputs = {}, inputsFrom = {} } = wanted ?? {};
    const isAccount = (urn: string) => isServiceAccount(this.created.get(urn));
    const reasons = Object.entries(inputs).flatMap(([name, value]) => {
      const reason = GRANTED.includes(name) ? hiddenReasonOf(value) : undefined;
      return reason === undefined ? [] : [{ name, reason, from: inputsFrom[name] ?? [] }];
    });
    return reasons.every(({ name, reason, from }) => {
      const isMember = name.startsWith("member") && reason === "known after the update";
      return isMember && from.length > 0 && from.every(isAccount);
    });
  }

  /**
   * Whether a grant that a step makes may be on one of them or on a replacement, so that its resource need not exist yet: its name
   * comes from there, or a program that writes the name itself makes the grant depend on it (`dependsOn`).
   */
  mayHave(grant: GrantStep): boolean {
    const { op, new: wanted } = grant;
    if (!wanted || !["create", "replace", "create-replacement"].includes(op)) return false;
    const own = namesIn(grant).at(-1) ?? "";
    const urns = [...(wanted.dependencies ?? []), ...namesIn(grant).flatMap((name) => wanted.inputsFrom?.[name] ?? [])];
    return urns.some((urn) => mayBeIn(this.made.get(urn), grant, own));
  }
}

/** Whether what an input of a grant names can be a resource of a kind, or in one. */
function mayBeIn(kind: ResourceKind | undefined, grant: GrantStep, input: string): boolean {
  const within = kindNamedBy(grant, input);
  if (!kind || !within) return kind !== undefined;
  const isOfApi = kind.api === within.api || kind.api === RESOURCE_MANAGER.api;
  return isOfApi && `${templateShape(within.template)}/`.startsWith(`${templateShape(kind.template)}/`);
}

/** What an input names: the resource of the grant, or a resource that it is in. Undefined if it can name each kind. */
function kindNamedBy({ named, kind, token }: GrantStep, input: string): ResourceKind | undefined {
  if (named) {
    const { api, template } = named;
    const [upTo = ""] = new RegExp(`^.*?\\{\\+?${input}\\}`).exec(template) ?? [];
    return { api, template: upTo };
  }
  if (kind) return { api: kind.api, template: kind.path.template };
  const { template, definition } = grantKindOf(token);
  return template && { api: definition.service.api, template: template.template };
}
