import { Api } from "../../messages/api";
import { networksecurityV1 } from "../../messages/generated/networksecurity.v1";
import { networksecurityV1beta1 } from "../../messages/generated/networksecurity.v1beta1";

/** networksecurity; v1beta1 is the one that Perimeter uses (docs/wire.md section 6). */
export const networksecurity = [
  new Api(networksecurityV1beta1),
  new Api(networksecurityV1),
  // No document of it is published; gcloud alpha calls it with the messages of v1beta1.
  new Api(networksecurityV1beta1, {}, "v1alpha1"),
];
