/**
 * Full proto names of messages, which errors and the `@type` of operations spell out. Discovery documents only have
 * names of schemas.
 */
const PACKAGES: Readonly<Record<string, string>> = { datamigration: "clouddms" };

/** Messages that several APIs share, by what is left of the name of the schema. */
const SHARED: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(SetIamPolicyRe|TestIamPermissionsRe)\w+$|^(Policy|Binding|AuditConfig|AuditLogConfig)$/, "google.iam.v1"],
  [/^Expr$/, "google.type"],
  [/^Status$/, "google.rpc"],
  [/^Empty$/, "google.protobuf"],
  [/^(Operation|CancelOperationRequest|ListOperationsResponse)$/, "google.longrunning"],
  [/^(Location|ListLocationsResponse)$/, "google.cloud.location"],
];

/** Names that some documents lead with a part of the package. */
const PREFIX = /^(Apigateway(?!$)|GoogleLongrunning|GoogleRpc|GoogleIamV1|GoogleCloudClouddmsV1)/;

/** Healthcare keeps what belongs to a kind of store in a package of its own. */
const FHIR =
  /^(GoogleCloudHealthcareV1(beta1)?Fhir(?=[A-Z])|(?=Fhir(Store|NotificationConfig)$|StreamConfig$|SchemaConfig$|SearchConfig$|SearchParameter$|ValidationConfig$|DeidentifiedStoreDestination$))/;

/** The package of an API, e.g. `google.cloud.clouddms.v1`. */
export function protoPackage(service: string, version: string): string {
  return `google.cloud.${PACKAGES[service] ?? service}.${version}`;
}

/** e.g. `google.cloud.apigateway.v1.Gateway` for the schema `ApigatewayGateway`. */
export function protoName(service: string, version: string, schema: string): string {
  const short = schema.replace(PREFIX, "");
  const shared = SHARED.find(([names]) => names.test(short));
  if (shared !== undefined) {
    return `${shared[1]}.${short}`;
  }
  const home = protoPackage(service, version);
  return service === "healthcare" && FHIR.test(short) ? `${home}.fhir.${short.replace(FHIR, "")}` : `${home}.${short}`;
}
