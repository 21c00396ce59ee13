import * as z from "zod";
import { defineLookup } from "../../core/definition";
import { field } from "../../core/field";
import { nameTemplate } from "../../core/reference";
import { location, project, segment } from "../shared/fields";
import { lookupDocumentation, policyLookup } from "../shared/lookups";
import { policyResult, requestedPolicyVersion } from "../shared/policy-types";
import { eventing } from "./service";

/** Spec section 2.4; `eventarc.projects.locations.triggers.getIamPolicy`. */
const definition = defineLookup({
  service: eventing,
  name: "getTriggerIamPolicy",
  description:
    "Gets the access-control policy of an event trigger. When the trigger exists but has no policy, an empty policy is " +
    "returned.",
  documentation: {
    ...lookupDocumentation("the trigger", "eventarc.triggers.getIamPolicy"),
    examples: [
      {
        title: "See who has access to an event trigger",
        variable: "triggerPolicy",
        values: { location: "us-central1", triggerId: "orders" },
        outputs: { bindings: "bindings", etag: "etag" },
      },
    ],
  },
  resource: nameTemplate("projects/{project}/locations/{location}/triggers/{triggerId}"),
  args: z.strictObject({
    location: location(),
    optionsRequestedPolicyVersion: requestedPolicyVersion(),
    project: project(),
    triggerId: field(segment(), "Id of the trigger: the last part of its name."),
  }),
  result: policyResult(),
});

export const getTriggerIamPolicy = policyLookup(definition, "the trigger");
