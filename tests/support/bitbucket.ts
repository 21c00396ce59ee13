/** A stand-in for Bitbucket Pipelines' proxy, which adds the credentials, with the reports and annotations of Bitbucket's API. */
import { z } from "zod";
import { StandIn, type ServedAnswer, type ServedRequest } from "./scripted-server";

const text = (most: number) => z.string().min(1).max(most);

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-reports/ */
const report = z.strictObject({
  title: text(450),
  details: text(2000),
  reporter: text(450).optional(),
  report_type: z.enum(["SECURITY", "COVERAGE", "TEST", "BUG"]),
  result: z.enum(["PASSED", "FAILED", "PENDING"]).optional(),
  data: z
    .array(z.strictObject({ title: text(450), type: z.literal("NUMBER"), value: z.number() }))
    .max(10)
    .optional(),
});
const annotations = z
  .array(
    z.strictObject({
      external_id: text(450),
      annotation_type: z.enum(["VULNERABILITY", "CODE_SMELL", "BUG"]),
      path: text(2000).optional(),
      line: z.int().min(0).optional(),
      severity: z.enum(["CRITICAL", "HIGH", "MEDIUM", "LOW"]).optional(),
      summary: text(450),
    }),
  )
  .min(1)
  .max(100);

export class Bitbucket extends StandIn {
  /** By the path of the commit and the name of the report. */
  readonly reports = new Map<string, { report: z.infer<typeof report>; annotations: z.infer<typeof annotations> }>();

  protected serve({ route, host, headers, json }: ServedRequest): ServedAnswer {
    const [, method, name = "", list] =
      /^(PUT|POST) \/2\.0\/repositories\/(\S+?\/commit\/\w+\/reports\/[\w-]+)(\/annotations)?$/.exec(route) ?? [];
    if (host !== "api.bitbucket.org" || headers["content-type"] !== "application/json")
      return { status: 404, body: {} };
    if (method === "PUT" && list === undefined) {
      const put = report.parse(json());
      this.reports.set(name, { report: put, annotations: [] });
      return { status: 200, body: { type: "report", uuid: "{report}", ...put } };
    }
    const found = this.reports.get(name);
    if (method !== "POST" || list === undefined || found === undefined) return { status: 404, body: { type: "error" } };
    found.annotations = annotations.parse(json());
    return { status: 200, body: found.annotations.map((each) => ({ type: "report_annotation", ...each })) };
  }
}
