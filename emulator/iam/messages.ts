import { bytes, choice, int32, list, message, nested, required, text, type Message } from "../messages/schema";

/** The messages of google.iam.v1; the same in all four APIs (wire reference, section 9). */
const expr = message("google.type.Expr", { expression: text, title: text, description: text, location: text });

const binding = message("google.iam.v1.Binding", {
  role: required(text),
  members: list(text),
  condition: nested(expr),
});

const auditLogConfig = message("google.iam.v1.AuditLogConfig", {
  logType: choice("google.iam.v1.AuditLogConfig.LogType", [
    "LOG_TYPE_UNSPECIFIED",
    "ADMIN_READ",
    "DATA_WRITE",
    "DATA_READ",
  ]),
  exemptedMembers: list(text),
});

const auditConfig = message("google.iam.v1.AuditConfig", {
  service: required(text),
  auditLogConfigs: list(nested(auditLogConfig)),
});

export const policyMessage: Message = message("google.iam.v1.Policy", {
  version: int32,
  bindings: list(nested(binding)),
  auditConfigs: list(nested(auditConfig)),
  etag: bytes,
});

export const setIamPolicyRequest: Message = message("google.iam.v1.SetIamPolicyRequest", {
  policy: nested(policyMessage),
  updateMask: text,
});

export const testIamPermissionsRequest: Message = message("google.iam.v1.TestIamPermissionsRequest", {
  permissions: list(text),
});

export const testIamPermissionsResponse: Message = message("google.iam.v1.TestIamPermissionsResponse", {
  permissions: list(text),
});

/** The fields of the switch `newerPolicyFields`, by the messages that accept them. */
export function newerFields(names: readonly string[]): Record<string, readonly string[]> {
  return { [policyMessage.name]: names, [binding.name]: names };
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
