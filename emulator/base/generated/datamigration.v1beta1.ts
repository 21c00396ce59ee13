// Written by `make generate` from tests/wire/discovery/datamigration.v1beta1.json: do not edit.
import type { ApiDescription } from "../api";

export const datamigrationV1beta1: ApiDescription = {
 "service": "datamigration",
 "version": "v1beta1",
 "methods": {
  "projects.locations.connectionProfiles.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/connectionProfiles",
   "query": {
    "connectionProfileId": "string",
    "requestId": "string"
   },
   "request": "ConnectionProfile",
   "response": "Operation"
  },
  "projects.locations.connectionProfiles.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/connectionProfiles/{connectionProfile}",
   "query": {
    "force": "bool",
    "requestId": "string"
   },
   "response": "Operation"
  },
  "projects.locations.connectionProfiles.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/connectionProfiles/{connectionProfile}",
   "response": "ConnectionProfile"
  },
  "projects.locations.connectionProfiles.getIamPolicy": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/connectionProfiles/{connectionProfile}",
   "action": "getIamPolicy",
   "query": {
    "options.requestedPolicyVersion": "int32"
   },
   "response": "Policy"
  },
  "projects.locations.connectionProfiles.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/connectionProfiles",
   "query": {
    "filter": "string",
    "orderBy": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListConnectionProfilesResponse"
  },
  "projects.locations.connectionProfiles.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/connectionProfiles/{connectionProfile}",
   "query": {
    "requestId": "string",
    "updateMask": "string"
   },
   "request": "ConnectionProfile",
   "response": "Operation"
  },
  "projects.locations.connectionProfiles.setIamPolicy": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/connectionProfiles/{connectionProfile}",
   "action": "setIamPolicy",
   "request": "SetIamPolicyRequest",
   "response": "Policy"
  },
  "projects.locations.connectionProfiles.testIamPermissions": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/connectionProfiles/{connectionProfile}",
   "action": "testIamPermissions",
   "request": "TestIamPermissionsRequest",
   "response": "TestIamPermissionsResponse"
  },
  "projects.locations.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}",
   "response": "Location"
  },
  "projects.locations.list": {
   "verb": "GET",
   "path": "projects/{project}/locations",
   "query": {
    "extraLocationTypes": "strings",
    "filter": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListLocationsResponse"
  },
  "projects.locations.migrationJobs.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/migrationJobs",
   "query": {
    "migrationJobId": "string",
    "requestId": "string"
   },
   "request": "MigrationJob",
   "response": "Operation"
  },
  "projects.locations.migrationJobs.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "query": {
    "force": "bool",
    "requestId": "string"
   },
   "response": "Operation"
  },
  "projects.locations.migrationJobs.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "response": "MigrationJob"
  },
  "projects.locations.migrationJobs.getIamPolicy": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "action": "getIamPolicy",
   "query": {
    "options.requestedPolicyVersion": "int32"
   },
   "response": "Policy"
  },
  "projects.locations.migrationJobs.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/migrationJobs",
   "query": {
    "filter": "string",
    "orderBy": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListMigrationJobsResponse"
  },
  "projects.locations.migrationJobs.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "query": {
    "requestId": "string",
    "updateMask": "string"
   },
   "request": "MigrationJob",
   "response": "Operation"
  },
  "projects.locations.migrationJobs.promote": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "action": "promote",
   "request": "PromoteMigrationJobRequest",
   "response": "Operation"
  },
  "projects.locations.migrationJobs.restart": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "action": "restart",
   "request": "RestartMigrationJobRequest",
   "response": "Operation"
  },
  "projects.locations.migrationJobs.resume": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "action": "resume",
   "request": "ResumeMigrationJobRequest",
   "response": "Operation"
  },
  "projects.locations.migrationJobs.setIamPolicy": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "action": "setIamPolicy",
   "request": "SetIamPolicyRequest",
   "response": "Policy"
  },
  "projects.locations.migrationJobs.start": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "action": "start",
   "request": "StartMigrationJobRequest",
   "response": "Operation"
  },
  "projects.locations.migrationJobs.stop": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "action": "stop",
   "request": "StopMigrationJobRequest",
   "response": "Operation"
  },
  "projects.locations.migrationJobs.testIamPermissions": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "action": "testIamPermissions",
   "request": "TestIamPermissionsRequest",
   "response": "TestIamPermissionsResponse"
  },
  "projects.locations.migrationJobs.verify": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "action": "verify",
   "request": "VerifyMigrationJobRequest",
   "response": "Operation"
  },
  "projects.locations.operations.cancel": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/operations/{operation}",
   "action": "cancel",
   "request": "CancelOperationRequest",
   "response": "Empty"
  },
  "projects.locations.operations.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/operations/{operation}",
   "response": "Empty"
  },
  "projects.locations.operations.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/operations/{operation}",
   "response": "Operation"
  },
  "projects.locations.operations.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/operations",
   "query": {
    "filter": "string",
    "pageSize": "int32",
    "pageToken": "string",
    "returnPartialSuccess": "bool"
   },
   "response": "ListOperationsResponse"
  }
 },
 "messages": {
  "AuditConfig": {
   "auditLogConfigs": "list AuditLogConfig",
   "service": "string"
  },
  "AuditLogConfig": {
   "exemptedMembers": "list string",
   "logType": "enum LOG_TYPE_UNSPECIFIED ADMIN_READ DATA_WRITE DATA_READ"
  },
  "Binding": {
   "condition": "Expr",
   "members": "list string",
   "role": "string"
  },
  "CancelOperationRequest": {},
  "CloudSqlConnectionProfile": {
   "cloudSqlId": "output string",
   "privateIp": "output string",
   "publicIp": "output string",
   "settings": "immutable CloudSqlSettings"
  },
  "CloudSqlSettings": {
   "activationPolicy": "enum SQL_ACTIVATION_POLICY_UNSPECIFIED ALWAYS NEVER",
   "autoStorageIncrease": "bool",
   "dataDiskSizeGb": "int64",
   "dataDiskType": "enum SQL_DATA_DISK_TYPE_UNSPECIFIED PD_SSD PD_HDD",
   "databaseFlags": "map string",
   "databaseVersion": "enum SQL_DATABASE_VERSION_UNSPECIFIED MYSQL_5_6 MYSQL_5_7 MYSQL_8_0",
   "ipConfig": "SqlIpConfig",
   "rootPassword": "input string",
   "rootPasswordSet": "output bool",
   "sourceId": "string",
   "storageAutoResizeLimit": "int64",
   "tier": "string",
   "userLabels": "map string",
   "zone": "string"
  },
  "ConnectionProfile": {
   "cloudsql": "CloudSqlConnectionProfile",
   "createTime": "output timestamp",
   "displayName": "string",
   "error": "output Status",
   "labels": "map string",
   "mysql": "MySqlConnectionProfile",
   "name": "string",
   "provider": "enum DATABASE_PROVIDER_UNSPECIFIED CLOUDSQL RDS",
   "state": "enum STATE_UNSPECIFIED DRAFT CREATING READY UPDATING DELETING DELETED FAILED",
   "updateTime": "output timestamp"
  },
  "DatabaseType": {
   "engine": "enum DATABASE_ENGINE_UNSPECIFIED MYSQL",
   "provider": "enum DATABASE_PROVIDER_UNSPECIFIED CLOUDSQL RDS"
  },
  "Empty": {},
  "Expr": {
   "description": "string",
   "expression": "string",
   "location": "string",
   "title": "string"
  },
  "GoogleCloudClouddmsV1beta1OperationMetadata": {
   "apiVersion": "output string",
   "createTime": "output timestamp",
   "endTime": "output timestamp",
   "requestedCancellation": "output bool",
   "statusMessage": "output string",
   "target": "output string",
   "verb": "output string"
  },
  "ListConnectionProfilesResponse": {
   "connectionProfiles": "list ConnectionProfile",
   "nextPageToken": "string",
   "unreachable": "list string"
  },
  "ListLocationsResponse": {
   "locations": "list Location",
   "nextPageToken": "string"
  },
  "ListMigrationJobsResponse": {
   "migrationJobs": "list MigrationJob",
   "nextPageToken": "string",
   "unreachable": "list string"
  },
  "ListOperationsResponse": {
   "nextPageToken": "string",
   "operations": "list Operation",
   "unreachable": "list string"
  },
  "Location": {
   "displayName": "string",
   "labels": "map string",
   "locationId": "string",
   "metadata": "struct",
   "name": "string"
  },
  "MigrationJob": {
   "createTime": "output timestamp",
   "destination": "required string",
   "destinationDatabase": "DatabaseType",
   "displayName": "string",
   "dumpPath": "string",
   "duration": "output duration",
   "endTime": "output timestamp",
   "error": "output Status",
   "labels": "map string",
   "name": "string",
   "phase": "output enum PHASE_UNSPECIFIED FULL_DUMP CDC PROMOTE_IN_PROGRESS WAITING_FOR_SOURCE_WRITES_TO_STOP PREPARING_THE_DUMP",
   "reverseSshConnectivity": "ReverseSshConnectivity",
   "source": "required string",
   "sourceDatabase": "DatabaseType",
   "state": "enum STATE_UNSPECIFIED MAINTENANCE DRAFT CREATING NOT_STARTED RUNNING FAILED COMPLETED DELETING STOPPING STOPPED DELETED UPDATING STARTING RESTARTING RESUMING",
   "staticIpConnectivity": "StaticIpConnectivity",
   "type": "required enum TYPE_UNSPECIFIED ONE_TIME CONTINUOUS",
   "updateTime": "output timestamp",
   "vpcPeeringConnectivity": "VpcPeeringConnectivity"
  },
  "MySqlConnectionProfile": {
   "cloudSqlId": "string",
   "host": "required string",
   "password": "input required string",
   "passwordSet": "output bool",
   "port": "required int32",
   "ssl": "SslConfig",
   "username": "required string"
  },
  "Operation": {
   "done": "bool",
   "error": "Status",
   "metadata": "struct",
   "name": "string",
   "response": "struct"
  },
  "Policy": {
   "auditConfigs": "list AuditConfig",
   "bindings": "list Binding",
   "etag": "bytes",
   "version": "int32"
  },
  "PromoteMigrationJobRequest": {},
  "RestartMigrationJobRequest": {},
  "ResumeMigrationJobRequest": {},
  "ReverseSshConnectivity": {
   "vm": "string",
   "vmIp": "required string",
   "vmPort": "required int32",
   "vpc": "string"
  },
  "SetIamPolicyRequest": {
   "policy": "required Policy",
   "updateMask": "string"
  },
  "SqlAclEntry": {
   "expireTime": "timestamp",
   "label": "string",
   "ttl": "input duration",
   "value": "string"
  },
  "SqlIpConfig": {
   "authorizedNetworks": "list SqlAclEntry",
   "enableIpv4": "bool",
   "privateNetwork": "string",
   "requireSsl": "bool"
  },
  "SslConfig": {
   "caCertificate": "input required string",
   "clientCertificate": "input string",
   "clientKey": "input string",
   "type": "output enum SSL_TYPE_UNSPECIFIED SERVER_ONLY SERVER_CLIENT"
  },
  "StartMigrationJobRequest": {},
  "StaticIpConnectivity": {},
  "Status": {
   "code": "int32",
   "details": "list struct",
   "message": "string"
  },
  "StopMigrationJobRequest": {},
  "TestIamPermissionsRequest": {
   "permissions": "list string"
  },
  "TestIamPermissionsResponse": {
   "permissions": "list string"
  },
  "VerifyMigrationJobRequest": {},
  "VpcPeeringConnectivity": {
   "vpc": "string"
  }
 }
};
