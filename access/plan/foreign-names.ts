import { nameInId } from "../../provider/core/reference";
import { textOf, type Values } from "../../provider/core/unknown";
import { withArticle } from "../result/visible";
import type { PlanStep } from "./plan";
import { namingInputs, type GcpResourceName } from "./gcp-types";
import { hiddenReasonOf, shownText } from "./hidden-values";
import { withoutGrantForm } from "./foreign-kinds";
import { grantKindOf, kindNamed } from "./grant-kinds";
import type { GrantStep } from "./grant-steps";
import { namesIn } from "./planned-grant";
import type { PlannedState } from "./planned-state";

/** The name and the kind of the resource that a step of another provider changes. */
export interface ForeignName {
  /** A relative name, such as `projects/p/topics/t`. It is a guess if only the inputs name the resource. */
  resource: string;
  /** With its article: "a topic". */
  kind: string;
}

/** Inputs of grants that do not name the resource. */
const NOT_NAMES: readonly string[] = (
  "role member members condition policyData bindings etag entity roleEntities deletionPolicy userByEmail groupByEmail domain " +
  "specialGroup iamMember predefinedAcl defaultAcl service"
).split(" ");
/** Inputs that name what a resource is in, in the order of names. */
const CONTAINERS: ReadonlyMap<string, string> = new Map([
  ["project", "projects"],
  ["folder", "folders"],
  ["orgId", "organizations"],
  ["organization", "organizations"],
  ["location", "locations"],
  ["region", "regions"],
  ["zone", "zones"],
]);

/**
 * @param grant that the step is on
 * @param project of the stack's configuration, for a grant that names none
 */
export function foreignNameOf(step: PlanStep, grant: GrantStep | undefined, project: string | undefined): ForeignName {
  const { old, new: next, type } = step;
  const noun = nounOf(type);
  const ofType = withArticle(noun);
  const inputs = next?.inputs ?? old?.inputs ?? {};
  const named = grant?.named;
  if (grant && !named) {
    const [input = ""] = namesIn(grant);
    const kind = grant.form === undefined ? kindNamed(grantKindOf(grant.token)) : ofType;
    return { resource: `[${hiddenReasonOf(inputs[input]) ?? textOf(inputs[input])}]`, kind };
  }
  if (named && namingInputs(named).some((name) => hiddenReasonOf(inputs[name]) !== undefined)) {
    return { resource: partialName(named, { project, ...inputs }), kind: ofType };
  }
  return { resource: (old && nameInState(old, noun)) ?? nameInInputs(inputs, project), kind: ofType };
}

/** The name as far as the inputs say: `projects/p/topics/[known after the update]`. */
function partialName(named: GcpResourceName, inputs: Values): string {
  return namingInputs(named).reduce((name, input) => {
    return name.replace(new RegExp(`\\{\\+?${input}\\}`), () => shownText(inputs[input]) || "-");
  }, named.template);
}

/** `topic` for `gcp:pubsub/topicIAMMember:TopicIAMMember`, `project` for `gcp:projects/iAMMember:IAMMember`. */
function nounOf(type: string): string {
  const [, place = "", name = ""] = type.split(":");
  const [module = ""] = place.split("/");
  const text = withoutGrantForm(name) || module.replace(/s$/, "");
  if (text === "serviceaccount") return "service account";
  return text.replace(/([a-z0-9])(?=[A-Z])/g, "$1 ").toLowerCase();
}

/** The id of a grant is the resource's name, the role, the member and the condition's title, joined by `/`. */
function nameInState({ id, inputs }: PlannedState, noun: string): string | undefined {
  const role = textOf(inputs.role);
  const [name = ""] = role === "" ? [id ?? ""] : (id ?? "").split(`/${role}`);
  if (name === "") return undefined;
  if (!name.includes("/") && ["project", "folder", "organization"].includes(noun)) return `${noun}s/${name}`;
  return nameInId(name);
}

function nameInInputs(inputs: Values, project: string | undefined): string {
  const containers = [...CONTAINERS].flatMap(([input, collection]) => {
    const value = textOf(inputs[input]) || (input === "project" ? (project ?? "") : "");
    return value === "" ? [] : [`${collection}/${value.split("/").at(-1) ?? ""}`];
  });
  const own = Object.entries(inputs).flatMap(([input, value]): string[] => {
    if (typeof value !== "string" || value === "" || input.startsWith("__")) return [];
    return NOT_NAMES.includes(input) || CONTAINERS.has(input) ? [] : [nameOf(input, value)];
  });
  const whole = own.find((each) => /^(projects|folders|organizations|b)\//.test(each));
  if (whole !== undefined) return whole;
  // A folder or an organization is not in the project of the stack.
  const isAbove = containers.length > 1 && textOf(inputs.project) === "" && own.length === 0;
  return [...(isAbove ? containers.slice(1) : containers), ...own].join("/");
}

function nameOf(input: string, value: string): string {
  const name = nameInId(value);
  if (input === "bucket") return `b/${value.replace(/^b\//, "")}`;
  if (name.includes("/")) return name;
  const singular = input.replace(/(Id|Name)$/, "");
  return `${singular.endsWith("y") ? `${singular.slice(0, -1)}ie` : singular}s/${name}`;
}
