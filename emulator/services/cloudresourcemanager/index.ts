import { Api, type ApiNotes } from "../../base/api";
import { cloudresourcemanagerV3 } from "../../base/generated/cloudresourcemanager.v3";
import { idOf, serve, type ResourceDeclaration } from "../resource-type";

const notes: ApiNotes = {
  title: "Cloud Resource Manager API",
  package: "resourcemanager",
  denial: (permission, resource) =>
    `Permission '${permission}' denied on resource '//cloudresourcemanager.googleapis.com/${resource}' ` +
    "(or it may not exist).",
};

const active: ResourceDeclaration["defaults"] = (_name, now) => ({
  state: "ACTIVE",
  createTime: now,
  updateTime: now,
});

const projects: ResourceDeclaration = {
  collection: "projects",
  schema: "Project",
  permissions: "resourcemanager.projects",
  // The emulator accepts resources in any project, so any project exists.
  existsUnstored: () => true,
  defaults: (name, now) => ({ projectId: idOf(name), displayName: idOf(name), ...active(name, now) }),
  // The API names a project by its number, whatever the request has.
  derived: ({ name }, { config }) => {
    const [number] = Object.entries(config().projectNumbers).find(([, id]) => id === idOf(name)) ?? [];
    return number === undefined ? {} : { name: `projects/${number}` };
  },
};

const folders: ResourceDeclaration = {
  collection: "folders",
  schema: "Folder",
  permissions: "resourcemanager.folders",
  defaults: active,
};

const organizations: ResourceDeclaration = {
  collection: "organizations",
  schema: "Organization",
  permissions: "resourcemanager.organizations",
  defaults: active,
};

/** https://cloud.google.com/resource-manager/reference/rest/v3 */
export const cloudresourcemanager = serve([new Api(cloudresourcemanagerV3, notes)], [projects, folders, organizations]);
