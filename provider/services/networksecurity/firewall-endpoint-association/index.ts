export { firewallEndpointAssociationResource as firewallEndpointAssociation } from "./lifecycle";
