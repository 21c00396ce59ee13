import type { Service } from "./api";

/**
 * APIs whose host in full resource names differs from the host of their requests.
 * Source: https://cloud.google.com/iam/docs/full-resource-names.
 */
export const FULL_NAME_HOSTS: Readonly<Record<string, Service>> = { bigtable: "bigtableadmin" };
