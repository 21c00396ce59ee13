/** `perimeter doctor`: checks that this machine and this configuration have what the provider needs. docs/doctor.md. */
export { examine, type DoctorOptions } from "./doctor";
export { doctorResult, type DoctorResult, type Finding, type Status } from "./result";
export { doctorJson, doctorText } from "./text";
export { aboutText } from "./about";
