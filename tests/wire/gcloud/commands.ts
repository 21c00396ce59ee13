/** Commands of gcloud for one API, in an order in which each finds what it needs. `{op}` is the last operation. */
export interface Scenario {
  api: string;
  /** The APIs that the commands call, if they are several: the path to which gcloud adds that of a method, by API. */
  apis?: Readonly<Record<string, string>>;
  /** A handful, run wherever gcloud is. */
  everyday: readonly string[];
  /** The long list, run with PERIMETER_GCLOUD=all. */
  rare: readonly string[];
}

const member = "--member=user:ada@example.com";
const at = "--location=us-central1";
const inZone = "--zone=us-central1-a";
const region = "--region=us-central1";
const endpoint = "organizations/1/locations/us-central1-a/firewallEndpoints/fe";

const scopeRole = `gs ${member} --role=roles/gkehub.viewer`;
const shopRole = `shop ${member} --role=roles/apigateway.viewer`;
const gatewayRole = `gw ${at} ${member} --role=roles/apigateway.viewer`;
const datasetRole = `gd ${at} ${member} --role=roles/healthcare.datasetViewer`;
const storeRole = `fs --dataset=gd ${at} ${member} --role=roles/healthcare.fhirStoreViewer`;

const keyRole = `k --keyring=r ${at} ${member} --role=roles/cloudkms.cryptoKeyEncrypterDecrypter`;
const serviceRole = `shop ${region} ${member} --role=roles/run.invoker`;

