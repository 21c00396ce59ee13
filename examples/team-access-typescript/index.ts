import * as pulumi from "@pulumi/pulumi";
import { TeamAccess } from "./team-access";

const project = new pulumi.Config("perimeter").require("project");
const location = `projects/${project}/locations/us-central1`;

const orders = new TeamAccess("orders", {
  member: "group:orders@example.com",
  migrationJobs: [`${location}/migrationJobs/orders-to-sql`],
});

const ward = new TeamAccess("ward", {
  member: "group:nurses@example.com",
  fhirStores: [`${location}/datasets/clinic/fhirStores/records`],
});

export const access = { orders: orders.resources, ward: ward.resources };
