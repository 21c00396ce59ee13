/** Plans as the engine prints them, with grants on a store of the emulator's demo. */

export const STORE = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";
export const READER = "roles/healthcare.fhirResourceReader";
const TYPE = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";

/** A plan as the engine prints it: it deletes this member's grant and keeps another grant. */
export function deleting(member: string): string {
  const [urn, type] = [`urn:pulumi:dev::clinic::${TYPE}::gone`, TYPE];
  const inputs = { name: STORE, role: READER, member };
  const provider = "urn:pulumi:dev::clinic::pulumi:providers:perimeter::default::0f3c";
  const oldState = { urn, custom: true, id: `${STORE}/${READER}/${member}`, type, inputs, outputs: inputs, provider };
  const stays = { ...inputs, member: "group:clinicians@example.com" };
  const newState = { urn: `urn:pulumi:dev::clinic::${TYPE}::stays`, custom: true, type, inputs: stays, provider };
  const old = { ...newState, id: `${STORE}/${READER}/${stays.member}`, outputs: stays };
  const kept = { op: "same", urn: newState.urn, provider, oldState: old, newState };
  return JSON.stringify({
    config: { "perimeter:project": "demo-project", "perimeter:grantMode": "merge" },
    steps: [kept, { op: "delete", urn, provider, oldState }],
    changeSummary: { same: 1, delete: 1 },
  });
}

/** A plan that makes a grant for this member. */
export function creating(member: string): string {
  const urn = `urn:pulumi:dev::clinic::${TYPE}::new`;
  const provider = "urn:pulumi:dev::clinic::pulumi:providers:perimeter::default::0f3c";
  const newState = { urn, custom: true, type: TYPE, inputs: { name: STORE, role: READER, member }, provider };
  return JSON.stringify({
    config: { "perimeter:project": "demo-project", "perimeter:grantMode": "merge" },
    steps: [{ op: "create", urn, provider, newState }],
    changeSummary: { create: 1 },
  });
}
