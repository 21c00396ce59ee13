import { nameInId } from "../../provider/core/reference";
import { textOf, type Values } from "../../provider/core/unknown";
import { withArticle } from "../result/visible";
import type { PlanStep } from "./plan";
import { namingInputs, type GcpResourceName } from "../meaning/gcp-types";
import { hiddenReasonOf, shownText } from "./hidden-values";
import { grantFormOf, shortTypeOf, withoutGrantForm } from "../meaning/meaning";
import { grantKindOf, kindNamed } from "../meaning/grant-kinds";
import { partsOf } from "../meaning/resource-kinds";
import type { GrantStep } from "./grant-steps";
import { containsSecret } from "./plan-values";
import { namesIn } from "./planned-grant";
import type { PlannedState } from "./planned-state";

/** The name and the kind of the resource that a step of another provider changes. */
export interface ForeignName {
  /** A relative name, such as `projects/p/topics/t`. It is a guess if only the inputs name the resource. */
  resource: string;
  /** With its article: "a topic". */
  kind: string;
}

/** Inputs that do not name the resource. All others of a grant do. */
const NOT_NAMES: readonly string[] = (
  "role member members condition policyData bindings etag entity roleEntities deletionPolicy userByEmail groupByEmail domain " +
  "specialGroup iamMember predefinedAcl defaultAcl service"
).split(" ");
/** Inputs of other resources than grants that name them. All others describe them, as a title or a stage of a role. */
const NAMES = /Id$|Email$|(?<!display|friendly)Name$|^(?:name|parent|bucket|object|group)$/;
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
 * @param isNamedByInputs the id is not that of the resource, such as that of an entry of a list
 */
export function foreignNameOf(
  step: PlanStep,
  grant: GrantStep | undefined,
  project: string | undefined,
  isNamedByInputs = false,
): ForeignName {
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
  const inState = old && !isNamedByInputs ? nameInState(old, noun) : undefined;
  return {
    resource: inState ?? nameInInputs(partsOf(inputs), project, isGrantType(type) ? undefined : noun),
    kind: ofType,
  };
}

/** The name as far as the inputs say: `projects/p/topics/[known after the update]`. */
function partialName(named: GcpResourceName, inputs: Values): string {
  return namingInputs(named).reduce((name, input) => {
    return name.replace(new RegExp(`\\{\\+?${input}\\}`), () => shownText(inputs[input]) || "-");
  }, named.template);
}

/** `topic` for `gcp:pubsub/topicIAMMember:TopicIAMMember`, `project` for `gcp:projects/iAMMember:IAMMember`. */
function nounOf(type: string): string {
  const [, place = ""] = shortTypeOf(type).split(":");
  const [module = "", name = module] = place.split("/");
  const text = wordsOf(withoutGrantForm(name)) || module.replace(/s$/, "");
  return text === "serviceaccount" ? "service account" : text;
}

/** `custom role` for `IAMCustomRole` and for `ProjectIamCustomRole`. */
function wordsOf(name: string): string {
  const words = name.replace(/[A-Z]+(?=[A-Z][a-z])|[a-z0-9](?=[A-Z])/g, "$& ").toLowerCase();
  return words.replace(/^(?:(?:project|organization) )?iam /, "");
}

function isGrantType(type: string): boolean {
  return grantFormOf(type.replace(/Remove$/, "")) !== undefined;
}

/**
 * The id of a grant is the resource's name, the role, the member and the condition's title, joined by `/`; that of an entry of a
 * list ends with its entity. What is secret among the inputs must not be shown as a part of the id.
 */
function nameInState({ id = "", inputs }: PlannedState, noun: string): string | undefined {
  const role = textOf(inputs.role);
  const [name = "", ...others] = role === "" ? [id] : id.split(`/${role}`);
  const mayHaveSecret = others.length === 0 && Object.values(inputs).some(containsSecret);
  const isInReference = !name.includes("/") && Object.keys(inputs).some((input) => input.endsWith("Reference"));
  if (name === "" || mayHaveSecret || isInReference) return undefined;
  if (!name.includes("/") && ["project", "folder", "organization"].includes(noun)) return `${noun}s/${name}`;
  return nameInId(name);
}

/** @param noun of a resource that is no grant */
function nameInInputs(inputs: Values, project: string | undefined, noun: string | undefined): string {
  const containers = [...CONTAINERS].flatMap(([input, collection]) => {
    const value = textOf(inputs[input]) || (input === "project" ? (project ?? "") : "");
    return value === "" ? [] : [`${collection}/${value.split("/").at(-1) ?? ""}`];
  });
  const own = Object.entries(inputs).flatMap(([input, value]): string[] => {
    if (typeof value !== "string" || value === "" || input.startsWith("__")) return [];
    const isName = !NOT_NAMES.includes(input) && (noun === undefined || NAMES.test(input));
    return isName && !CONTAINERS.has(input)
      ? [nameOf(input === "name" && noun ? inCamelCase(noun) : input, value)]
      : [];
  });
  const whole = own.find((each) => /^(projects|folders|organizations|b)\//.test(each));
  if (whole !== undefined) return whole;
  // A folder or an organization is not in the project of the stack.
  const above = containers.filter((each) => /^(folders|organizations)\//.test(each));
  const isAbove = above.length > 0 && textOf(inputs.project) === "";
  return [...(isAbove ? containers.filter((each) => !each.startsWith("projects/")) : containers), ...own].join("/");
}

/** `denyPolicy` for `deny policy`. */
function inCamelCase(noun: string): string {
  return noun.replace(/ (\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function nameOf(input: string, value: string): string {
  const name = nameInId(value);
  if (input === "bucket") return `b/${value.replace(/^b\//, "")}`;
  if (name.includes("/")) return name;
  const singular = input === "accountId" ? "serviceAccount" : input.replace(/(Id|Name|Email)$/, "");
  return `${singular.replace(/(?<![aeiou])y$/, "ie")}s/${name}`;
}
