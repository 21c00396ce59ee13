import type { Config } from "../../base/config";
import { ApiError, failedPrecondition, invalidArgument, type FieldViolation } from "../../base/errors";
import { sameJson, textOf, toSnake, type JsonObject } from "../../base/json";
import type { StoredResource } from "../../state/store";
import { refuseAll } from "../checks";

const REFERENCES: Record<string, { form: RegExp; example: string }> = {
  network: {
    form: /^projects\/[^/]+\/global\/networks\/[^/]+$/,
    example: "projects/{project}/global/networks/{network}",
  },
  firewallEndpoint: {
    form: /^(organizations|projects)\/[^/]+\/locations\/[^/]+\/firewallEndpoints\/[^/]+$/,
    example: "organizations/{organization}/locations/{zone}/firewallEndpoints/{endpoint}",
  },
  tlsInspectionPolicy: {
    form: /^projects\/[^/]+\/locations\/[^/]+\/tlsInspectionPolicies\/[^/]+$/,
    example: "projects/{project}/locations/{region}/tlsInspectionPolicies/{policy}",
  },
};

/** A zone such as `us-central1-a`: associations are zonal. */
const ZONE = /^[a-z]+(-[a-z]+)*\d+-[a-z]+\d*[a-z]?$/;

/** @throws ApiError INVALID_ARGUMENT that names the location unless it is a zone */
export function checkZone(location: string): void {
  if (!ZONE.test(location)) {
    const description = `Location '${location}' is not valid for firewall endpoint associations: it must be a zone.`;
    throw invalidArgument(description, [{ field: "parent", description }]);
  }
}

/** Shortens `https://host/v1/projects/…` and `//host/projects/…` to the equivalent name `projects/…`. */
function relativeName(reference: string): string {
  if (!/^(https?:)?\/\//.test(reference)) {
    return reference;
  }
  const start = reference.search(/\/(projects|organizations)\//);
  return start < 0 ? reference : reference.slice(start + 1);
}

/** The body with references as relative names, as the API stores and returns them. */
export function withRelativeNames(body: JsonObject): JsonObject {
  const result = { ...body };
  for (const field of Object.keys(REFERENCES)) {
    const value = result[field];
    if (typeof value === "string") {
      result[field] = relativeName(value);
    }
  }
  return result;
}

/** Checks the references of an association. @throws ApiError INVALID_ARGUMENT */
export function checkReferences(body: JsonObject): void {
  const violations: FieldViolation[] = [];
  for (const [field, { form, example }] of Object.entries(REFERENCES)) {
    const value = body[field];
    if (typeof value === "string" && !form.test(value)) {
      const description = `Invalid value for field '${toSnake(field)}': expected the form ${example}.`;
      violations.push({ field: toSnake(field), description });
    }
  }
  refuseAll(violations);
}

/** @throws ApiError INVALID_ARGUMENT if a field of the switch `immutableFields` would change */
export function checkImmutable(before: JsonObject, after: JsonObject, config: Config): void {
  refuseAll(
    config.immutableFields
      .filter((field) => !sameJson(before[field], after[field]))
      .map((field) => ({ field: toSnake(field), description: `Field '${toSnake(field)}' is immutable.` })),
  );
}

/**
 * Checks the limits of associations: one for each network in a zone, and a number for each endpoint.
 *
 * @throws ApiError FAILED_PRECONDITION for the first limit, to distinguish it from an existing name (ALREADY_EXISTS);
 *   RESOURCE_EXHAUSTED for the second
 */
export function checkNeighbours(name: string, body: JsonObject, all: readonly StoredResource[], config: Config): void {
  const others = all.filter((other) => other.name.includes("/firewallEndpointAssociations/") && other.name !== name);
  const place = (resource: string) => /\/locations\/([^/]+)\//.exec(resource)?.[1];
  const rival = others.find((other) => other.body.network === body.network && place(other.name) === place(name));
  if (rival !== undefined) {
    throw failedPrecondition(
      "NETWORK_ALREADY_ASSOCIATED",
      textOf(body.network),
      `Network '${textOf(body.network)}' already has a firewall endpoint association in this zone: '${rival.name}'.`,
    );
  }
  const used = others.filter((other) => other.body.firewallEndpoint === body.firewallEndpoint).length;
  if (used >= config.associationsPerEndpoint) {
    throw new ApiError(
      "RESOURCE_EXHAUSTED",
      `Firewall endpoint '${textOf(body.firewallEndpoint)}' already has ${used} associations; the limit is ` +
        `${config.associationsPerEndpoint}.`,
    );
  }
}
