/**
 * The grants of `@pulumi/gcp` on the emulator, as `google/tpgiamresource` of terraform-provider-google makes them and the bridge
 * shows them to the engine: their ids, outputs, and what each does to a policy.
 */
import { isDeepStrictEqual } from "node:util";

/** A policy as the emulator stores it. */
export interface CloudPolicy {
  bindings?: CloudBinding[];
  auditConfigs?: unknown[];
}
interface CloudBinding {
  role: string;
  members: string[];
  condition?: object;
}

/** Where policies are: by the API and the name of the resource in it. */
export interface PolicyCloud {
  policy(service: string, name: string): CloudPolicy;
  write(service: string, name: string, policy: CloudPolicy): void;
}

type Inputs = Record<string, unknown>;

/** The kinds of resources with grants here: the API, the id of the resource, the input types. */
const KINDS: Readonly<
  Record<string, { service: string; id: (inputs: Inputs) => string; name?: (id: string) => string }>
> = {
  "healthcare/fhirStore": { service: "healthcare", id: ({ fhirStoreId }) => String(fhirStoreId) },
  "kms/cryptoKey": { service: "cloudkms", id: ({ cryptoKeyId }) => String(cryptoKeyId) },
  "projects/": {
    service: "cloudresourcemanager",
    id: ({ project }) => String(project),
    name: (id) => `projects/${id}`,
  },
  "pubsub/topic": {
    service: "pubsub",
    id: ({ project, topic }) => `projects/${String(project)}/topics/${String(topic)}`,
  },
  "secretmanager/secret": {
    service: "secretmanager",
    id: ({ project, secretId }) => `projects/${String(project)}/secrets/${String(secretId)}`,
  },
  "storage/bucket": { service: "storage", id: ({ bucket }) => `b/${String(bucket)}` },
};

const FORMS = ["Member", "Binding", "Policy"] as const;
type Form = (typeof FORMS)[number];

/** `gcp:pubsub/topicIAMMember:TopicIAMMember`, as the package spells it. */
function typeOf(kind: string, form: Form): string {
  const spelling = /^(healthcare)/.test(kind) || kind === "secretmanager/secret" ? "Iam" : "IAM";
  const [module = "", name = ""] = kind.split("/");
  const last = name === "" ? `i${spelling.slice(1)}${form}` : `${name}${spelling}${form}`;
  return `gcp:${module}/${last}:${last.charAt(0).toUpperCase()}${last.slice(1)}`;
}

const BY_TYPE = new Map(
  Object.keys(KINDS).flatMap((kind) => FORMS.map((form) => [typeOf(kind, form), { kind, form }] as const)),
);
export const GCP_GRANT_TYPES: readonly string[] = [...BY_TYPE.keys()];

/** The inputs that replace a resource when they change. */
const REPLACING = [
  "role",
  "member",
  "condition",
  "project",
  "topic",
  "secretId",
  "bucket",
  "fhirStoreId",
  "cryptoKeyId",
];

/** A grant of a program with the inputs that the engine gives. The provider has a default project. */
export class GcpGrant {
  private readonly form: Form;
  private readonly service: string;
  private readonly parent: string;
  private readonly name: string;

  constructor(
    type: string,
    private readonly inputs: Inputs,
    private readonly cloud: PolicyCloud,
    project: string,
  ) {
    const known = BY_TYPE.get(type);
    const kind = known && KINDS[known.kind];
    if (!known || !kind) throw new Error(`${type} is not a grant`);
    this.form = known.form;
    this.service = kind.service;
    this.parent = kind.id({ project, ...inputs });
    this.name = kind.name?.(this.parent) ?? this.parent;
  }

  static is(type: string): boolean {
    return BY_TYPE.has(type);
  }

  /** The inputs whose change replaces the resource. */
  static replacing(before: Inputs, after: Inputs): string[] {
    return REPLACING.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  }

  /** `{resource}/{role}/{member}/{title}…`; a binding has no member, a policy neither. */
  get id(): string {
    const { role, member, condition } = this.inputs;
    const { title, description, expression } = (condition ?? {}) as Record<string, string>;
    const conditional = title === undefined ? [] : [title, description ?? "", expression];
    const parts = this.form === "Policy" ? [] : this.form === "Binding" ? [role] : [role, member];
    return [this.parent, ...parts, ...(this.form === "Policy" ? [] : conditional)].join("/");
  }

  make(): void {
    const { policyData, role, member, members, condition } = this.inputs;
    const policy = this.policy;
    if (this.form === "Policy") {
      const { bindings, auditConfigs } = JSON.parse(String(policyData)) as CloudPolicy;
      this.write({ ...(bindings && { bindings }), ...(auditConfigs && { auditConfigs }) });
      return;
    }
    const own = { role: String(role), ...(condition ? { condition } : {}) };
    const isOwn = (each: CloudBinding) => sameRole(each, own);
    const { bindings = [] } = policy;
    const before = bindings.filter(isOwn).flatMap((each) => each.members);
    const after = this.form === "Binding" ? (members as string[]) : [...before, String(member)];
    this.write({ ...policy, bindings: [...bindings.filter((each) => !isOwn(each)), { ...own, members: once(after) }] });
  }

  remove(): void {
    const { role, member, condition } = this.inputs;
    if (this.form === "Policy") return this.write({});
    const policy = this.policy;
    const own = { role: String(role), ...(condition ? { condition } : {}) };
    const bindings = (policy.bindings ?? []).flatMap((each) => {
      if (!sameRole(each, own)) return [each];
      const left = this.form === "Binding" ? [] : each.members.filter((one) => !isOne(one, String(member)));
      return left.length === 0 ? [] : [{ ...each, members: left }];
    });
    this.write({ ...policy, bindings });
  }

  private get policy(): CloudPolicy {
    return this.cloud.policy(this.service, this.name);
  }

  private write(policy: CloudPolicy): void {
    this.cloud.write(this.service, this.name, policy);
  }
}

type RoleOf = Pick<CloudBinding, "role" | "condition">;

function sameRole(left: RoleOf, right: RoleOf): boolean {
  return left.role === right.role && conditionKey(left) === conditionKey(right);
}

/** An absent description is an empty one. */
function conditionKey({ condition = {} }: RoleOf): string {
  const { title = "", description = "", expression = "" } = condition as Record<string, string>;
  return JSON.stringify([title, description, expression]);
}

/** Letter case makes no difference in these members. */
function isOne(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function once(members: readonly string[]): string[] {
  return members.filter((each, at) => members.findIndex((other) => isOne(other, each)) === at);
}
