import * as z from "zod";
import { defineLookup } from "../../core/definition";
import { field, objectType } from "../../core/field";
import { nameTemplate } from "../../core/reference";
import { SERVICES } from "../../core/services";
import { location, project, segment, timestamp } from "../shared/fields";
import { lookupDocumentation, resourceLookup } from "../shared/lookups";

const scopeLifecycleState = objectType("ScopeLifecycleState", "State of a scope.", {
  code: field(z.string(), "The current state of the scope.", {
    knownValues: ["CODE_UNSPECIFIED", "CREATING", "READY", "DELETING", "UPDATING"],
  }),
});

/** docs/wire.md section 3; `gkehub.projects.locations.scopes.get`. */
const definition = defineLookup({
  service: SERVICES.fleet,
  name: "getScope",
  description: "Returns the details of one fleet scope.",
  documentation: {
    ...lookupDocumentation("the fleet scope", "gkehub.scopes.get"),
    examples: [
      {
        title: "Look up a fleet scope",
        variable: "scope",
        values: { location: "global", scopeId: "team-a" },
        outputs: { scopeName: "name", scopeState: "state.code" },
      },
    ],
  },
  resource: nameTemplate("projects/{project}/locations/{location}/scopes/{scopeId}"),
  args: z.strictObject({
    location: location(),
    project: project(),
    scopeId: field(segment(), "Id of the scope: the last part of its name."),
  }),
  result: z.object({
    createTime: timestamp("When the scope was created."),
    deleteTime: timestamp("When the scope was deleted; empty while it exists."),
    labels: field(z.record(z.string(), z.string()), "Labels on the scope."),
    name: field(z.string(), "Resource name, `projects/{project}/locations/{location}/scopes/{scope}`."),
    namespaceLabels: field(
      z.record(z.string(), z.string()),
      "Scope-level namespace labels. For member clusters bound to the scope, these labels are applied to every " +
        "namespace under the scope. On a key clash, the scope-level label wins over the namespace-level label of the " +
        "same key (`namespace_labels` of the fleet namespace resource). Keys and values conform to the Kubernetes label " +
        "rules.",
    ),
    state: field(scopeLifecycleState, "State of the scope."),
    uid: field(
      z.string(),
      "Server-generated UUID, unique across all scopes. A scope deleted and recreated under the same name gets a " +
        "different uid.",
    ),
    updateTime: timestamp("When the scope was last updated."),
  }),
});

export const getScope = resourceLookup(definition, "the fleet scope");
