import { secretKeys } from "../../provider/core/config/definition";
import { PACKAGE_NAME } from "../../provider/core/definition";
import { escapedForRegExp, SecretTexts } from "../../provider/core/secrets";
import { containsUnknown, isRecord, isUnknown, textOf, type Values } from "../../provider/core/unknown";
import { getOrCompute } from "../../provider/core/once";
import { comparableMember } from "../../provider/iam/member";
import { meaningOf } from "../meaning/meaning";
import type { Plan } from "./plan";
import { containsSecret, isSecret } from "./plan-values";
import { PROVIDER_TYPE, type PlannedState } from "./planned-state";
import { mapTexts, type HiddenReason } from "../result/texts";

/** The reason why a value of a plan is hidden, or a part of it; undefined when all of it is shown. */
export function hiddenReasonOf(value: unknown): HiddenReason | undefined {
  if (containsSecret(value)) return "secret";
  return containsUnknown(value) ? "known after the update" : undefined;
}

/** The text of a value of a plan for a result, or the reason why it is hidden in its place. */
export function shownText(value: unknown): string {
  const reason = hiddenReasonOf(value);
  return reason === undefined ? textOf(value) : `[${reason}]`;
}

/**
 * The stand-in for a value that the plan does not show. Each has a number, so that no two are equal, and each is valid in its
 * place: as a member, a role, a text of a condition. No real policy contains one, because `.invalid` is reserved
 * (https://www.rfc-editor.org/rfc/rfc6761#section-6.4).
 */
const STAND_IN = /(?:principal:\/\/perimeter\.invalid\/|roles\/)?perimeter_hidden_(secret|unknown)_\d+/g;
const REASONS: Readonly<Record<string, HiddenReason>> = { secret: "secret", unknown: "known after the update" };
/** `SecretTexts` ignores shorter texts, because they appear in messages by chance. */
const SHORT = 4;

/** Properties of a result with fixed words, which contain no values of a stack. */
const FIXED: readonly string[] = ["operation", "change", "code", "hidden", "digest"];

/**
 * The values of a stack that a review works with and must not show: secrets, and values that are not known yet.
 *
 * - A rehearsal works with the real secrets, if the state shows them, and with stand-ins for all other hidden values (`fill`).
 * - The grants of a result have `[secret]` or `[known after the update]` in their place (`shown`), so the gate sees no secret.
 * - A result or an error leaves the review through `scrubbed` or `scrubbedError`, which remove secrets from every text.
 */
export class HiddenValues {
  private readonly standIns = new Map<string, string>();
  /** The secret values of grants, in the spelling for comparing members. */
  private readonly ofGrants = new Set<string>();
  /** The secrets of grants and settings. */
  private readonly texts = new SecretTexts();

  /**
   * @param state the resources of the stack's export.
   * @param given the stack's configuration in plain text, by full key.
   */
  constructor(plan: Pick<Plan, "steps" | "config">, state: readonly PlannedState[] = [], given: Values = {}) {
    for (const [key, value] of Object.entries(given)) {
      const isCredential = secretKeys().includes(key.slice(key.indexOf(":") + 1));
      if (isCredential || containsSecret(plan.config[key])) this.texts.add(value);
    }
    const planned = plan.steps.flatMap(({ old, new: wanted }) => [old, wanted]);
    for (const each of [...state, ...planned]) if (each?.secrets) this.keep(each, each.secrets);
  }

  /** For what is read without a stack: nothing is hidden. */
  static none(): HiddenValues {
    return new HiddenValues({ steps: [], config: {} });
  }

  private keep({ type, inputs, outputs }: PlannedState, secrets: readonly string[]): void {
    const isGrant = meaningOf(type).kinds.some(({ members }) => members !== undefined);
    if (!isGrant && !type.startsWith(PROVIDER_TYPE + PACKAGE_NAME)) return;
    const values = secrets.flatMap((name) => [inputs[name], outputs[name]]);
    this.texts.add(values);
    if (isGrant) for (const text of textsIn(values)) this.ofGrants.add(comparableMember(text));
  }

  /**
   * Replaces each value that the plan does not show by a stand-in.
   *
   * @param owner identifies the values: a hidden value of the same owner and place gets the same stand-in.
   */
  fill(owner: string, values: Values): Values {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, this.filled(`${owner} ${name}`, prefixOf(name), value)]),
    );
  }

  /** The reason why a value of a grant is hidden; undefined when it is not. */
  reasonOf(text: string): HiddenReason | undefined {
    const kind = /perimeter_hidden_(secret|unknown)_\d+$/.exec(text)?.[1];
    if (kind !== undefined) return REASONS[kind];
    return this.ofGrants.has(comparableMember(text)) ? "secret" : undefined;
  }

  /** A value of a grant for a result. */
  shown(text: string): string {
    const reason = this.reasonOf(text);
    return reason === undefined ? text : `[${reason}]`;
  }

  /** The name of a resource for a result. The name or a part of it may be secret. */
  shownName(name: string): string {
    return replaced(name, this.ofGrants, "");
  }

  /** A result, or a part of it, without hidden values in its texts. */
  scrubbed<T>(value: T): T {
    return mapTexts(value, (text, property) => (FIXED.includes(property) ? text : this.scrub(text)));
  }

  /** The same error, without hidden values in its texts. */
  scrubbedError(error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    const { message, stack, problems }: Error & { problems?: unknown } = error;
    return Object.assign(error, this.scrubbed({ message, stack, ...(problems !== undefined && { problems }) }));
  }

  private scrub(text: string): string {
    const readable = text.replace(STAND_IN, (_match, kind: string) => `[${REASONS[kind]}]`);
    const short = [...this.ofGrants].filter((each) => each.length < SHORT);
    return this.texts.scrub(replaced(readable, short, "[\\w-]"));
  }

  private filled(place: string, prefix: string, value: unknown): unknown {
    if (isSecret(value)) return this.standIn(place, prefix, "secret");
    if (isUnknown(value)) return this.standIn(place, prefix, "unknown");
    if (Array.isArray(value)) return value.map((each, at) => this.filled(`${place} ${at}`, prefix, each));
    return isRecord(value) ? this.fill(place, value) : value;
  }

  private standIn(place: string, prefix: string, kind: "secret" | "unknown"): string {
    const key = `${kind} ${place}`;
    return getOrCompute(this.standIns, key, () => `${prefix}perimeter_hidden_${kind}_${this.standIns.size + 1}`);
  }
}

function prefixOf(property: string): string {
  if (property === "member" || property === "members") return "principal://perimeter.invalid/";
  return property === "role" ? "roles/" : "";
}

/** All texts in a value that are not empty. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Replaces secrets in a text, in any letter case. @param beside a pattern that must not be before or after a secret. */
function replaced(text: string, secrets: Iterable<string>, beside: string): string {
  const [before, after] = beside === "" ? ["", ""] : [`(?<!${beside})`, `(?!${beside})`];
  return [...secrets]
    .filter((secret) => text.toUpperCase().includes(secret.toUpperCase()))
    .reduce(
      (rest, secret) => rest.replaceAll(new RegExp(before + escapedForRegExp(secret) + after, "gi"), "[secret]"),
      text,
    );
}
