/** The formats of a review. Each is a pure function of the result. */
export { htmlPage } from "./html";
export { jsonText } from "./json";
export { markdownText } from "./markdown";
export { terminalText } from "./terminal";
export type { TerminalOptions } from "./terminal-page";
