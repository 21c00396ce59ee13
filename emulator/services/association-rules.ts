import type { Config } from "../control/config";
import { ApiError, failedPrecondition, invalidArgument, type FieldViolation } from "../http/errors";
import { isObject, sameJson, textOf, toSnake, type JsonObject } from "../messages/json";
import { missingRequired } from "../messages/required-fields";
import { choice, flag, labels, message, output, required, text, timestamp } from "../messages/schema";
import type { StoredResource } from "../state/store";

const proto = "google.cloud.networksecurity.v1beta1";

export const association = message(`${proto}.FirewallEndpointAssociation`, {
  name: output(text),
  createTime: output(timestamp),
  updateTime: output(timestamp),
  labels,
  state: output(
    choice(`${proto}.FirewallEndpointAssociation.State`, [
      ...["STATE_UNSPECIFIED", "CREATING", "ACTIVE", "DELETING", "INACTIVE", "ORPHAN"],
    ]),
  ),
  network: required(text),
  firewallEndpoint: required(text),
  tlsInspectionPolicy: text,
  reconciling: output(flag),
  disabled: flag,
});

export const ASSOCIATION_TYPE_URL = `type.googleapis.com/${association.name}`;

/** The fields that a patch may change. */
export const MUTABLE = ["labels", "network", "firewallEndpoint", "tlsInspectionPolicy", "disabled"] as const;

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
const ID = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const LABEL_KEY = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u;
const LABEL_VALUE = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u;

function refuseAll(violations: readonly FieldViolation[]): void {
  if (violations.length > 0) {
    throw invalidArgument(violations.map(({ description }) => description).join("\n"), violations);
  }
}

/** @throws ApiError INVALID_ARGUMENT that names the location unless it is a zone */
export function checkZone(location: string): void {
  if (!ZONE.test(location)) {
    const description = `Location '${location}' is not valid for firewall endpoint associations: it must be a zone.`;
    throw invalidArgument(description, [{ field: "parent", description }]);
  }
}

export function checkId(id: string): void {
  if (!ID.test(id)) {
    const description =
      `Invalid firewall_endpoint_association_id '${id.slice(0, 100)}': it must match [a-z]([-a-z0-9]*[a-z0-9])? ` +
      "and have at most 63 characters.";
    throw invalidArgument(description, [{ field: "firewall_endpoint_association_id", description }]);
  }
}

/** `https://host/v1/projects/…` and `//host/projects/…` name the same resource as `projects/…`. */
function relativeName(reference: string): string {
  if (!/^(https?:)?\/\//.test(reference)) {
    return reference;
  }
  const start = reference.search(/\/(projects|organizations)\//);
  return start < 0 ? reference : reference.slice(start + 1);
}

/** The body with references as relative names, which the API stores and answers. */
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

/** Checks the body that an association would have after a create or patch. @throws ApiError INVALID_ARGUMENT */
export function checkBody(body: JsonObject, location: string, config: Config): void {
  refuseAll(
    missingRequired(association, body).map((field) => ({
      field,
      description: `Required field '${field}' is missing.`,
    })),
  );
  const violations: FieldViolation[] = [];
  for (const [field, { form, example }] of Object.entries(REFERENCES)) {
    const value = body[field];
    if (typeof value === "string" && !form.test(value)) {
      const description = `Invalid value for field '${toSnake(field)}': expected the form ${example}.`;
      violations.push({ field: toSnake(field), description });
    }
  }
  const given = isObject(body.labels) ? body.labels : {};
  for (const [key, value] of Object.entries(given)) {
    if (!LABEL_KEY.test(key) || !LABEL_VALUE.test(textOf(value))) {
      violations.push({ field: `labels[${key.slice(0, 100)}]`, description: `Invalid label '${key.slice(0, 100)}'.` });
    }
  }
  if (Object.keys(given).length > 64) {
    violations.push({ field: "labels", description: "A resource can have at most 64 labels." });
  }
  const zone = /\/locations\/([^/]+)\//.exec(textOf(body.firewallEndpoint))?.[1];
  if (config.enforceEndpointZone && zone !== location) {
    const description = `The firewall endpoint is in zone '${zone}', the association in '${location}'.`;
    violations.push({ field: "firewall_endpoint", description });
  }
  refuseAll(violations);
}

/** @throws ApiError INVALID_ARGUMENT where a field of the switch `immutableFields` would change */
export function checkImmutable(before: JsonObject, after: JsonObject, config: Config): void {
  refuseAll(
    config.immutableFields
      .filter((field) => !sameJson(before[field], after[field]))
      .map((field) => ({ field: toSnake(field), description: `Field '${toSnake(field)}' is immutable.` })),
  );
}

/**
 * The rules between associations: a network has one in each zone, and an endpoint has a limited number.
 *
 * @throws ApiError FAILED_PRECONDITION for the first rule, so that nobody takes it for an existing name (ALREADY_EXISTS);
 * RESOURCE_EXHAUSTED for the second
 */
export function checkNeighbours(name: string, body: JsonObject, all: readonly StoredResource[], config: Config): void {
  const others = all.filter((other) => other.service === "networksecurity" && other.name !== name);
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
