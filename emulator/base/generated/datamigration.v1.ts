// Written by `make generate` from tests/wire/discovery/datamigration.v1.json: do not edit.
import type { ApiDescription } from "../api";

export const datamigrationV1: ApiDescription = {
 "service": "datamigration",
 "version": "v1",
 "methods": {
  "projects.locations.connectionProfiles.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/connectionProfiles",
   "query": {
    "connectionProfileId": "string",
    "requestId": "string",
    "skipValidation": "bool",
    "validateOnly": "bool"
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
    "skipValidation": "bool",
    "updateMask": "string",
    "validateOnly": "bool"
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
  "projects.locations.migrationJobs.demoteDestination": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
   "action": "demoteDestination",
   "request": "DemoteDestinationRequest",
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
  "AlloyDbConnectionProfile": {
   "clusterId": "required string",
   "settings": "immutable AlloyDbSettings"
  },
  "AlloyDbSettings": {
   "databaseVersion": "enum DATABASE_VERSION_UNSPECIFIED POSTGRES_14 POSTGRES_15 POSTGRES_16 POSTGRES_17 POSTGRES_18 POSTGRES_19",
   "encryptionConfig": "EncryptionConfig",
   "initialUser": "input required UserPassword",
   "labels": "map string",
   "primaryInstanceSettings": "PrimaryInstanceSettings",
   "vpcNetwork": "required string"
  },
  "AuditConfig": {
   "auditLogConfigs": "list AuditLogConfig",
   "service": "string"
  },
  "AuditLogConfig": {
   "exemptedMembers": "list string",
   "logType": "enum LOG_TYPE_UNSPECIFIED ADMIN_READ DATA_WRITE DATA_READ"
  },
  "AuthorizedNetwork": {
   "cidrRange": "string"
  },
  "BinaryLogParser": {
   "logFileDirectories": "LogFileDirectories",
   "oracleAsmLogFileAccess": "OracleAsmLogFileAccess"
  },
  "Binding": {
   "condition": "Expr",
   "members": "list string",
   "role": "string"
  },
  "CancelOperationRequest": {},
  "CloudSqlConnectionProfile": {
   "additionalPublicIp": "output string",
   "cloudSqlId": "output string",
   "privateIp": "output string",
   "publicIp": "output string",
   "settings": "immutable CloudSqlSettings"
  },
  "CloudSqlSettings": {
   "activationPolicy": "enum SQL_ACTIVATION_POLICY_UNSPECIFIED ALWAYS NEVER",
   "autoStorageIncrease": "bool",
   "availabilityType": "enum SQL_AVAILABILITY_TYPE_UNSPECIFIED ZONAL REGIONAL",
   "cmekKeyName": "string",
   "collation": "string",
   "dataCacheConfig": "DataCacheConfig",
   "dataDiskProvisionedIops": "int64",
   "dataDiskProvisionedThroughput": "int64",
   "dataDiskSizeGb": "int64",
   "dataDiskType": "enum SQL_DATA_DISK_TYPE_UNSPECIFIED PD_SSD PD_HDD HYPERDISK_BALANCED",
   "databaseFlags": "map string",
   "databaseVersion": "enum SQL_DATABASE_VERSION_UNSPECIFIED MYSQL_5_6 MYSQL_5_7 MYSQL_8_0 MYSQL_8_0_18 MYSQL_8_0_26 MYSQL_8_0_27 MYSQL_8_0_28 MYSQL_8_0_30 MYSQL_8_0_31 MYSQL_8_0_32 MYSQL_8_0_33 MYSQL_8_0_34 MYSQL_8_0_35 MYSQL_8_0_36 MYSQL_8_0_37 MYSQL_8_4 POSTGRES_9_6 POSTGRES_11 POSTGRES_10 POSTGRES_12 POSTGRES_13 POSTGRES_14 POSTGRES_15 POSTGRES_16",
   "databaseVersionName": "string",
   "edition": "enum EDITION_UNSPECIFIED ENTERPRISE ENTERPRISE_PLUS",
   "ipConfig": "SqlIpConfig",
   "rootPassword": "input string",
   "rootPasswordSet": "output bool",
   "secondaryZone": "string",
   "sourceId": "string",
   "storageAutoResizeLimit": "int64",
   "tier": "string",
   "userLabels": "map string",
   "zone": "string"
  },
  "ConnectionProfile": {
   "alloydb": "AlloyDbConnectionProfile",
   "cloudsql": "CloudSqlConnectionProfile",
   "createTime": "output timestamp",
   "displayName": "string",
   "error": "output Status",
   "labels": "map string",
   "mysql": "MySqlConnectionProfile",
   "name": "string",
   "oracle": "OracleConnectionProfile",
   "postgresql": "PostgreSqlConnectionProfile",
   "provider": "enum DATABASE_PROVIDER_UNSPECIFIED CLOUDSQL RDS AURORA ALLOYDB AZURE_DATABASE",
   "role": "enum ROLE_UNSPECIFIED SOURCE DESTINATION",
   "satisfiesPzi": "output bool",
   "satisfiesPzs": "output bool",
   "sqlserver": "SqlServerConnectionProfile",
   "state": "enum STATE_UNSPECIFIED DRAFT CREATING READY UPDATING DELETING DELETED FAILED",
   "updateTime": "output timestamp"
  },
  "ConversionWorkspaceInfo": {
   "commitId": "string",
   "name": "string"
  },
  "DataCacheConfig": {
   "dataCacheEnabled": "bool"
  },
  "DatabaseType": {
   "engine": "enum DATABASE_ENGINE_UNSPECIFIED MYSQL POSTGRESQL SQLSERVER ORACLE",
   "provider": "enum DATABASE_PROVIDER_UNSPECIFIED CLOUDSQL RDS AURORA ALLOYDB AZURE_DATABASE"
  },
  "DemoteDestinationRequest": {},
  "DumpFlag": {
   "name": "string",
   "value": "string"
  },
  "DumpFlags": {
   "dumpFlags": "list DumpFlag"
  },
  "Empty": {},
  "EncryptionConfig": {
   "kmsKeyName": "string"
  },
  "Expr": {
   "description": "string",
   "expression": "string",
   "location": "string",
   "title": "string"
  },
  "ForwardSshTunnelConnectivity": {
   "hostname": "required string",
   "password": "input string",
   "port": "int32",
   "privateKey": "input string",
   "username": "required string"
  },
  "GoogleCloudClouddmsV1OperationMetadata": {
   "apiVersion": "output string",
   "createTime": "output timestamp",
   "endTime": "output timestamp",
   "metadata": "output map string",
   "requestedCancellation": "output bool",
   "statusMessage": "output string",
   "target": "output string",
   "verb": "output string"
  },
  "InstanceNetworkConfig": {
   "authorizedExternalNetworks": "list AuthorizedNetwork",
   "enableOutboundPublicIp": "bool",
   "enablePublicIp": "bool"
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
  "LogFileDirectories": {
   "archivedLogDirectory": "required string",
   "onlineLogDirectory": "required string"
  },
  "LogMiner": {},
  "MachineConfig": {
   "cpuCount": "int32",
   "machineType": "string"
  },
  "MigrationJob": {
   "cmekKeyName": "string",
   "conversionWorkspace": "ConversionWorkspaceInfo",
   "createTime": "output timestamp",
   "destination": "required string",
   "destinationDatabase": "DatabaseType",
   "displayName": "string",
   "dumpFlags": "DumpFlags",
   "dumpPath": "string",
   "dumpType": "enum DUMP_TYPE_UNSPECIFIED LOGICAL PHYSICAL",
   "duration": "output duration",
   "endTime": "output timestamp",
   "error": "output Status",
   "filter": "string",
   "labels": "map string",
   "mysqlHomogeneousConfig": "MySqlHomogeneousConfig",
   "name": "string",
   "objectsConfig": "MigrationJobObjectsConfig",
   "oracleToPostgresConfig": "OracleToPostgresConfig",
   "originalMigrationName": "string",
   "performanceConfig": "PerformanceConfig",
   "phase": "output enum PHASE_UNSPECIFIED FULL_DUMP CDC PROMOTE_IN_PROGRESS WAITING_FOR_SOURCE_WRITES_TO_STOP PREPARING_THE_DUMP READY_FOR_PROMOTE PHASE_FAILBACK",
   "postgresHomogeneousConfig": "PostgresHomogeneousConfig",
   "postgresToSqlserverConfig": "PostgresToSqlServerConfig",
   "purpose": "output enum PURPOSE_UNSPECIFIED MIGRATE FAILBACK",
   "reverseSshConnectivity": "ReverseSshConnectivity",
   "satisfiesPzi": "output bool",
   "satisfiesPzs": "output bool",
   "source": "required string",
   "sourceDatabase": "DatabaseType",
   "sqlserverHomogeneousMigrationJobConfig": "SqlServerHomogeneousMigrationJobConfig",
   "sqlserverToPostgresConfig": "SqlServerToPostgresConfig",
   "state": "enum STATE_UNSPECIFIED MAINTENANCE DRAFT CREATING NOT_STARTED RUNNING FAILED COMPLETED DELETING STOPPING STOPPED DELETED UPDATING STARTING RESTARTING RESUMING",
   "staticIpConnectivity": "StaticIpConnectivity",
   "type": "required enum TYPE_UNSPECIFIED ONE_TIME CONTINUOUS",
   "updateTime": "output timestamp",
   "vpcPeeringConnectivity": "VpcPeeringConnectivity"
  },
  "MigrationJobObjectsConfig": {
   "sourceObjectsConfig": "SourceObjectsConfig"
  },
  "MySqlConnectionProfile": {
   "cloudSqlId": "string",
   "host": "required string",
   "password": "input required string",
   "passwordSet": "output bool",
   "port": "required int32",
   "privateConnectivity": "PrivateConnectivity",
   "privateServiceConnectConnectivity": "PrivateServiceConnectConnectivity",
   "ssl": "SslConfig",
   "staticServiceIpConnectivity": "StaticServiceIpConnectivity",
   "username": "required string"
  },
  "MySqlHomogeneousConfig": {
   "isPrimaryDestination": "bool"
  },
  "Operation": {
   "done": "bool",
   "error": "Status",
   "metadata": "struct",
   "name": "string",
   "response": "struct"
  },
  "OracleAsmConfig": {
   "asmService": "required string",
   "hostname": "required string",
   "password": "input required string",
   "passwordSet": "output bool",
   "port": "required int32",
   "ssl": "SslConfig",
   "username": "required string"
  },
  "OracleAsmLogFileAccess": {},
  "OracleConnectionProfile": {
   "databaseService": "required string",
   "forwardSshConnectivity": "ForwardSshTunnelConnectivity",
   "host": "required string",
   "oracleAsmConfig": "OracleAsmConfig",
   "password": "input required string",
   "passwordSet": "output bool",
   "port": "required int32",
   "privateConnectivity": "PrivateConnectivity",
   "ssl": "SslConfig",
   "staticServiceIpConnectivity": "StaticServiceIpConnectivity",
   "username": "required string"
  },
  "OracleSourceConfig": {
   "binaryLogParser": "BinaryLogParser",
   "cdcStartPosition": "int64",
   "logMiner": "LogMiner",
   "maxConcurrentCdcConnections": "int32",
   "maxConcurrentFullDumpConnections": "int32",
   "skipFullDump": "bool"
  },
  "OracleToPostgresConfig": {
   "oracleSourceConfig": "OracleSourceConfig",
   "postgresDestinationConfig": "PostgresDestinationConfig"
  },
  "PerformanceConfig": {
   "dumpParallelLevel": "enum DUMP_PARALLEL_LEVEL_UNSPECIFIED MIN OPTIMAL MAX",
   "loadParallelLevel": "enum LOAD_PARALLEL_LEVEL_UNSPECIFIED LOAD_MIN LOAD_OPTIMAL LOAD_MAX"
  },
  "Policy": {
   "auditConfigs": "list AuditConfig",
   "bindings": "list Binding",
   "etag": "bytes",
   "version": "int32"
  },
  "PostgreSqlConnectionProfile": {
   "alloydbClusterId": "string",
   "cloudSqlId": "string",
   "database": "string",
   "enableIamAuthentication": "bool",
   "forwardSshConnectivity": "ForwardSshTunnelConnectivity",
   "host": "required string",
   "networkArchitecture": "output enum NETWORK_ARCHITECTURE_UNSPECIFIED NETWORK_ARCHITECTURE_OLD_CSQL_PRODUCER NETWORK_ARCHITECTURE_NEW_CSQL_PRODUCER",
   "password": "input required string",
   "passwordSet": "output bool",
   "port": "required int32",
   "privateConnectivity": "PrivateConnectivity",
   "privateServiceConnectConnectivity": "PrivateServiceConnectConnectivity",
   "ssl": "SslConfig",
   "staticIpConnectivity": "StaticIpConnectivity",
   "username": "required string"
  },
  "PostgresDestinationConfig": {
   "maxConcurrentConnections": "int32",
   "transactionTimeout": "duration"
  },
  "PostgresHomogeneousConfig": {
   "isNativeLogical": "required bool",
   "maxAdditionalSubscriptions": "int32"
  },
  "PostgresSourceConfig": {
   "skipFullDump": "bool"
  },
  "PostgresToSqlServerConfig": {
   "postgresSourceConfig": "PostgresSourceConfig",
   "sqlserverDestinationConfig": "SqlServerDestinationConfig"
  },
  "PrimaryInstanceSettings": {
   "databaseFlags": "map string",
   "id": "required string",
   "instanceNetworkConfig": "InstanceNetworkConfig",
   "labels": "map string",
   "machineConfig": "MachineConfig",
   "outboundPublicIpAddresses": "output list string",
   "privateIp": "output string"
  },
  "PrivateConnectivity": {
   "privateConnection": "required string"
  },
  "PrivateServiceConnectConnectivity": {
   "serviceAttachment": "required string"
  },
  "PromoteMigrationJobRequest": {
   "failback": "bool",
   "objectsFilter": "MigrationJobObjectsConfig"
  },
  "RestartMigrationJobRequest": {
   "objectsFilter": "MigrationJobObjectsConfig",
   "restartFailedObjects": "bool",
   "skipValidation": "bool"
  },
  "ResumeMigrationJobRequest": {
   "skipValidation": "bool"
  },
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
  "SourceObjectConfig": {
   "objectIdentifier": "SourceObjectIdentifier"
  },
  "SourceObjectIdentifier": {
   "database": "string",
   "schema": "string",
   "table": "string",
   "type": "required enum MIGRATION_JOB_OBJECT_TYPE_UNSPECIFIED DATABASE SCHEMA TABLE"
  },
  "SourceObjectsConfig": {
   "excludedObjectConfigs": "list SourceObjectConfig",
   "objectConfigs": "list SourceObjectConfig",
   "objectsSelectionType": "enum OBJECTS_SELECTION_TYPE_UNSPECIFIED ALL_OBJECTS SPECIFIED_OBJECTS"
  },
  "SqlAclEntry": {
   "expireTime": "timestamp",
   "label": "string",
   "ttl": "input duration",
   "value": "string"
  },
  "SqlIpConfig": {
   "allocatedIpRange": "string",
   "authorizedNetworks": "list SqlAclEntry",
   "enableIpv4": "bool",
   "privateNetwork": "string",
   "requireSsl": "bool"
  },
  "SqlServerBackups": {
   "gcsBucket": "required string",
   "gcsPrefix": "string"
  },
  "SqlServerConnectionProfile": {
   "backups": "SqlServerBackups",
   "cloudSqlId": "string",
   "cloudSqlProjectId": "string",
   "database": "required string",
   "dbmPort": "int32",
   "forwardSshConnectivity": "ForwardSshTunnelConnectivity",
   "host": "required string",
   "password": "input required string",
   "passwordSet": "output bool",
   "port": "required int32",
   "privateConnectivity": "PrivateConnectivity",
   "privateServiceConnectConnectivity": "PrivateServiceConnectConnectivity",
   "ssl": "SslConfig",
   "staticIpConnectivity": "StaticIpConnectivity",
   "username": "required string"
  },
  "SqlServerDagConfig": {
   "linkedServer": "required string",
   "sourceAg": "required string"
  },
  "SqlServerDatabaseBackup": {
   "database": "required string",
   "encryptionOptions": "SqlServerEncryptionOptions"
  },
  "SqlServerDestinationConfig": {
   "maxConcurrentConnections": "int32",
   "transactionTimeout": "duration"
  },
  "SqlServerEncryptionOptions": {
   "certPath": "required string",
   "pvkPassword": "input required string",
   "pvkPath": "required string"
  },
  "SqlServerHomogeneousMigrationJobConfig": {
   "backupFilePattern": "required string",
   "dagConfig": "SqlServerDagConfig",
   "databaseBackups": "required list SqlServerDatabaseBackup",
   "promoteWhenReady": "bool",
   "useDiffBackup": "bool"
  },
  "SqlServerSourceConfig": {
   "cdcStartPosition": "string",
   "maxConcurrentCdcConnections": "int32",
   "maxConcurrentFullDumpConnections": "int32",
   "skipFullDump": "bool"
  },
  "SqlServerToPostgresConfig": {
   "postgresDestinationConfig": "PostgresDestinationConfig",
   "sqlserverSourceConfig": "SqlServerSourceConfig"
  },
  "SslConfig": {
   "caCertificate": "input required string",
   "clientCertificate": "input string",
   "clientKey": "input string",
   "sslFlags": "map string",
   "type": "enum SSL_TYPE_UNSPECIFIED SERVER_ONLY SERVER_CLIENT REQUIRED NONE"
  },
  "StartMigrationJobRequest": {
   "skipValidation": "bool"
  },
  "StaticIpConnectivity": {},
  "StaticServiceIpConnectivity": {},
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
  "UserPassword": {
   "password": "string",
   "passwordSet": "output bool",
   "user": "string"
  },
  "VerifyMigrationJobRequest": {
   "migrationJob": "MigrationJob",
   "updateMask": "string"
  },
  "VpcPeeringConnectivity": {
   "vpc": "string"
  }
 }
};
