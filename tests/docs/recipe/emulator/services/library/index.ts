import { Api } from "../../base/api";
import { libraryV1beta } from "../../base/generated/library.v1beta";
import { serve, type ResourceDeclaration } from "../resource-type";

const shelves: ResourceDeclaration = {
  collection: "projects.locations.shelves",
  schema: "Shelf",
  permissions: "library.shelves",
  defaults: (_name, now) => ({ createTime: now }),
};

/** library, an API that no cloud has. */
export const library = serve([new Api(libraryV1beta, { title: "Library API" })], [shelves]);
