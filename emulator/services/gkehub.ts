import type { ServiceModule } from "../context";
import { choice, labels, message, nested, output, text, timestamp } from "../messages/schema";
import { getResource, newUid } from "./resources";

const path = "projects/{project}/locations/{location}/scopes/{scope}";

const state = message("google.cloud.gkehub.v1beta.ScopeLifecycleState", {
  code: output(
    choice("google.cloud.gkehub.v1beta.ScopeLifecycleState.Code", [
      "CODE_UNSPECIFIED",
      "CREATING",
      "READY",
      "DELETING",
      "UPDATING",
    ]),
  ),
});

const scope = message("google.cloud.gkehub.v1beta.Scope", {
  name: text,
  uid: output(text),
  createTime: output(timestamp),
  updateTime: output(timestamp),
  deleteTime: output(timestamp),
  state: output(nested(state)),
  labels,
  namespaceLabels: labels,
});

/** gkehub v1beta (wire reference, section 3). */
export const gkehub: ServiceModule = {
  methods: [
    {
      id: "gkehub.projects.locations.scopes.get",
      service: "gkehub",
      verb: "GET",
      version: "v1beta",
      path,
      response: scope,
      permission: "gkehub.scopes.get",
      handler: getResource,
    },
  ],
  resourceTypes: [
    {
      service: "gkehub",
      path,
      message: scope,
      policy: false,
      defaults: (_name, now) => ({ uid: newUid(), createTime: now, updateTime: now, state: { code: "READY" } }),
    },
  ],
};
