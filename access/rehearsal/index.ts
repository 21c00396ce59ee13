export { rehearse, summaryOf } from "./rehearse";
export { rehearseReadings } from "./readings";
