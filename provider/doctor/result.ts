import * as z from "zod";
import { printedJsonSchema } from "../core/printed-json";

/** What `perimeter doctor` finds, and what `--json` prints: the one source of the types and of docs/doctor.schema.json. */

/** Raised when a field changes its meaning or goes. Fields and checks may be added without it. */
export const DOCTOR_VERSION = 1;

const status = z
  .enum([
    "ok",
    "note", // nothing is wrong, and a user may want to know
    "warning", // something that some programs need is missing
    "error", // programs fail
    "skipped", // a check before this one has to succeed first
  ])
  .describe("One `error` makes the exit code 1.");

const common = {
  status,
  message: z.string().describe("A sentence for people. No token, key or password is in it."),
  remedy: z.string().optional().describe("What to do about it, where something is to be done."),
};

const finding = z.discriminatedUnion("check", [
  z.strictObject({
    check: z.literal("node"),
    ...common,
    found: z.string().describe("Version of the Node.js that runs this command."),
    needed: z.string().describe("The oldest version that this package runs on."),
  }),
  z.strictObject({
    check: z.literal("sdk"),
    ...common,
    found: z.string().optional().describe("Version of `@pulumi/pulumi` in this folder; absent where there is none."),
    needed: z.string().describe("The oldest version that this package works with."),
    node: z.string().optional().describe("The Node.js versions that this `@pulumi/pulumi` asks for: `>=22`."),
  }),
  z.strictObject({
    check: z.literal("pulumi"),
    ...common,
    found: z
      .string()
      .optional()
      .describe("Version of the Pulumi CLI; absent where there is none, or it does not tell."),
    needed: z.string().describe("The oldest version that this package works with."),
    path: z.string().optional(),
  }),
  z.strictObject({
    check: z.literal("plugin"),
    ...common,
    found: z
      .string()
      .optional()
      .describe("Version of the plugin that an engine would start; absent where there is none."),
    needed: z.string().describe("The version of this package."),
    source: z.enum(["PATH", "installed"]).optional(),
    path: z.string().optional().describe("Of a plugin on PATH."),
  }),
  z.strictObject({
    check: z.literal("language hosts"),
    ...common,
    runtime: z.string().optional().describe("The runtime of the Pulumi project in this folder or above it."),
    hosts: z.record(z.string(), z.string()).describe("Paths of the language hosts that are there, by runtime."),
  }),
  z.strictObject({
    check: z.literal("configuration"),
    ...common,
    stack: z.string().optional().describe("The stack whose configuration counts."),
    settings: z
      .array(z.strictObject({ key: z.string(), source: z.string() }))
      .describe("What is set, by its key, and where: `stack`, or an environment variable. Values are not shown."),
  }),
  z.strictObject({
    check: z.literal("credentials"),
    ...common,
    source: z
      .string()
      .optional()
      .describe("A configuration key, an environment variable, a file or the metadata server."),
    kind: z.string().optional().describe("The type of the credentials: `service_account`, `authorized_user`, …"),
    identity: z.string().optional().describe("The service account that requests are made as, where that is known."),
  }),
  z.strictObject({
    check: z.literal("project"),
    ...common,
    project: z.string().optional(),
    source: z.string().optional().describe("A configuration key, an environment variable, or `credentials`."),
  }),
  z.strictObject({
    check: z.literal("endpoint"),
    ...common,
    api: z.string().describe("The API: `healthcare`."),
    baseUrl: z.string().optional().describe("Absent where the configuration gives no usable URL."),
    kind: z.enum(["public", "custom", "emulator"]).optional(),
    source: z.string().optional().describe("The key or environment variable that names it; absent for the public one."),
    authenticated: z.boolean().optional().describe("Whether the endpoint gets to see credentials."),
  }),
  z.strictObject({
    check: z.literal("permissions"),
    ...common,
    api: z.string(),
    method: z
      .enum(["locations.list", "testIamPermissions"])
      .describe("How it was asked: a read that changes nothing, or the API's own question for permissions."),
    resource: z.string().optional().describe("What was asked about."),
  }),
]);

export const doctorResult = z.strictObject({
  version: z.literal(DOCTOR_VERSION),
  package: z.string().describe("Version of pulumi-perimeter."),
  findings: z.array(finding),
  exitCode: z.union([z.literal(0), z.literal(1)]).describe("1 where a finding is an `error`."),
});

export type Finding = z.infer<typeof finding>;
export type Status = z.infer<typeof status>;
export type DoctorResult = z.infer<typeof doctorResult>;

/** A finding of one check. */
export type FindingOf<Check extends Finding["check"]> = Extract<Finding, { check: Check }>;

/** docs/doctor.schema.json. */
export function doctorJsonSchema(): object {
  return printedJsonSchema(doctorResult, "perimeter doctor --json");
}
