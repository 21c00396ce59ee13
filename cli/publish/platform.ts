import type { Answer } from "../../access";
import type { Terminal } from "../terminal";

/** What the answer of a run becomes on a platform, and what the platform says about the run. */

export type Environment = NonNullable<Terminal["environment"]>;

/** A comment or an issue. */
export interface Post {
  id: string;
  body: string;
  /**
   * Whether its author may write for the project. Everybody may write a post with any text: its author could change an answer
   * that the command puts there. Default: the platform lets nobody else write.
   */
  isOfProject?(): Promise<boolean>;
}

/** The comments of a pull request, or the issues of a repository that are open. */
export interface Posts {
  list(): Promise<Post[]>;
  add(text: string, title: string): Promise<void>;
  /** @param isOpen whether an issue stays open @returns false for the post of somebody else that the token may not change */
  change(id: string, text: string, isOpen: boolean): Promise<boolean>;
}

/** The state of a pull request: its last commit, and the branch that it would be merged into. */
export interface Head {
  commit: string;
  target: string;
}

/** The job that runs the command. */
export interface Job {
  /** Tells the answers about several stacks from those of other jobs. */
  name: string;
  /** The address of its log. */
  log: string;
  /** What it checked: the names of the commit, and the branch whose rules apply. Undefined if the platform does not say it. */
  head?: { commits: readonly string[]; target?: string };
}

export interface Platform {
  job: Job;
  /** Undefined for a run without a pull request. */
  comments?: Posts;
  issues?: Posts;
  /** The pull request as it is now; undefined if the token may not read it. */
  now?(): Promise<Head | undefined>;
  /**
   * For a platform that shows an answer in its own form.
   *
   * @param result undefined without an answer
   * @param stack what it is about: `clinic/dev`
   */
  report?(result: Answer | undefined, stack: string): Promise<void>;
  /** A file for a text that people read beside the log. */
  summary?: string;
}

/** The value of a variable that the platform sets in each of its jobs. @throws Error with the name of a variable that is not set */
export function valueIn(environment: Environment, name: string): string {
  const value = environment[name];
  if (value) return value;
  throw new Error(
    `The variable ${name} is not set: \`publish\` runs in a job, and needs the variables of its platform`,
  );
}

/** A token. @throws Error that says which variable holds it */
export function tokenIn(environment: Environment, names: readonly string[]): string {
  const value = names.map((name) => environment[name]).find(Boolean);
  if (value === undefined) throw new Error(`There is no token: set ${names.join(" or ")}`);
  if (/["\\\r\n]/.test(value)) throw new Error(`The token in ${names.join(" or ")} has characters that no token has`);
  return value;
}

/** Asks only once, and only if it is needed. */
export function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => (asked ??= ask());
}

/** A text of an answer of an API. */
export function textAt(value: unknown, ...names: string[]): string {
  const [name, ...others] = names;
  if (name === undefined) return typeof value === "string" || typeof value === "number" ? String(value) : "";
  return typeof value === "object" && value !== null ? textAt(Reflect.get(value, name), ...others) : "";
}
