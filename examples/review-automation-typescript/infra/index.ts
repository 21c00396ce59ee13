import * as perimeter from "pulumi-perimeter";

new perimeter.healthcare.v1beta1.DatasetFhirStoreIamMember("nurses", {
  name: "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records",
  role: "roles/healthcare.fhirResourceReader",
  member: "group:nurses@example.com",
});
