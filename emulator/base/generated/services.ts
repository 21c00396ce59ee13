// Written by `make generate` from tests/wire/discovery/ and tools/discovery/policy-kinds.txt: do not edit.

/** Every API by the first label of its host name, which is also its name in seeds. */
export const SERVICES = ["accesscontextmanager","agentidentity","agentregistry","aiplatform","analyticshub","apigateway","apigee","apigeeregistry","apphub","artifactregistry","backupdr","beyondcorp","biglake","bigquery","bigqueryconnection","bigquerydatapolicy","bigqueryreservation","bigtableadmin","binaryauthorization","cloudbilling","cloudbuild","clouddeploy","cloudfunctions","cloudiot","cloudkms","cloudresourcemanager","cloudtasks","compute","config","connectors","contactcenterinsights","containeranalysis","datacatalog","dataform","datafusion","datamigration","dataplex","dataproc","deploymentmanager","discoveryengine","dns","domains","eventarc","gameservices","gkebackup","gkehub","gkeonprem","healthcare","iam","iap","identitytoolkit","logging","managedidentities","metastore","ml","networkconnectivity","networkmanagement","networksecurity","networkservices","notebooks","privateca","pubsub","run","runtimeconfig","secretmanager","securesourcemanager","securitycenter","servicedirectory","servicemanagement","sourcerepo","spanner","storage","vmwareengine","workstations"] as const;

export type Service = (typeof SERVICES)[number];

/** The APIs whose resources have methods. Of the others, the emulator has access policies only. */
export type DescribedService = "apigateway" | "cloudresourcemanager" | "datamigration" | "eventarc" | "gkehub" | "healthcare" | "iam" | "networksecurity";
