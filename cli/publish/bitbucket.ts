import { codeQualityText, type Answer } from "../../access";
import { textAt, valueIn, type Environment, type Platform } from "./platform";
import { repeated, Rest } from "./rest";

/** Bitbucket accepts this number of annotations in a request, and this number of characters in each. */
const MOST = 100;
const LONGEST = 450;

/**
 * Bitbucket has reports with annotations, which need no token: a proxy of the pipeline adds the credentials.
 * https://developer.atlassian.com/cloud/bitbucket/rest/api-group-reports/
 */
export function bitbucket(environment: Environment): Platform {
  const value = (name: string) => valueIn(environment, name);
  const repository = value("BITBUCKET_REPO_FULL_NAME");
  const rest = new Rest({
    platform: "Bitbucket",
    needs: "a pipeline of the repository",
    proxy: environment.PERIMETER_BITBUCKET_PROXY || "http://localhost:29418",
    environment,
  });
  const log = `https://bitbucket.org/${repository}/pipelines/results/${value("BITBUCKET_BUILD_NUMBER")}`;
  const commit = value("BITBUCKET_COMMIT");
  return {
    job: { name: environment.BITBUCKET_STEP_UUID ?? "", log, head: { commits: [commit] } },
    report: async (result, stack) => {
      const name = `access-review-${stack.replaceAll(/[^\w.-]+/g, "-")}`;
      const url = `http://api.bitbucket.org/2.0/repositories/${repository}/commit/${commit}/reports/${name}`;
      await rest.send("PUT", url, reportOf(result, stack));
      const annotations = result === undefined ? [] : annotationsOf(result);
      // Bitbucket updates an annotation whose `external_id` it has, so a repeated request adds none twice.
      if (annotations.length > 0) await repeated(() => rest.send("POST", `${url}/annotations`, annotations));
    },
  };
}

function reportOf(result: Answer | undefined, stack: string) {
  const report = {
    title: `Access review of ${stack}`.slice(0, LONGEST),
    report_type: "SECURITY",
    reporter: "Perimeter",
  };
  if (result === undefined)
    return { ...report, details: "There is no answer: the log of the step says why.", result: "FAILED" };
  const { lost, gained, conditions, unknown } = result.summary;
  return {
    ...report,
    details: "The log of the step, and review.html among its artifacts, show everything.",
    result: result.exitCode === 0 ? "PASSED" : "FAILED",
    data: Object.entries({ lost, gained, conditions, unknown }).map(([title, count]) => ({
      title,
      type: "NUMBER",
      value: count,
    })),
  };
}

function annotationsOf(result: Answer): object[] {
  const issues = JSON.parse(codeQualityText(result)) as unknown[];
  return issues.slice(0, MOST).map((issue) => ({
    external_id: textAt(issue, "fingerprint"),
    annotation_type: "VULNERABILITY",
    path: textAt(issue, "location", "path"),
    line: Number(textAt(issue, "location", "lines", "begin")),
    severity: textAt(issue, "severity") === "critical" ? "CRITICAL" : "LOW",
    summary: textAt(issue, "description").slice(0, LONGEST),
  }));
}
