import type { ResourceType } from "../resource-type";
import { library } from "./api";

export const shelves: ResourceType = {
  apis: library,
  collection: "projects.locations.shelves",
  schema: "Shelf",
  permissions: "library.shelves",
  defaults: (_name, now) => ({ createTime: now }),
};
