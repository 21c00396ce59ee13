import { escapedForRegExp } from "../../provider/core/secrets";
import { isRecord, isUnknown, type Values } from "../../provider/core/unknown";
import { comparableMember } from "../../provider/iam/member";
import { isSecret } from "../plan/plan-values";
import type { ReviewedGrant } from "../result";

/** Why a value cannot be shown, as results say it. */
export type HiddenReason = NonNullable<ReviewedGrant["hidden"]>;

const REASONS = { secret: "secret", unknown: "known after the update" } as const;

/**
 * What stands for a hidden value while the rehearsal goes on. Each has a number, so that two of them are never taken for
 * one, and each is valid where it stands: a member, a role, a text of a condition. No policy has one: `.invalid` is
 * reserved (https://www.rfc-editor.org/rfc/rfc6761#section-6.4).
 */
const STAND_IN = /(?:principal:\/\/perimeter\.invalid\/|roles\/)?perimeter_hidden_(secret|unknown)_\d+/g;

/** Keeps what a plan hides out of a result, and lets the rehearsal do its arithmetic all the same. */
export class HiddenValues {
  private readonly standIns = new Map<string, string>();
  /** What a state shows although it is secret, in the spelling that members are compared in. */
  private readonly secrets = new Set<string>();

  /**
   * The values with a stand-in for each that is hidden.
   *
   * @param owner whose values they are: a hidden value of the same owner and place gets the same stand-in.
   */
  fill(owner: string, values: Values): Values {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, this.filled(`${owner} ${name}`, prefixOf(name), value)]),
    );
  }

  /** Notes texts that are known and must never be shown. */
  keep(value: unknown): void {
    if (typeof value === "string") this.secrets.add(comparableMember(value));
    else if (Array.isArray(value)) value.forEach((each) => this.keep(each));
    else if (isRecord(value)) Object.values(value).forEach((each) => this.keep(each));
  }

  /** Why a text cannot be shown; undefined where it can. */
  reasonOf(text: string): HiddenReason | undefined {
    const kind = /perimeter_hidden_(secret|unknown)_\d+$/.exec(text)?.[1];
    if (kind !== undefined) return kind === "secret" ? REASONS.secret : REASONS.unknown;
    return this.secrets.size > 0 && this.secrets.has(comparableMember(text)) ? REASONS.secret : undefined;
  }

  /** The text as it may be shown: `[secret]`, `[known after the update]`, or the text. */
  shown(text: string): string {
    const reason = this.reasonOf(text);
    return reason === undefined ? text : `[${reason}]`;
  }

  /** A message of the provider with no stand-in and no secret in it. */
  scrub(message: string): string {
    const readable = message.replace(STAND_IN, (_match, kind: string) =>
      kind === "secret" ? `[${REASONS.secret}]` : `[${REASONS.unknown}]`,
    );
    const upper = readable.toUpperCase();
    const shown = [...this.secrets].filter((secret) => secret !== "" && upper.includes(secret.toUpperCase()));
    return shown.reduce(
      (text, secret) => text.replaceAll(new RegExp(escapedForRegExp(secret), "gi"), "[secret]"),
      readable,
    );
  }

  private filled(place: string, prefix: string, value: unknown): unknown {
    if (isSecret(value)) return this.standIn(place, prefix, "secret");
    if (isUnknown(value)) return this.standIn(place, prefix, "unknown");
    if (Array.isArray(value)) return value.map((each, at) => this.filled(`${place} ${at}`, prefix, each));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.filled(`${place} ${name}`, prefixOf(name), each)]),
    );
  }

  private standIn(place: string, prefix: string, kind: "secret" | "unknown"): string {
    const key = `${kind} ${place}`;
    const standIn = this.standIns.get(key) ?? `${prefix}perimeter_hidden_${kind}_${this.standIns.size + 1}`;
    this.standIns.set(key, standIn);
    return standIn;
  }
}

function prefixOf(property: string): string {
  if (property === "member" || property === "members") return "principal://perimeter.invalid/";
  return property === "role" ? "roles/" : "";
}
