import { escapedForRegExp } from "../../provider/core/secrets";
import { isRecord, isUnknown, type Values } from "../../provider/core/unknown";
import { comparableMember } from "../../provider/iam/member";
import { isSecret } from "../plan/plan-values";
import type { ReviewedGrant } from "../result";

/** The reason why a value is hidden, as in results. */
export type HiddenReason = NonNullable<ReviewedGrant["hidden"]>;

const REASONS = { secret: "secret", unknown: "known after the update" } as const;

/**
 * The placeholder of a hidden value during a rehearsal. Each has a number, so that no two are equal, and each is valid in its
 * place: as a member, a role, a text of a condition. No real policy contains one, because `.invalid` is reserved
 * (https://www.rfc-editor.org/rfc/rfc6761#section-6.4).
 */
const STAND_IN = /(?:principal:\/\/perimeter\.invalid\/|roles\/)?perimeter_hidden_(secret|unknown)_\d+/g;

/** Replaces hidden values by placeholders, so that a rehearsal can calculate with them and no result shows them. */
export class HiddenValues {
  private readonly standIns = new Map<string, string>();
  /** Secrets that the state shows, in the spelling for comparing members. */
  private readonly secrets = new Set<string>();

  /**
   * Replaces each hidden value by a placeholder.
   *
   * @param owner identifies the values: a hidden value of the same owner and place gets the same placeholder.
   */
  fill(owner: string, values: Values): Values {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, this.filled(`${owner} ${name}`, prefixOf(name), value)]),
    );
  }

  /** Adds known texts that must never be shown. */
  keep(value: unknown): void {
    if (typeof value === "string") this.secrets.add(comparableMember(value));
    else if (Array.isArray(value)) value.forEach((each) => this.keep(each));
    else if (isRecord(value)) Object.values(value).forEach((each) => this.keep(each));
  }

  /** The reason why a text is hidden; undefined when it is not. */
  reasonOf(text: string): HiddenReason | undefined {
    const kind = /perimeter_hidden_(secret|unknown)_\d+$/.exec(text)?.[1];
    if (kind !== undefined) return kind === "secret" ? REASONS.secret : REASONS.unknown;
    return this.secrets.size > 0 && this.secrets.has(comparableMember(text)) ? REASONS.secret : undefined;
  }

  /** The text for results: `[secret]`, `[known after the update]`, or the text itself. */
  shown(text: string): string {
    const reason = this.reasonOf(text);
    return reason === undefined ? text : `[${reason}]`;
  }

  /** A message of the provider without placeholders and secrets. */
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
