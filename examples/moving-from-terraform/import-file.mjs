// Turns what `terraform show -json` prints into a file for `pulumi import --file`:
//
//   terraform show -json | node import-file.mjs > import.json
//
// Terraform's ids are understood as they are. What has no counterpart is left out, and named on standard error.
import { readFileSync } from "node:fs";

const TYPES = {
  google_network_security_firewall_endpoint_association:
    "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
  google_healthcare_fhir_store_iam_member: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
  google_healthcare_fhir_store_iam_binding: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding",
  google_api_gateway_gateway_iam_member: "perimeter:apigateway/v1beta:GatewayIamMember",
  google_api_gateway_gateway_iam_binding: "perimeter:apigateway/v1beta:GatewayIamBinding",
};

/** The resources of a module and of the modules in it. */
function resourcesOf({ resources = [], child_modules: children = [] }) {
  return [...resources, ...children.flatMap(resourcesOf)];
}

/** A valid name for Pulumi, as unique in the state as Terraform's address: `module.a.google_x.prod[0]` → `a-prod-0`. */
function nameOf({ address, type }) {
  return address
    .replace(`${type}.`, "")
    .replace(/(^|\.)module\./g, "$1")
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^-|-$/g, "");
}

const { values } = JSON.parse(readFileSync(0, "utf8"));
const managed = resourcesOf(values?.root_module ?? {}).filter(({ mode }) => mode === "managed");
const known = managed.filter(({ type }) => type in TYPES);
for (const { address } of managed.filter(({ type }) => !(type in TYPES))) {
  process.stderr.write(`left out, has no counterpart here: ${address}\n`);
}
const resources = known.map((each) => ({ type: TYPES[each.type], name: nameOf(each), id: each.values.id }));
process.stdout.write(`${JSON.stringify({ resources }, null, 2)}\n`);
