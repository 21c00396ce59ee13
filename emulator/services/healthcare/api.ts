import { Api } from "../../messages/api";
import { healthcareV1 } from "../../messages/generated/healthcare.v1";
import { healthcareV1beta1 } from "../../messages/generated/healthcare.v1beta1";

/** healthcare; v1beta1 is the one that Perimeter uses (docs/wire.md section 8). */
export const healthcare = [
  ...[healthcareV1beta1, healthcareV1].map((each) => new Api(each)),
  // No document of it is published; gcloud alpha calls it with messages much like those of v1beta1.
  new Api(healthcareV1beta1, {}, "v1alpha2"),
];
