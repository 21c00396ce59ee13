import { spelled, withArticle, wordsIn } from "../../provider/core/nouns";
import { fullNameIn } from "../../provider/iam/kinds/kinds";
import { nameInId } from "../../provider/core/reference";
import { textOf, type Values } from "../../provider/core/unknown";
import { isBridged, isOfOtherProvider, isView } from "../result/packages";
import type { ReviewedResource } from "../result/result";
import { UNNAMED } from "../result/texts";
import type { PlanStep } from "./plan";
import { isService } from "../meaning/api-names";
import { gcpGrantResource, namingInputs, resourceOfModule, type ResourceKind } from "../meaning/gcp-types";
import { hiddenReasonOf, shownText } from "./hidden-values";
import { grantFormOf, meaningOf, shortTypeOf, withoutGrantForm } from "../meaning/meaning";
import { grantKindOf, kindNamed } from "../meaning/grant-kinds";
import { partsOf } from "../meaning/resource-kinds";
import type { GrantStep } from "./steps";
import { containsSecret } from "./plan-values";
import { namesIn } from "./planned-grant";
import type { PlannedState } from "./planned-state";

/** Inputs that do not name the resource. All others of a grant do. */
const NOT_NAMES: readonly string[] = (
  "role member members condition policyData bindings etag entity roleEntities deletionPolicy userByEmail groupByEmail domain " +
  "specialGroup iamMember predefinedAcl defaultAcl service"
).split(" ");
/** Inputs of other resources than grants that name them. All others describe them, as a title or a stage of a role. */
const NAMES =
  /Id$|Email$|(?<!display|friendly)Name$|^(?:name|parent|bucket|object|group|instance|cluster|database|backendBucket|backendService)$/;
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
 * The resource that a step of another provider changes: its relative name, such as `projects/p/topics/t`, and its kind with the article.
 * The name is a guess if only the inputs name the resource.
 *
 * @param grant that the step is on
 * @param project of the stack's configuration, for a grant that names none
 */
export function foreignNameOf(
  step: PlanStep,
  grant: GrantStep | undefined,
  project: string | undefined,
): Pick<ReviewedResource, "resource" | "kind"> {
  const { old, new: next, type } = step;
  const noun = nounOf(type);
  const ofType = withArticle(spelled(noun));
  const inputs = next?.inputs ?? old?.inputs ?? {};
  const named = grant?.named;
  const { on } = meaningOf(type);
  if (on && !grant) {
    const parts = { project, ...partsOf(old?.outputs ?? {}), ...partsOf(inputs) };
    return { resource: nameBy(on, parts), kind: ofType };
  }
  if (grant && !named) {
    const [input = ""] = namesIn(grant);
    const kind = grant.form === undefined ? kindNamed(grantKindOf(grant.token)) : ofType;
    return { resource: `[${hiddenReasonOf(inputs[input]) ?? textOf(inputs[input])}]`, kind };
  }
  if (named && namingInputs(named).some((name) => hiddenReasonOf(inputs[name]) !== undefined)) {
    return { resource: partialName(named, { project, ...inputs }), kind: ofType };
  }
  const inState = old && nameInState(old, noun);
  const isOfGoogle = isOfOtherProvider(type) || isView(type);
  const isGrant = grantFormOf(type.replace(/Remove$/, "")) !== undefined;
  // What the inputs of a type of another package mean is not known, except those whose names say it.
  const inInputs = isOfGoogle
    ? nameInInputs(partsOf(inputs), project, isGrant ? undefined : noun)
    : nameInInputs(inputs, undefined, noun, [inCamelCase(noun)]);
  return { resource: inState ?? (inInputs || UNNAMED), kind: ofType };
}

/** The name that inputs say for a kind of resource. An input with `Id` at its end counts without it, too: `datasetId`. */
function nameBy(kind: ResourceKind, inputs: Values): string {
  const values: Values = {};
  for (const [name, value] of Object.entries(inputs)) {
    if (value !== undefined) values[name] = shownText(value);
    if (value !== undefined && name.endsWith("Id")) values[name.slice(0, -2)] ??= shownText(value);
  }
  const full = gcpGrantResource(kind, {}, values, {});
  return full?.slice(fullNameIn(kind.api, "").length) ?? partialName(kind, values);
}

