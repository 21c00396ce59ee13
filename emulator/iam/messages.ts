import { Api } from "../base/api";
import { eventarcV1 } from "../base/generated/eventarc.v1";

/** google.iam.v1.Policy: the same message in all APIs that have policies (docs/wire.md section 9). */
export const policyMessage = new Api(eventarcV1, { title: "Eventarc API" }).message("Policy");

/** The fields of the switch `newerPolicyFields`, by message. */
export function newerFields(names: readonly string[]): Record<string, readonly string[]> {
  return { [policyMessage.name]: names, "google.iam.v1.Binding": names };
}

export interface Condition {
  expression?: string;
  title?: string;
  description?: string;
  location?: string;
}

export interface Binding {
  role?: string;
  members?: string[];
  condition?: Condition;
}

export interface AuditConfig {
  service?: string;
  auditLogConfigs?: Array<{ logType?: string; exemptedMembers?: string[] }>;
}

export interface Policy {
  version?: number;
  bindings?: Binding[];
  auditConfigs?: AuditConfig[];
  etag?: string;
}
