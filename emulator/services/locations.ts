import type { Api } from "../base/api";
import type { JsonObject } from "../base/json";
import { described, type Handler, type Method } from "./method";
import { listAnswer } from "./reads";

/** Locations that are listed for every project, besides the locations of its resources. */
const USUAL = ["europe-west1", "global", "us-central1"];

const location = (parent: string, locationId: string): JsonObject => ({
  name: `${parent}/locations/${locationId}`,
  locationId,
});

/** A get accepts any location, because the emulator does not know the locations of an API. */
const get: Handler = ({ name }) => {
  const [kind, owner, , id = ""] = name.split("/");
  return location(`${kind}/${owner}`, id);
};

const list: Handler = (call, { store }) => {
  const { name, services } = call;
  const prefix = `${name}/locations/`;
  const held = store
    .all()
    .filter((resource) => services.includes(resource.service) && resource.name.startsWith(prefix))
    .map((resource) => resource.name.slice(prefix.length).split("/")[0] ?? "");
  const all = [...new Set([...USUAL, ...held])].map((id) => {
    const body = location(name, id);
    return { name: `${prefix}${id}`, body: () => body };
  });
  return listAnswer(all, call);
};

/** locations.get and list of one API and version. */
export function locationMethods(api: Api): Method[] {
  return Object.keys(api.methods)
    .filter((id) => /^\w+\.locations\.(get|list)$/.test(id))
    .map((id) =>
      described(api, id, id.endsWith(".get") ? get : list, `${api.service}.locations.${id.split(".").pop()}`),
    );
}
