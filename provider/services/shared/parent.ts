import type { ServiceDefinition } from "../../core/definition";
import type { PolicyKind } from "../../iam/policy-api";
import { nameTemplate, type NameTemplate, type ReferenceKind } from "../../core/reference";

/** A grant for the examples of a kind of resource, on a resource that the emulator has from the start. */
export interface GrantExample {
  /** The name of the grant in the program, in camel case. */
  readonly variable: string;
  readonly name: string;
  readonly role: string;
  readonly member: string;
}

/** A kind of resource whose access policy the provider manages, as a row of `services/parents.ts`. */
export interface ParentRow extends PolicyKind {
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
  /** The kind of the resource that contains it, if that one has an access policy in the same API: `dataset`. */
  readonly parent?: string;
  readonly example: GrantExample;
  /** With its definite article, if the provider has a lookup of its policy: "the gateway". */
  readonly policyLookup?: string;
}

/** A row with everything that is derived from it. */
export interface GrantParent extends ParentRow {
  readonly names: NameTemplate;
  /** As the value of a property that names it. */
  readonly reference: ReferenceKind;
  /** The permissions for creating and deleting grants, which the preflight tests. */
  readonly permissions: readonly string[];
}

export function grantParent(row: ParentRow): GrantParent {
  const { service, kind, template, permissionPrefix, contents = [], otherRoles = [], parent } = row;
  const names = nameTemplate(template);
  const permissions = [permissionPrefix, ...contents].map((prefix) => `${prefix}.`);
  const above = { permissions, otherRoles, ...(parent === undefined ? {} : { parent }) };
  return {
    ...row,
    names,
    reference: { kind, api: service.api, templates: [names], above },
    permissions: ["getIamPolicy", "setIamPolicy"].map((method) => `${permissionPrefix}.${method}`),
  };
}
