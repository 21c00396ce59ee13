import type { ServiceDefinition } from "../../core/definition";

export const datamigration: ServiceDefinition = {
  module: "datamigration/v1beta1",
  api: "datamigration",
  version: "v1beta1",
  title: "Database Migration API",
  endpointKeys: ["databaseMigrationService"],
};
