/** What the engine calls the resources and lookups that tests and benches ask for most. */
export const ASSOCIATION = "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation";
export const JOB_GRANT = "perimeter:datamigration/v1beta1:MigrationJobIamMember";
export const TRIGGER_GRANT = "perimeter:eventing/v1:TriggerIamMember";
export const GATEWAY_GRANT = "perimeter:apigateway/v1beta:GatewayIamMember";
export const STORE_GRANT = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";
export const ANY_GRANT = "perimeter:iam/v1:ResourceIamMember";
export const GET_SCOPE = "perimeter:fleet/v1beta:getScope";
export const GET_TRIGGER = "perimeter:eventing/v1:getTrigger";
export const GET_TRIGGER_POLICY = "perimeter:eventing/v1:getTriggerIamPolicy";
export const GET_GATEWAY_POLICY = "perimeter:apigateway/v1beta:getGatewayIamPolicy";

/** The URN of a resource in the stack `test` of the project `p`. */
export const urnOf = (name: string, type = STORE_GRANT): string => `urn:pulumi:test::p::${type}::${name}`;
export const STORE_BINDING = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding";
