/** The forms of a review: each a pure function of its result. */
export { htmlPage } from "./html";
export { jsonText } from "./json";
export { markdownText } from "./markdown";
export { terminalText } from "./terminal";
export type { TerminalOptions } from "./terminal-page";
