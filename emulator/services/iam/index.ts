import { Api, type ApiNotes } from "../../base/api";
import { iamV1 } from "../../base/generated/iam.v1";
import { serve, type ResourceDeclaration } from "../resource-type";

const notes: ApiNotes = { title: "Identity and Access Management (IAM) API", package: "iam.admin" };

/** Predefined roles, and the custom roles of projects and organizations. */
const roles = ["roles", "projects.roles", "organizations.roles"].map((collection): ResourceDeclaration => ({
  collection,
  schema: "Role",
  permissions: "iam.roles",
  defaults: () => ({ stage: "GA" }),
}));

/** https://cloud.google.com/iam/docs/reference/rest */
export const iam = serve([new Api(iamV1, notes)], roles);
