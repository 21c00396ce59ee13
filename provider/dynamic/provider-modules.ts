/** What program-provider.ts loads at the first use of a provider, and not before. */
export { keysToHide } from "../core/config/definition";
export { Provider } from "../runtime/provider";
