import type { ServiceDefinition } from "../core/definition";
import { didYouMean } from "../core/problem";
import { isRecord, listOf, textOf, type Values } from "../core/unknown";
import type { Call } from "../http/call";
import type { ApiClient } from "../http/client";
import { OptionalReads } from "../http/optional-reads";

const PAGE_SIZE = 1000;
/** More pages than any resource has: about 2,000 predefined roles exist. */
const MOST_PAGES = 20;

/** A resource, and the kind of resource that it is. */
export interface RoleHolder {
  /** `//healthcare.googleapis.com/projects/…` */
  fullName: string;
  /** One object for each kind: its resources have the same predefined roles. */
  parent: RoleHolderKind;
}

interface RoleHolderKind {
  /** With its article, for messages: "a FHIR store". */
  kind: string;
  /** The API of the resources. */
  service: ServiceDefinition;
}

interface Page {
  roles: string[];
  /** The token of the next page; undefined on the last one. */
  next: string | undefined;
}

function pageOf({ roles, nextPageToken }: Values): Page {
  const names = listOf(roles).flatMap((each) => (isRecord(each) ? [textOf(each.name)] : []));
  return { roles: names, next: textOf(nextPageToken) || undefined };
}

/** Which predefined roles can be granted on which kind of resource, asked once for each kind. */
export class GrantableRoles {
  private readonly known = new OptionalReads<RoleHolderKind, ReadonlySet<string> | undefined>("list roles");

  /** @param clientFor the client of the IAM API in the cloud of a service; undefined if that cloud has none. */
  constructor(private readonly clientFor: (service: ServiceDefinition) => ApiClient | undefined) {}

  /**
   * Checks that a role can be granted on a resource.
   *
   * @returns the problem, as a phrase after the property; undefined for a custom role, and where the API does not say: the caller
   *   may not ask, the API does not know the kind of resource, or it lists no role of the role's service. "If a service hasn't been
   *   enabled, its roles will not be returned" (https://cloud.google.com/iam/docs/viewing-grantable-roles): they can be granted.
   *
   * Method: https://cloud.google.com/iam/docs/reference/rest/v1/roles/queryGrantableRoles
   */
  async problem(role: string, on: RoleHolder, call: Call): Promise<string | undefined> {
    if (!role.startsWith("roles/")) return undefined;
    const client = this.clientFor(on.parent.service);
    const roles = client && (await this.known.get(on.parent, client, call, (own) => ask(client, on, own)));
    if (!roles || roles instanceof Error || roles.has(role)) return undefined;
    const ofService = role.slice(0, role.indexOf(".") + 1);
    if (![...roles].some((each) => each.startsWith(ofService))) return undefined;
    const got = call.secret?.includes("role") ? "" : `, got "${role}"${didYouMean(role, [...roles])}`;
    return `must be a role that can be granted on ${on.parent.kind}${got}`;
  }
}

/** The roles, or undefined if the API does not tell them. @throws the transport's errors */
async function ask(
  client: ApiClient,
  { fullName, parent }: RoleHolder,
  call: Call,
): Promise<ReadonlySet<string> | undefined> {
  const roles = new Set<string>();
  let pageToken: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const body = { fullResourceName: fullName, pageSize: PAGE_SIZE, ...(pageToken === undefined ? {} : { pageToken }) };
    const doing = `list the roles that can be granted on ${parent.kind}`;
    const found: Page = await client.request(
      { kind: "read", method: "POST", path: "roles", verb: "queryGrantableRoles", body, doing, resource: fullName },
      call,
      pageOf,
    );
    for (const each of found.roles) roles.add(each);
    pageToken = found.next;
    if (pageToken === undefined) break;
  }
  // A list without roles, or one that did not end, says nothing about a role.
  return roles.size === 0 || pageToken !== undefined ? undefined : roles;
}