export const SCENARIOS: readonly Scenario[] = [
  {
    api: "access policies",
    apis: {
      cloudresourcemanager: "cloudresourcemanager/",
      pubsub: "pubsub/",
      secretmanager: "secretmanager/",
      cloudkms: "cloudkms/",
      storage: "storage/v1/",
      run: "run/",
      iam: "iam/",
      compute: "compute/v1/",
    },
    everyday: [
      `pubsub topics add-iam-policy-binding orders ${member} --role=roles/pubsub.publisher`,
      `storage buckets add-iam-policy-binding gs://my-bucket ${member} --role=roles/storage.objectViewer`,
    ],
    rare: [
      `projects add-iam-policy-binding demo-project ${member} --role=roles/viewer`,
      `compute instances add-iam-policy-binding vm ${inZone} ${member} --role=roles/compute.osLogin`,
      `secrets add-iam-policy-binding key ${member} --role=roles/secretmanager.secretAccessor`,
      `kms keys add-iam-policy-binding ${keyRole}`,
      `kms keys remove-iam-policy-binding ${keyRole}`,
      `run services add-iam-policy-binding ${serviceRole}`,
      `run services get-iam-policy shop ${region}`,
      `iam service-accounts add-iam-policy-binding sa@demo-project.iam.gserviceaccount.com ${member} ` +
        "--role=roles/iam.serviceAccountUser",
      "iam list-grantable-roles //pubsub.googleapis.com/projects/demo-project/topics/orders",
      "storage buckets get-iam-policy gs://my-bucket",
      "storage buckets set-iam-policy gs://my-bucket {policy}",
      `pubsub topics remove-iam-policy-binding orders ${member} --role=roles/pubsub.publisher`,
    ],
  },
  {
    api: "gkehub",
    everyday: [
      "container fleet scopes create gs --labels=a=b",
      "container fleet scopes list",
      "container fleet scopes describe gs",
      `container fleet scopes add-iam-policy-binding ${scopeRole}`,
      "container fleet scopes delete gs",
    ],
    rare: [
      "container fleet scopes create gs --labels=a=b --namespace-labels=c=d",
      "container fleet scopes update gs --update-labels=x=y",
      `container fleet scopes add-iam-policy-binding ${scopeRole}`,
      "container fleet scopes get-iam-policy gs",
      `container fleet scopes remove-iam-policy-binding ${scopeRole}`,
      "container fleet scopes namespaces create ns --scope=gs",
      "container fleet scopes namespaces list --scope=gs",
      "container fleet scopes namespaces describe ns --scope=gs",
      "container fleet scopes namespaces update ns --scope=gs --update-labels=x=y",
      "container fleet scopes namespaces delete ns --scope=gs",
      "container fleet scopes rbacrolebindings create rb --scope=gs --role=admin --user=ada@example.com",
      "container fleet scopes rbacrolebindings list --scope=gs",
      "container fleet scopes rbacrolebindings describe rb --scope=gs",
      "container fleet scopes rbacrolebindings update rb --scope=gs --role=view --user=ada@example.com",
      "container fleet scopes rbacrolebindings delete rb --scope=gs",
      "container fleet scopes list-memberships gs",
      "container fleet memberships create cluster",
      "container fleet memberships list",
      "container fleet memberships bindings create binding --membership=cluster --scope=gs",
      "container fleet memberships bindings list --membership=cluster",
      "container fleet scopes list-memberships gs",
      "container fleet memberships bindings delete binding --membership=cluster",
      "container fleet memberships delete cluster",
      "container fleet operations list --location=global",
      "container fleet operations describe {op} --location=global",
      "container fleet scopes delete gs",
      "beta container fleet scopes create gb",
      "beta container fleet scopes describe gb",
      "alpha container fleet scopes list",
      "alpha container fleet scopes delete gb",
    ],
  },
  {
    api: "eventarc",
    everyday: [
      `eventarc triggers create gt ${at} --destination-run-service=svc --destination-run-region=us-central1 ` +
        "--event-filters=type=google.cloud.pubsub.topic.v1.messagePublished " +
        "--service-account=sa@demo-project.iam.gserviceaccount.com",
      `eventarc triggers list ${at}`,
      `eventarc triggers describe gt ${at}`,
      `eventarc triggers update gt ${at} --update-labels=a=b`,
      `eventarc triggers delete gt ${at}`,
    ],
    rare: [
      `eventarc triggers create gt ${at} --destination-workflow=wf --destination-workflow-location=us-central1 ` +
        "--event-filters=type=google.cloud.audit.log.v1.written --event-filters=serviceName=storage.googleapis.com " +
        "--event-filters=methodName=storage.objects.create --service-account=sa@demo-project.iam.gserviceaccount.com",
      "eventarc triggers list",
      `eventarc triggers update gt ${at} --destination-run-service=svc --destination-run-region=us-central1`,
      `eventarc triggers update gt ${at} --destination-run-path=/x`,
      "eventarc locations list",
      `eventarc triggers delete gt ${at}`,
    ],
  },
  {
    api: "apigateway",
    everyday: [
      "api-gateway apis create shop",
      "api-gateway api-configs create v1 --api=shop --openapi-spec={openapi}",
      `api-gateway gateways create gw --api=shop --api-config=v1 ${at}`,
      `api-gateway gateways add-iam-policy-binding ${gatewayRole}`,
      `api-gateway gateways describe gw ${at}`,
    ],
    rare: [
      "api-gateway apis list",
      "api-gateway apis describe shop",
      "api-gateway apis update shop --update-labels=a=b",
      `api-gateway apis add-iam-policy-binding ${shopRole}`,
      "api-gateway apis get-iam-policy shop",
      `api-gateway apis remove-iam-policy-binding ${shopRole}`,
      "api-gateway api-configs list --api=shop",
      "api-gateway api-configs list",
      "api-gateway api-configs describe v1 --api=shop",
      "api-gateway api-configs update v1 --api=shop --update-labels=a=b",
      `api-gateway gateways list ${at}`,
      "api-gateway gateways list",
      // gcloud sends both to the API, as `filter` and `orderBy`.
      `api-gateway gateways list ${at} --filter=state=ACTIVE --sort-by=displayName`,
      `api-gateway gateways update gw ${at} --display-name=New --update-labels=a=b`,
      `api-gateway gateways get-iam-policy gw ${at}`,
      `api-gateway gateways remove-iam-policy-binding ${gatewayRole}`,
      `api-gateway operations list ${at}`,
      `api-gateway gateways create async --api=shop --api-config=v1 ${at} --async`,
      `api-gateway operations describe {op} ${at}`,
      `api-gateway operations wait {op} ${at}`,
      `api-gateway operations cancel {op} ${at}`,
      `api-gateway gateways delete async ${at}`,
      `api-gateway gateways delete gw ${at}`,
      "api-gateway api-configs delete v1 --api=shop",
      "api-gateway apis delete shop",
    ],
  },
  {
    api: "networksecurity",
    everyday: [
      `network-security firewall-endpoints create fe --organization=1 ${inZone} --billing-project=demo-project`,
      `network-security firewall-endpoint-associations create fa ${inZone} ` +
        `--network=projects/demo-project/global/networks/n --endpoint=${endpoint}`,
      `network-security firewall-endpoint-associations list ${inZone}`,
      `network-security firewall-endpoint-associations update fa ${inZone} --update-labels=k=v`,
      `network-security firewall-endpoint-associations delete fa ${inZone}`,
    ],
    rare: [
      `network-security firewall-endpoints describe fe --organization=1 ${inZone}`,
      `network-security firewall-endpoints list --organization=1 ${inZone}`,
      `network-security firewall-endpoints update fe --organization=1 ${inZone} --update-labels=a=b`,
      `network-security firewall-endpoint-associations create fa ${inZone} ` +
        `--network=projects/demo-project/global/networks/n --endpoint=${endpoint}`,
      "network-security firewall-endpoint-associations list",
      `network-security firewall-endpoint-associations describe fa ${inZone}`,
      `network-security firewall-endpoint-associations update fa ${inZone} --disabled`,
      `network-security firewall-endpoint-associations update fa ${inZone} --no-disabled`,
      `beta network-security firewall-endpoint-associations describe fa ${inZone}`,
      `alpha network-security firewall-endpoint-associations list ${inZone}`,
      `beta network-security firewall-endpoint-associations delete fa ${inZone}`,
      `alpha network-security firewall-endpoints list --organization=1 ${inZone}`,
      `network-security firewall-endpoints delete fe --organization=1 ${inZone}`,
    ],
  },
  {
    api: "datamigration",
    everyday: [
      `database-migration connection-profiles create mysql cps ${region} --host=10.0.0.1 --port=3306 --username=u ` +
        "--password=p --no-async",
      `database-migration migration-jobs create mj ${region} --type=CONTINUOUS --source=cps --destination=cpd ` +
        "--static-ip --no-async",
      `database-migration migration-jobs list ${region}`,
      `database-migration migration-jobs start mj ${region}`,
      `database-migration migration-jobs describe mj ${region}`,
    ],
    rare: [
      `database-migration connection-profiles create cloudsql cpd ${region} --database-version=MYSQL_8_0 ` +
        "--tier=db-n1-standard-1 --source-id=cps --no-async",
      `database-migration connection-profiles list ${region}`,
      `database-migration connection-profiles describe cps ${region}`,
      `database-migration connection-profiles update cps ${region} --display-name=New`,
      `database-migration migration-jobs update mj ${region} --display-name=New`,
      `database-migration migration-jobs verify mj ${region}`,
      `database-migration migration-jobs stop mj ${region}`,
      `database-migration migration-jobs resume mj ${region}`,
      `database-migration migration-jobs promote mj ${region}`,
      `database-migration migration-jobs restart mj ${region}`,
      `database-migration operations list ${region}`,
      `database-migration operations describe {op} ${region}`,
      `database-migration operations delete {op} ${region}`,
      `database-migration migration-jobs delete mj ${region}`,
      `database-migration connection-profiles delete cpd ${region}`,
      `database-migration connection-profiles delete cps ${region}`,
    ],
  },
  {
    api: "healthcare",
    everyday: [
      `healthcare datasets create gd ${at} --time-zone=UTC`,
      `healthcare fhir-stores create fs --dataset=gd ${at} --version=R4`,
      `healthcare fhir-stores add-iam-policy-binding ${storeRole}`,
      `healthcare fhir-stores list --dataset=gd ${at}`,
      `healthcare fhir-stores describe fs --dataset=gd ${at}`,
    ],
    rare: [
      `healthcare datasets list ${at}`,
      `healthcare datasets describe gd ${at}`,
      `healthcare datasets update gd ${at} --time-zone=Europe/Berlin`,
      `healthcare datasets add-iam-policy-binding ${datasetRole}`,
      `healthcare datasets get-iam-policy gd ${at}`,
      `healthcare datasets remove-iam-policy-binding ${datasetRole}`,
      `healthcare datasets set-iam-policy gd {policy} ${at}`,
      `healthcare fhir-stores update fs --dataset=gd ${at} --pubsub-topic=projects/demo-project/topics/t`,
      `healthcare fhir-stores get-iam-policy fs --dataset=gd ${at}`,
      `healthcare fhir-stores remove-iam-policy-binding ${storeRole}`,
      `healthcare fhir-stores set-iam-policy fs {policy} --dataset=gd ${at}`,
      `healthcare fhir-stores metrics fs --dataset=gd ${at}`,
      `healthcare operations list --dataset=gd ${at}`,
      `healthcare operations describe {op} --dataset=gd ${at}`,
      `alpha healthcare operations cancel {op} --dataset=gd ${at}`,
      `beta healthcare fhir-stores list --dataset=gd ${at}`,
      `alpha healthcare fhir-stores list --dataset=gd ${at}`,
      `healthcare fhir-stores delete fs --dataset=gd ${at}`,
      `healthcare datasets delete gd ${at}`,
    ],
  },
];
