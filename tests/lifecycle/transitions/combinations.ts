/** The combinations in which each transition runs. */
import { FRONTS, type FrontName } from "../../support/stack-fronts";
import type { Entry, Spelling } from "./notation";

export const PROJECT = "demo-project";
export const NUMBER = "123456789";
const HOST = "healthcare.googleapis.com";

const as = (title: string, store: Spelling["store"], member: Spelling["member"] = (name) => name): Spelling => ({
  title,
  store,
  member,
});
const numbered = (name: string) => name.replace(PROJECT, NUMBER);
const inCapitals = (name: string) => name.replace(/[^:@]+@.+/, (email) => email.toUpperCase());
const ID = as("id", (name) => name);
const BY_NUMBER = as("number", numbered);
const URL_IN_CAPITALS = as("URL, with e-mails in capitals", (name) => `https://${HOST}/v1beta1/${name}`, inCapitals);
const HOST_AND_NUMBER = as("//host and number", (name) => `//${HOST}/${numbered(name)}`);

/** How many resources change at the same time, by the order of the engine's calls. */
export const ORDERS = { "one at a time": undefined, "all checked first": 8 } as const;

interface Variant {
  order: keyof typeof ORDERS;
  before: Spelling;
  after: Spelling;
}

/** Each order and each spelling, with the project in the same form and in the other form before and after. */
const VARIANTS: readonly Variant[] = [
  { order: "one at a time", before: ID, after: ID },
  { order: "one at a time", before: ID, after: BY_NUMBER },
  { order: "one at a time", before: HOST_AND_NUMBER, after: URL_IN_CAPITALS },
  { order: "all checked first", before: URL_IN_CAPITALS, after: ID },
  { order: "all checked first", before: URL_IN_CAPITALS, after: HOST_AND_NUMBER },
];

/** The grantMode. */
export type Mode = "merge" | "replace";

export interface Combination extends Variant {
  front: FrontName;
  mode: Mode;
}

export function titleOf({ front, mode, order, before, after }: Combination): string {
  return `through ${front}, in ${mode} mode, ${order}, store by ${before.title}, then by ${after.title}`;
}

/** @param entries of all programs: the npm package has no explicit providers. */
export function combinations(mode: Mode, entries: readonly Entry[]): Combination[] {
  const fronts = entries.some(({ provider }) => provider !== undefined) ? ["the plugin" as const] : FRONTS;
  return fronts.flatMap((front) => VARIANTS.map((variant) => ({ front, mode, ...variant })));
}

export const oneAtATime = (all: readonly Combination[]): Combination[] =>
  all.filter(({ order }) => order === "one at a time");
