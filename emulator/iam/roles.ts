import type { Service } from "../base/api";

/**
 * The predefined roles of some services, which the emulator knows by name. They are compiled by hand from
 * https://cloud.google.com/iam/docs/roles-permissions, and may lack roles that are newer. Policies of other services accept
 * every role whose name has the form of a predefined role.
 */
const ROLES: Partial<Record<Service, string>> = {
  apigateway: "admin editor serviceAgent viewer",
  cloudkms: `admin autokeyAdmin autokeyUser cryptoKeyDecrypter cryptoKeyDecrypterViaDelegation cryptoKeyEncrypter
    cryptoKeyEncrypterDecrypter cryptoKeyEncrypterDecrypterViaDelegation cryptoKeyEncrypterViaDelegation cryptoOperator editor
    ekmConnectionsAdmin expertPqcSigner expertRawAesCbc expertRawAesCtr expertRawPKCS1 hsmSingleTenantExecutor
    hsmSingleTenantProposer hsmSingleTenantQuorumMember importer keyAccessJustificationsEnrollmentConfigAdmin
    keyAccessJustificationsEnrollmentConfigViewer orgServiceAgent protectedResourcesViewer publicKeyViewer serviceAgent signer
    signerVerifier verifier viewer`,
  datamigration: "admin editor serviceAgent viewer",
  eventarc: `admin connectionPublisher developer editor eventReceiver messageBusAdmin messageBusUser
    multiProjectEventCollector publisher serviceAgent viewer`,
  gkehub: `admin connect crossProjectServiceAgent editor gatewayAdmin gatewayEditor gatewayReader scopeAdmin scopeEditor
    scopeEditorProjectLevel scopeViewer scopeViewerProjectLevel serviceAgent viewer`,
  healthcare: `admin annotationEditor annotationReader annotationStoreAdmin annotationStoreViewer attributeDefinitionEditor
    attributeDefinitionReader consentArtifactAdmin consentArtifactEditor consentArtifactReader consentEditor consentReader
    consentStoreAdmin consentStoreViewer dataMapperWorkspaceConsumer dataMapperWorkspaceEditor dataMapperWorkspaceViewer
    datasetAdmin datasetViewer dicomEditor dicomStoreAdmin dicomStoreViewer dicomViewer editor fhirResourceEditor
    fhirResourceReader fhirStoreAdmin fhirStoreViewer hl7V2Consumer hl7V2Editor hl7V2Ingest hl7V2StoreAdmin hl7V2StoreViewer
    locationViewer nlpServiceViewer serviceAgent userDataMappingEditor userDataMappingReader viewer`,
  pubsub: "admin editor publisher serviceAgent subscriber viewer",
  run: `admin builder developer editor invoker jobsExecutor jobsExecutorWithOverrides serviceAgent servicesInvoker
    sourceDeveloper sourceViewer viewer`,
  secretmanager: "admin editor secretAccessor secretVersionAdder secretVersionManager serviceAgent viewer",
  storage: `admin bucketViewer contextEditor editor expressModeServiceInput expressModeServiceOutput expressModeUserAccess
    folderAdmin hmacKeyAdmin insightsCollectorService legacyBucketOwner legacyBucketReader legacyBucketWriter
    legacyObjectOwner legacyObjectReader objectAdmin objectCreator objectUser objectViewer viewer`,
};

/** Roles with permissions on the resources of every service. */
const EVERYWHERE = [
  ...["owner", "editor", "viewer", "admin", "writer", "reader"],
  ...["iam.securityAdmin", "iam.securityReviewer"],
].map((role) => `roles/${role}`);

/** The predefined roles that a policy of the service can grant, sorted; undefined if the emulator does not know them. */
export function grantableRoles(service: string): readonly string[] | undefined {
  const own = (ROLES as Partial<Record<string, string>>)[service];
  return own === undefined ? undefined : [...namesOf(service, own), ...EVERYWHERE].sort();
}

function namesOf(service: string, names: string): string[] {
  return names.split(/\s+/).map((name) => `roles/${service}.${name}`);
}

/** Whether it is certain that no policy of the service can grant the role: its own service, or that of the policy, lacks it. */
export function isNotGrantable(role: string, service: Service): boolean {
  const ofRole = /^roles\/(\w+)\./.exec(role)?.[1] ?? "";
  if (!Object.hasOwn(ROLES, ofRole)) return false;
  return !(grantableRoles(service) ?? grantableRoles(ofRole) ?? []).includes(role);
}
