import { z } from "zod";
import { defineLookup } from "../../core/definition";
import { field } from "../../core/field";
import { SERVICES } from "../../core/services";
import { location, project, segment, timestamp } from "../shared/fields";
import { lookupDocumentation, resourceLookup } from "../shared/lookups";
import { shelfName } from "./shelf/definition";

const definition = defineLookup({
  service: SERVICES.library,
  name: "getShelf",
  description: "Returns the details of one shelf.",
  documentation: {
    ...lookupDocumentation("the shelf", "library.shelves.get"),
    examples: [
      {
        title: "Look up a shelf",
        variable: "shelf",
        values: { location: "europe-west1", shelfId: "travel" },
        outputs: { theme: "theme" },
      },
    ],
  },
  resource: shelfName,
  args: z.strictObject({
    location: location(),
    project: project(),
    shelfId: field(segment(), "Id of the shelf: the last part of its name."),
  }),
  result: z.object({
    createTime: timestamp("When the shelf was created."),
    name: field(z.string(), "Resource name, `projects/{project}/locations/{location}/shelves/{shelf}`."),
    theme: field(z.string(), "What the books on the shelf are about."),
  }),
});

export const getShelf = resourceLookup(definition, "the shelf");
