import * as z from "zod";
import { printedJsonSchema } from "../../access/formats/json";

/** The result of `perimeter doctor`, which `--json` prints. The types and docs/doctor.schema.json are derived from it. */

/** Increases when a field changes its meaning or is removed. New fields and checks do not increase it. */
export const DOCTOR_VERSION = 1;

const status = z
  .enum([
    "ok",
    "note", // nothing is wrong, but a user may want to know
    "warning", // something that some programs need is missing
    "error", // programs fail
    "skipped", // an earlier check must succeed first
  ])
  .describe("With an `error`, the exit code is 1.");

const common = {
  status,
  message: z.string().describe("A sentence for people. It contains no token, key or password."),
  remedy: z.string().optional().describe("The remedy, if there is one."),
};

const finding = z.discriminatedUnion("check", [
  z.strictObject({
    check: z.literal("node"),
    ...common,
    found: z
      .string()
      .optional()
      .describe(
        "Version of the Node.js that runs this command. If the command is an executable: of the Node.js on PATH; absent if there is none.",
      ),
    needed: z.string().describe("The oldest version that this package runs on."),
  }),
  z.strictObject({
    check: z.literal("sdk"),
    ...common,
    found: z.string().optional().describe("Version of `@pulumi/pulumi` in this folder; absent if it is not installed."),
    needed: z.string().describe("The oldest version that this package works with."),
    node: z.string().optional().describe("The Node.js versions that this `@pulumi/pulumi` requires: `>=22`."),
  }),
  z.strictObject({
    check: z.literal("pulumi"),
    ...common,
    found: z.string().optional().describe("Version of the Pulumi CLI; absent if it is missing or prints no version."),
    needed: z.string().describe("The oldest version that this package works with."),
    path: z.string().optional(),
  }),
  z.strictObject({
    check: z.literal("plugin"),
    ...common,
    found: z.string().optional().describe("Version of the plugin that an engine would start; absent if there is none."),
    needed: z.string().describe("The version of this package."),
    source: z.enum(["project", "PATH", "installed"]).optional(),
    path: z.string().optional().describe("Of a plugin on PATH, or from a folder that the project names."),
  }),
  z.strictObject({
    check: z.literal("language hosts"),
    ...common,
    runtime: z.string().optional().describe("The runtime of the Pulumi project in this folder or above it."),
    hosts: z.record(z.string(), z.string()).describe("Paths of the installed language hosts, by runtime."),
  }),
  z.strictObject({
    check: z.literal("configuration"),
    ...common,
    stack: z.string().optional().describe("The stack whose configuration is used."),
    settings: z
      .array(z.strictObject({ key: z.string(), source: z.string() }))
      .describe("The source of each key that is set: `stack`, or an environment variable. Values are not shown."),
  }),
  z.strictObject({
    check: z.literal("credentials"),
    ...common,
    source: z
      .string()
      .optional()
      .describe("A configuration key, an environment variable, a file or the metadata server."),
    kind: z.string().optional().describe("The type of the credentials: `service_account`, `authorized_user`, …"),
    identity: z.string().optional().describe("The service account of the requests, if known."),
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
    baseUrl: z.string().optional().describe("Absent if the configuration gives no usable URL."),
    kind: z.enum(["public", "custom", "emulator"]).optional(),
    source: z
      .string()
      .optional()
      .describe("The key or environment variable that names it; absent for the public endpoint."),
    authenticated: z.boolean().optional().describe("Whether the endpoint receives credentials."),
  }),
  z.strictObject({
    check: z.literal("permissions"),
    ...common,
    api: z.string(),
    method: z
      .enum(["locations.list", "testIamPermissions"])
      .describe("The method of the check: a read, or the API's method for testing permissions."),
    resource: z.string().optional().describe("The name of the checked project or resource."),
  }),
]);

export const doctorResult = z.strictObject({
  version: z.literal(DOCTOR_VERSION),
  package: z.string().describe("Version of pulumi-perimeter."),
  findings: z.array(finding),
  exitCode: z.union([z.literal(0), z.literal(1)]).describe("1 if a finding is an `error`."),
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
