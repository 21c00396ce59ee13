import type { ServiceDefinition } from "../../core/definition";
import { nameTemplate, type AccessFromAbove, type NameTemplate, type ReferenceKind } from "../../core/reference";
import { resourceOfGrantId } from "../../iam/grant-id";
import type { PolicyForm } from "../../http/client";
import type { PermissionsIn } from "../../iam/policy-api";

/** A grant for the examples of a kind of resource, on a resource that the emulator has from the start. */
export interface GrantExample {
  /** The name of the grant in the program, in camel case. */
  readonly variable: string;
  readonly name: string;
  readonly role: string;
  readonly member: string;
}

/** A kind of resource with an access policy, as grants read and change it. */
export interface PolicyParent {
  readonly service: ServiceDefinition;
  /** With its article, for messages: "a migration job". */
  readonly kind: string;
  /** How its API reads and writes policies. */
  readonly form: PolicyForm;
  /** Where its API takes the permissions to test. */
  readonly permissionsIn: PermissionsIn;
  /** The permissions for creating and deleting grants, which the preflight tests; empty if they are not known. */
  readonly permissions: readonly string[];
  /** The predefined roles that can change its policy, in addition to those for every policy (`iam/lockout.ts`). */
  readonly adminRoles: readonly string[];
  /** How the policies above give access to it. */
  readonly above: AccessFromAbove;
  /** Whether answers and messages have its full name, because resources of other APIs have names of the same form. */
  readonly isNamedInFull: boolean;
}

/** A resource with an access policy. */
export interface PolicyPlace {
  readonly parent: PolicyParent;
  /** The name that the API has for it, in the path of a request. */
  readonly path: string;
}

/** The resources that one type of grant can be on. */
export interface GrantTargets {
  /** The input that names the resource. */
  readonly input: "name" | "resource";
  /** Whether a grant is added to the policy in each `grantMode`. */
  readonly alwaysMerges: boolean;
  /** The forms of a name, for messages. */
  readonly forms: readonly string[];
  /** The resource with a name from a program or a state, in the normal form; undefined if there is none. */
  find(name: string): (PolicyPlace & { readonly name: string }) | undefined;
  /** The name at the beginning of an id from the user, and the id with the name in the normal form. */
  inId(id: string): { name: string; id: string } | undefined;
}

/** A kind of resource whose access policy the provider manages, as a row of `services/parents.ts`. */
export interface ParentRow extends Pick<PolicyParent, "kind"> {
  readonly service: ServiceDefinition;
  /** The prefix of its types of resources: `MigrationJob` in `MigrationJobIamMember`. */
  readonly name: string;
  /** Its resource name, on which the API has getIamPolicy, setIamPolicy and testIamPermissions. */
  readonly template: string;
  /** The prefix of all permissions on it: `datamigration.migrationjobs`. */
  readonly permissionPrefix: string;
  /** The prefixes of the permissions on what it contains. Default: it contains nothing with permissions. */
  readonly contents?: readonly string[];
  /** The predefined roles that can change its policy, in addition to those for every policy (`iam/lockout.ts`). */
  readonly adminRoles: readonly string[];
  /** Prefixes of the service's predefined roles that give no permission on it. Default: all roles give some. */
  readonly otherRoles?: readonly string[];
  readonly example: GrantExample;
  /** With its definite article, if the provider has a lookup of its policy: "the gateway". */
  readonly policyLookup?: string;
}

/** A row with everything that is derived from it. */
export interface GrantParent extends ParentRow, PolicyParent {
  readonly names: NameTemplate;
  /** As the value of a property that names it. */
  readonly reference: ReferenceKind;
  /** The resources of this kind. */
  readonly targets: GrantTargets;
}

export function grantParent(row: ParentRow): GrantParent {
  const { service, kind, template, permissionPrefix, contents = [], otherRoles = [] } = row;
  const names = nameTemplate(template);
  const permissions = [permissionPrefix, ...contents].map((prefix) => `${prefix}.`);
  const above = { permissions, otherRoles };
  const parent: GrantParent = {
    ...row,
    form: "get",
    permissionsIn: "body",
    permissions: ["getIamPolicy", "setIamPolicy"].map((method) => `${permissionPrefix}.${method}`),
    above,
    isNamedInFull: false,
    names,
    reference: { kind, api: service.api, templates: [names] },
    targets: {
      input: "name",
      alwaysMerges: false,
      forms: [template],
      find: (name) => (names.parse(name) ? { parent, name, path: name } : undefined),
      inId: (id) => {
        const name = resourceOfGrantId(names, id);
        return name === undefined ? undefined : { name, id };
      },
    },
  };
  return parent;
}
