export { rehearse } from "./rehearse";