/** The name as far as the inputs say: `projects/p/topics/[known after the update]`. */
function partialName(named: ResourceKind, inputs: Values): string {
  return namingInputs(named).reduce((name, input) => {
    return name.replace(new RegExp(`\\{\\+?${input}\\}`), () => shownText(inputs[input]) || "-");
  }, named.template);
}

/** `topic` for `gcp:pubsub/topicIAMMember:TopicIAMMember`, `project` for `gcp:projects/iAMMember:IAMMember`. */
function nounOf(type: string): string {
  const [, place = ""] = shortTypeOf(type).split(":");
  const [module = "", name = module] = place.split("/");
  const ofModule = module === "index" ? "resource" : (resourceOfModule(module) ?? module.replace(/s$/, ""));
  const words = withoutService(wordsIn(withoutGrantForm(name) || ofModule), type);
  return words === "account" && module === "serviceaccount" ? "service account" : words;
}

/** Without the name of the service, which a type of Terraform's provider has in front, and without a version. */
function withoutService(words: string, type: string): string {
  const all = words.split(" ");
  const isOfService = (_word: string, at: number) => at + 1 < all.length && isService(all.slice(0, at + 1).join(""));
  const own = isBridged(type) || isView(type) ? all.slice(all.findLastIndex(isOfService) + 1) : all;
  const text = own.join(" ").replace(/^(?:\w*v\d+) (?=\w)/, "");
  // `IAMCustomRole` and `ProjectIamCustomRole` are both a custom role.
  return text.replace(/^(?:(?:project|organization) )?iam (?=\w)/, "");
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
  if (!name.includes("/") && noun === "bucket") return `b/${name}`;
  if (!name.includes("/") && ["project", "folder", "organization"].includes(noun)) return `${noun}s/${name}`;
  return nameInId(name);
}

/**
 * Empty if no input names the resource.
 *
 * @param noun of a resource of which only some inputs are names; absent for a grant of Google Cloud
 * @param more inputs that are names, too
 */
function nameInInputs(
  inputs: Values,
  project: string | undefined,
  noun: string | undefined,
  more: readonly string[] = [],
): string {
  const containers = [...CONTAINERS].flatMap(([input, collection]) => {
    const value = textOf(inputs[input]) || (input === "project" ? (project ?? "") : "");
    return value === "" ? [] : [`${collection}/${value.split("/").at(-1) ?? ""}`];
  });
  const found = Object.entries(inputs).flatMap(([input, value]) => {
    if (typeof value !== "string" || value === "" || input.startsWith("__")) return [];
    const isName = !NOT_NAMES.includes(input) && (noun === undefined || NAMES.test(input) || more.includes(input));
    return isName && input !== "name" && !CONTAINERS.has(input) ? [{ input, name: nameOf(input, value) }] : [];
  });
  // What a resource is in comes before its own name, and its type may begin with that: `backendBucketSignedUrlKey`.
  const ownName = textOf(inputs.name);
  const collection = inCamelCase(found.reduce((each, { input }) => withoutFirst(each, input), noun ?? "name"));
  const own = [...found.map(({ name }) => name), ...(ownName === "" ? [] : [nameOf(collection, ownName)])];
  const whole = own.find((each) => /^(projects|folders|organizations|b)\//.test(each));
  if (whole !== undefined) return whole;
  // A folder or an organization is not in the project of the stack.
  const above = containers.filter((each) => /^(folders|organizations)\//.test(each));
  const isAbove = above.length > 0 && textOf(inputs.project) === "";
  return [...(isAbove ? containers.filter((each) => !each.startsWith("projects/")) : containers), ...own].join("/");
}

/** `signed url key` for `backend bucket signed url key`, in a `backendBucket`. */
function withoutFirst(noun: string, input: string): string {
  const words = `${wordsIn(input)} `;
  return noun.startsWith(words) ? noun.slice(words.length) : noun;
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
  return `${singular.replace(/(?<![aeiou])y$/, "ie").replace(/s$/, "")}s/${name}`;
}
