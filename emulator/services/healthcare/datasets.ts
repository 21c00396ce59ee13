import type { ResourceType } from "../resource-type";
import { healthcare } from "./api";

/** Ids of healthcare may also have capitals, underscores and dots, and start with a digit. */
export const HEALTHCARE_ID = {
  form: /^[\p{L}\p{N}_\-.]{1,256}$/u,
  words: "it must consist of letters, numbers, underscores, dashes and dots",
};

export const datasets: ResourceType = {
  apis: healthcare,
  collection: "projects.locations.datasets",
  schema: "Dataset",
  permissions: "healthcare.datasets",
  defaults: () => ({}),
  creating: ({ timeZone }) => ({ timeZone: timeZone ?? "UTC" }),
  id: HEALTHCARE_ID,
  children: "deleted",
};
