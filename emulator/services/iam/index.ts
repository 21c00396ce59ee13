import { Api, type ApiNotes } from "../../base/api";
import { iamV1 } from "../../base/generated/iam.v1";
import { textOf, type JsonObject } from "../../base/json";
import { splitFullName } from "../../base/policy-kinds";
import { grantableRoles } from "../../iam/roles";
import { refuse } from "../checks";
import type { Call } from "../method";
import { serve, type ResourceDeclaration } from "../resource-type";

const notes: ApiNotes = { title: "Identity and Access Management (IAM) API", package: "iam.admin" };

/** Predefined roles, and the custom roles of projects and organizations. */
const roles = ["roles", "projects.roles", "organizations.roles"].map((collection): ResourceDeclaration => ({
  collection,
  schema: "Role",
  permissions: "iam.roles",
  defaults: () => ({ stage: "GA" }),
  ...(collection === "roles" && { methods: { queryGrantableRoles: { handler: queryGrantableRoles } } }),
}));

const DEFAULT_PAGE = 300;
const MAX_PAGE = 3000;

/** The names of the predefined roles that can be granted on a resource. Their titles and permissions are not known here. */
function queryGrantableRoles({ body }: Call): JsonObject {
  const fullName = textOf(body.fullResourceName);
  const { service = "" } = splitFullName(fullName) ?? {};
  const roles = grantableRoles(service);
  if (roles === undefined) {
    refuse(
      "full_resource_name",
      `The emulator does not know the roles that can be granted on '${fullName.slice(0, 500)}'.`,
    );
  }
  const size = Number(body.pageSize ?? 0);
  if (size < 0 || size > MAX_PAGE) {
    refuse("page_size", `The page size must be between 0 and ${MAX_PAGE}.`);
  }
  const token = textOf(body.pageToken);
  if (!/^\d*$/.test(token)) {
    refuse("page_token", "Invalid page token.");
  }
  const end = Number(token) + (size || DEFAULT_PAGE);
  const page = roles.slice(Number(token), end).map((name) => ({ name }));
  return { ...(page.length > 0 && { roles: page }), ...(end < roles.length && { nextPageToken: String(end) }) };
}

/** https://cloud.google.com/iam/docs/reference/rest */
export const iam = serve([new Api(iamV1, notes)], roles);
