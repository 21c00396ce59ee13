import { withLifecycle } from "../../shared/resource";
import { firewallEndpointAssociation as definition } from "./definition";
import { AssociationLifecycle } from "./lifecycle";

export const firewallEndpointAssociation = withLifecycle(definition, (context) => new AssociationLifecycle(context));
