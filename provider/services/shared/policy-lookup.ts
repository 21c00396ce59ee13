import * as z from "zod";
import { defineLookup, type LookupDefinition } from "../../core/definition";
import { field, objectType } from "../../core/field";
import { nameTemplate } from "../../core/reference";
import { textOf, type Values } from "../../core/unknown";
import { fromWire } from "../../core/wire";
import type { Call } from "../../http/call";
import { doingToPolicy, policyOf, policyRequest } from "../../iam/policy-api";
import { location, project, segment } from "./fields";
import { lookupDocumentation, type Lookup } from "./lookups";
import type { GrantParent, PolicyParent } from "./parent";
import type { LifecycleContext } from "./resource";

const expr = () =>
  objectType("Expr", "A condition in Common Expression Language (CEL).", {
    expression: field(z.string(), "Text of the condition in Common Expression Language. Empty: there is no condition."),
    title: field(z.string(), "Short purpose of the expression."),
    description: field(z.string(), "Longer description of the expression."),
    location: field(z.string(), "Where the expression is defined, for error reporting."),
  });

const binding = () =>
  objectType("Binding", "Associates members with a role, optionally under a condition.", {
    condition: field(
      expr(),
      "When it evaluates true the binding applies to the request; when false it does not (another binding may still " +
        "grant the same role). Without a condition, its `expression` is empty.",
    ),
    members: field(
      z.array(z.string()),
      "Principals: `allUsers`, `allAuthenticatedUsers`, `user:{emailid}`, `serviceAccount:{emailid}`, " +
        "`serviceAccount:{projectid}.svc.id.goog[{namespace}/{service-account}]`, `group:{emailid}`, `domain:{domain}`, " +
        "`principal://…`, `principalSet://…`, and `deleted:…?uid={uniqueid}` for identities that were deleted. A deleted " +
        "form reverts to the plain one if the identity is recovered, which keeps its role in the binding.",
    ),
    role: field(z.string(), "Role assigned to the members, such as `roles/viewer`."),
  });

const auditLogConfig = () =>
  objectType("AuditLogConfig", "Logging of one permission type.", {
    logType: field(z.string(), "The log type that is enabled.", {
      knownValues: ["LOG_TYPE_UNSPECIFIED", "ADMIN_READ", "DATA_WRITE", "DATA_READ"],
    }),
    exemptedMembers: field(
      z.array(z.string()),
      "Identities that do not cause logging for this type, in the same forms as the members of a binding.",
    ),
  });

const auditConfig = () =>
  objectType("AuditConfig", "Audit logging of one service.", {
    service: field(
      z.string(),
      "Service enabled for audit logging; the special value `allServices` covers all services.",
    ),
    auditLogConfigs: field(z.array(auditLogConfig()), "Logging configuration for each permission type."),
  });

/** The properties of an access policy. */
export const policyResult = () =>
  z.object({
    auditConfigs: field(z.array(auditConfig()), "Audit logging configuration for the policy."),
    bindings: field(
      z.array(binding()),
      "Associates members (principals) with a role, optionally under a condition. Empty when the resource has no policy.",
    ),
    etag: field(
      z.string(),
      "Optimistic-concurrency token: a client that changes the policy sends back the etag it received, so that the " +
        "change applies to the same version.",
    ),
    version: field(
      z.number().int(),
      "Format of the policy: 0, 1 or 3. Version 3 is needed wherever a conditional binding is involved.",
    ),
  });

/** The argument of policy lookups: 0, 1 or 3; other values are refused (docs/wire.md section 9). */
export const requestedPolicyVersion = () =>
  field(
    z
      .number()
      .int()
      .refine((version) => [0, 1, 3].includes(version), "must be 0, 1 or 3")
      .optional(),
    "Newest policy format to return: 0, 1 or 3. Conditions are only shown with 3. Default: 3, so that " +
      "the whole policy is visible.",
  );

/**
 * The definition of the lookup of a policy (`getIamPolicy`, docs/wire.md section 9).
 *
 * @param the the kind of resource with its definite article: "the gateway".
 */
function definePolicyLookup({ service, kind, name, template, permissions, example }: GrantParent, the: string) {
  const id = /\{(\w+)\}$/.exec(template)?.[1] ?? "";
  const resource = nameTemplate(template.replace(/\}$/, "Id}"));
  const { project: _project, ...values } = resource.parse(example.name) ?? {};
  const args = {
    location: location(),
    optionsRequestedPolicyVersion: requestedPolicyVersion(),
    project: project(),
    [`${id}Id`]: field(segment(), `Id of ${the}: the last part of its name.`),
  };
  return defineLookup({
    service,
    name: `get${name}IamPolicy`,
    description: `Gets the access-control policy of ${kind}. When ${the} exists but has no policy, an empty policy is returned.`,
    documentation: {
      ...lookupDocumentation(the, permissions[0] ?? ""),
      examples: [
        {
          title: `See who has access to ${kind}`,
          variable: `${id}Policy`,
          values,
          outputs: { bindings: "bindings", etag: "etag" },
        },
      ],
    },
    resource,
    args: z.strictObject(Object.fromEntries(Object.entries(args).sort(([left], [right]) => (left < right ? -1 : 1)))),
    result: policyResult(),
  });
}

/** The newest format: with an older one the API hides conditions (docs/wire.md section 9). */
const DEFAULT_POLICY_VERSION = 3;

/** The lookup of the access policy of a kind of resource; none if its row has none. */
export function policyLookup(parent: GrantParent): Lookup[] {
  const { policyLookup: kind } = parent;
  return kind === undefined ? [] : [lookupOfPolicy(definePolicyLookup(parent, kind), kind, () => parent)];
}

/**
 * The lookup of an access policy.
 *
 * @param kind with its definite article, for messages: "the gateway".
 * @param placeOf the resource of a name of the definition, if the name in the API differs from it.
 */
export function lookupOfPolicy(
  definition: LookupDefinition,
  kind: string,
  placeOf: (name: string) => Pick<PolicyParent, "service" | "form"> & { path?: string },
): Lookup {
  const doing = doingToPolicy.read(kind);
  const run = async (context: LifecycleContext, args: Values, call: Call) => {
    const names = Object.entries(args).map(([name, value]) => [name, textOf(value)] as const);
    const name = definition.resource.format(Object.fromEntries(names));
    const { service, form, path: resource = name } = placeOf(name);
    const { optionsRequestedPolicyVersion: asked } = args;
    const version = typeof asked === "number" ? asked : DEFAULT_POLICY_VERSION;
    const { client } = context.api(service);
    const target = { client, resource, kind, form };
    // The program may have just changed the policy; a result that is shared with earlier reads could be older.
    return await client.request(policyRequest(target, version), call, (answer) =>
      fromWire(definition.result, policyOf(answer)),
    );
  };
  return { definition, doing, joinUntil: "sent", run };
}
