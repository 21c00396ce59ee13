import { jsonIn } from "../../provider/core/json";
import { isRecord, isUnknown, textOf, type Values } from "../../provider/core/unknown";
import { meaningOf } from "../meaning/meaning";
import { ACCOUNT, PREDEFINED, type Members } from "../meaning/members";
import type { ReviewedGrant } from "../result/result";
import { hiddenReasonOf, shownText } from "./hidden-values";
import { isSecret } from "./plan-values";
import type { PlannedState } from "./planned-state";

/**
 * The grants that the inputs of another provider's resource state, where the kinds of its type say. Empty where the inputs state none,
 * such as those of a custom role.
 */
export function statedGrants({ type, inputs: given }: Pick<PlannedState, "type" | "inputs">): ReviewedGrant[] {
  const places = new Set(meaningOf(type).kinds.flatMap(({ members = [] }) => members));
  const inputs = withPredefined(given);
  return [...places].flatMap((place) =>
    valuesAt(inputs, place.in).flatMap((each) => {
      if (isHiddenWhole(each)) return [grant(each, each, undefined)];
      const found = isRecord(each) ? each : roleEntity(each);
      return found ? grantsOf(found, place) : [];
    }),
  );
}

/** With the entries of predefined lists, where the lists of Cloud Storage are. */
function withPredefined(inputs: Values): Values {
  const entries = PREDEFINED.inputs.flatMap((name) => {
    const list = inputs[name];
    return isHiddenWhole(list) ? [list] : (PREDEFINED.lists[textOf(list)] ?? []);
  });
  return entries.length === 0 ? inputs : { ...inputs, roleEntity: [...elementsOf(inputs.roleEntity), ...entries] };
}

function grantsOf(values: Values, { in: list, who, roles = [], as, unless = {} }: Members): ReviewedGrant[] {
  if (Object.entries(unless).some(([name, refuses]) => values[name] === refuses)) return [];
  const stated = roles.flatMap((path) => valuesAt(values, path).filter(isName));
  // Without a role, the inputs of a resource are no grant. An entry of a list is one.
  const all = stated.length > 0 ? stated : as !== undefined || list !== undefined ? [as] : [];
  const members = Object.entries(who).flatMap(([path, prefix]) =>
    valuesAt(values, path)
      .filter(isName)
      .map((name) => (typeof name === "string" ? memberOf(name, prefix, values) : name)),
  );
  return members.flatMap((member) => all.map((role) => grant(member, role, values.condition)));
}

/** The values at a path: of each element of the lists on the way, in texts of JSON, too. A hidden value is there itself. */
function valuesAt(value: unknown, path = ""): unknown[] {
  const names = path === "" ? [] : path.split(".");
  return names.reduce<unknown[]>(
    (found, name) =>
      found.flatMap((each) => {
        if (isHiddenWhole(each)) return [each];
        const object = typeof each === "string" ? jsonIn(each) : each;
        if (!isRecord(object)) return [];
        return name === "*" ? Object.entries(object).map(([key, value]) => ({ key, value })) : elementsOf(object[name]);
      }),
    elementsOf(value),
  );
}

function elementsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flatMap(elementsOf) : value === undefined || value === null ? [] : [value];
}

function isHiddenWhole(value: unknown): boolean {
  return isSecret(value) || isUnknown(value);
}

function isName(value: unknown): boolean {
  return isHiddenWhole(value) || (typeof value === "string" && value !== "" && value !== "IDENTITY_TYPE_UNSPECIFIED");
}

/** `READER:user-ada@example.com`, of an access control list. */
function roleEntity(text: unknown): Values | undefined {
  const [, role, entity] = /^([^:]+):(.+)$/.exec(textOf(text)) ?? [];
  return entity === undefined ? undefined : { role, entity };
}

/** The identifiers of IAM's newer APIs: https://cloud.google.com/iam/docs/principal-identifiers */
const IDENTIFIERS: ReadonlyArray<[RegExp, string]> = [
  [/^principal:\/\/goog\/subject\//, "user:"],
  [/^principalSet:\/\/goog\/group\//, "group:"],
  [/^principalSet:\/\/goog\/public:all$/, "allUsers"],
  [/^principal:\/\/iam\.googleapis\.com\/projects\/-\/serviceAccounts\//, "serviceAccount:"],
  // Of Kafka, whose clusters know every client that asks.
  [/^User:\*$/, "allAuthenticatedUsers"],
  [/^User:/, "user:"],
  // The kinds of identities of service perimeters.
  [/^ANY_IDENTITY$/, "allUsers"],
  [/^ANY_(USER|SERVICE)_ACCOUNT$/, "allAuthenticatedUsers"],
  // An entity of an access control list: `user-ada@example.com`.
  [/^(user|group|domain)-/, "$1:"],
];
/** Access lists name service accounts as users: https://cloud.google.com/storage/docs/access-control/lists#scopes */
const ROBOT_AS_USER = /^user:(?=.+@.+\.gserviceaccount\.com$)/;

function memberOf(name: string, prefix: string, { type, userType }: Values): string {
  if (prefix !== ACCOUNT) {
    const member = IDENTIFIERS.reduce((text, [form, kind]) => text.replace(form, kind), prefix + name);
    return member.replace(ROBOT_AS_USER, "serviceAccount:");
  }
  const kind = textOf(type) || textOf(userType);
  // Users of PostgreSQL have no longer names: `robot@demo.iam`.
  const email = name.replace(/(@[^@]+\.iam)$/, "$1.gserviceaccount.com");
  if (/SERVICE_ACCOUNT/.test(kind) || email.endsWith("gserviceaccount.com")) return `serviceAccount:${email}`;
  return `${/GROUP$/.test(kind) ? "group" : "user"}:${name}`;
}

function grant(member: unknown, role: unknown, condition: unknown): ReviewedGrant {
  const hidden = [member, role, condition].map(hiddenReasonOf).find((each) => each !== undefined);
  return {
    principal: shownText(member),
    role: shownText(role),
    ...conditionOf(condition),
    ...(hidden === undefined ? {} : { hidden }),
  };
}

function conditionOf(condition: unknown): Pick<ReviewedGrant, "condition"> {
  // Terraform's blocks are lists of one.
  const one: unknown = Array.isArray(condition) ? condition[0] : condition;
  if (one === undefined || one === null) return {};
  const { title, description, expression }: Values = isRecord(one) ? one : { title: one, expression: one };
  const text = textOf(description);
  return {
    condition: { title: shownText(title), ...(text && { description: text }), expression: shownText(expression) },
  };
}
