/** The roles that have two names in the access list of a BigQuery dataset, which keeps one entry for both. */

/** The API takes both and answers with the first: https://www.pulumi.com/registry/packages/gcp/api-docs/bigquery/datasetaccess */
const DATASET_ROLES: ReadonlyArray<readonly string[]> = [
  ["OWNER", "roles/bigquery.dataOwner"],
  ["WRITER", "roles/bigquery.dataEditor"],
  ["READER", "roles/bigquery.dataViewer"],
];

/** All names of a role in such a list, the short one first. */
export function datasetRolesOf(role: string): readonly string[] {
  return DATASET_ROLES.find((each) => each.includes(role)) ?? [role];
}
