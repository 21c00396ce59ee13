import type { AccessChanged, ReviewedResource, Found } from "../../access/result/result";

/** Results of reviews before the gate, with one resource. */

export const STORE = "projects/p/locations/l/datasets/d/fhirStores/records";
export const VIEWER = "roles/healthcare.fhirStoreViewer";

/** A change of Ada's access to the store. */
export function change(what: AccessChanged["change"], more: Partial<AccessChanged> = {}): AccessChanged {
  return { principal: "user:ada@example.com", role: VIEWER, change: what, steps: [], ...more };
}

/** A review that finds these changes of access to the store. */
export function review(
  changes: AccessChanged[],
  more: Partial<ReviewedResource> = {},
  top: Partial<Found> = {},
): Found {
  const resource: ReviewedResource = {
    resource: STORE,
    kind: "a FHIR store",
    api: "healthcare",
    changes,
    unchanged: 0,
    noAccessLeft: [],
    unmanaged: [],
    before: [],
    after: [],
    unknown: [],
    ...more,
  };
  return {
    operation: "update",
    resources: [resource],
    refused: [],
    unknown: [],
    notes: [],
    ...top,
  };
}
