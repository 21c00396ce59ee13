/** Modules that program-provider.ts loads at the first use of a provider. */
export { keysToHide } from "../core/config/definition";
export { Provider } from "../runtime/provider";
