import { z } from "zod";
import { defineResource } from "../../../core/definition";
import { field } from "../../../core/field";
import { nameTemplate } from "../../../core/reference";
import { SERVICES } from "../../../core/services";
import { segment, timestamp } from "../../shared/fields";

export const shelfName = nameTemplate("projects/{project}/locations/{location}/shelves/{shelfId}");

/** `library.projects.locations.shelves`, which no cloud has. */
export const shelf = defineResource({
  service: SERVICES.library,
  name: "Shelf",
  description: "A shelf of a library.",
  documentation: {
    examples: [
      {
        title: "Set up a shelf",
        variable: "shelf",
        values: { location: "europe-west1", shelfId: "travel", theme: "travel" },
        outputs: { shelfName: "name" },
      },
    ],
    permissions: [{ permission: "library.shelves.create", on: "the project", for: "create" }],
    errors: [{ code: "API", status: "NOT_FOUND", when: "there is no such shelf", remedy: "Check the name." }],
  },
  inputs: z.strictObject({
    location: field(segment(), "Location of the shelf. Changing it replaces the shelf.", {
      change: "replace",
      outsideBody: true,
    }),
    project: field(segment(), "Project of the shelf. Changing it replaces the shelf.", {
      change: "replace",
      outsideBody: true,
      defaultFrom: "project",
    }),
    shelfId: field(segment(), "Id of the shelf: the last part of its name. Changing it replaces the shelf.", {
      change: "replace",
      outsideBody: true,
    }),
    theme: field(z.string().min(1, "must not be empty"), "What the books on the shelf are about."),
  }),
  outputs: z.object({
    createTime: timestamp("When the shelf was created."),
    name: field(z.string(), "Resource name, `projects/{project}/locations/{location}/shelves/{shelf}`.", {
      contains: ["project", "location", "shelfId"],
    }),
  }),
  computedInputs: ["project"],
  idContains: ["project", "location", "shelfId"],
  importIds: [shelfName.template],
  aliases: [],
});
