import type { Handler, Method } from "../context";
import type { Service } from "../control/config";
import type { Api } from "../messages/api";

/** A method as the discovery document describes it: path, query and messages. @param id without the API's name */
export function described(api: Api, id: string, handler: Handler, permission?: string): Method {
  const description = api.methods[id];
  if (description === undefined) {
    throw new Error(`${api.service} ${api.version} has no method ${id}`);
  }
  const { verb, path, action, query, request, response } = description;
  const slash = path.lastIndexOf("/");
  const inCollection = !path.endsWith("}");
  return {
    id: `${api.service}.${id}`,
    service: api.service as Service,
    verb,
    version: api.version,
    path: inCollection ? path.slice(0, slash) : path,
    ...(inCollection && { collection: path.slice(slash + 1) }),
    ...(action !== undefined && { action }),
    ...(query && { query }),
    // Built when they are first needed: the emulator starts without the hundreds of messages that there are.
    get request() {
      return request === undefined ? undefined : api.message(request);
    },
    get response() {
      return api.message(response);
    },
    ...(permission !== undefined && { permission }),
    handler,
  };
}
