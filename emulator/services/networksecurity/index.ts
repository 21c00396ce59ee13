import { Api, type ApiNotes } from "../../base/api";
import { networksecurityV1 } from "../../base/generated/networksecurity.v1";
import { networksecurityV1beta1 } from "../../base/generated/networksecurity.v1beta1";
import { serve } from "../resource-type";
import { associations } from "./associations";
import { firewallEndpoints } from "./endpoints";

const notes: ApiNotes = { title: "Network Security API" };

/** docs/wire.md section 6 */
export const networksecurity = serve(
  [
    new Api(networksecurityV1beta1, notes),
    new Api(networksecurityV1, notes),
    // No document of it is published; gcloud alpha calls it with the messages of v1beta1.
    new Api(networksecurityV1beta1, notes, "v1alpha1"),
  ],
  [associations, firewallEndpoints("organizations"), firewallEndpoints("projects")],
);
