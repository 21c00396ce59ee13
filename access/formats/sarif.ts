import { gzipSync } from "node:zlib";
import { fullNameIn } from "../../provider/iam/kinds/kinds";
import { REPOSITORY, VERSION } from "../../provider/version";
import type { Answer, Judgement, StackAnswer } from "../result/result";
import { counted, oneLine, shortened, visible } from "../result/visible";
import { alertsOf, type AlertOptions, type Place } from "./alerts";
import { ALL_IN_JSON } from "./report";

/**
 * The SARIF form of a result: https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html. Its properties are those
 * that GitHub reads, and its sizes keep GitHub's limits:
 * https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
 */

/** GitHub refuses a run with more. As each rule has a result, there are also not more rules than GitHub accepts. */
const MOST_RESULTS = 25_000;
/** GitHub refuses a file with more runs. */
const MOST_RUNS = 20;
/** The largest file, compressed by gzip. */
const MOST_BYTES = 10_000_000;
const LIMITS = `GitHub accepts at most ${counted(MOST_RESULTS, "result")} and 10 MB (${ALL_IN_JSON})`;
/** Characters of a rule's description. GitHub's limit is 1,024. */
const LONGEST_DESCRIPTION = 900;
const LONGEST_MESSAGE = 2_000;

/**
 * Formats the violations and warnings of a review as SARIF 2.1.0. What the rules allow is not in it, because code scanning
 * makes an alert of each result. If results are left out because of GitHub's limits, a notification has their number.
 */
export function sarifText(answer: Answer, options: AlertOptions = {}): string {
  const results = resultsOf(answer, options);
  let count = Math.min(results.length, MOST_RESULTS);
  let text = logText(answer, results, count);
  // A text that is small enough needs no compression to know that.
  while (Buffer.byteLength(text) > MOST_BYTES && gzipSync(text).length > MOST_BYTES) {
    count = Math.floor(count / 2);
    text = logText(answer, results, count);
  }
  return text;
}

type SarifResult = ReturnType<typeof resultsOf>[number];

/**
 * A run for each stack: the results of one stack replace earlier ones of the same stack only. More stacks than GitHub accepts
 * runs are one run: each message names its stack.
 *
 * @param count the number of results that the log has, from the first one
 */
function logText(answer: Answer, all: readonly SarifResult[], count: number) {
  const { stacks, operation, exitCode } = answer;
  const command = `perimeter-${operation === "access" ? "access" : "review"}`;
  const [shown, leftOut] = [all.slice(0, count), all.slice(count)];
  const ofStack = (stack: StackAnswer) => {
    const names = [command, stack.project, stack.stack].flatMap((name) => name ?? []);
    const [own, others] = [shown, leftOut].map((results) => results.filter(({ of }) => of === stack));
    return runOf(names, stack.verdict.exitCode, own ?? [], others ?? []);
  };
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: stacks.length > MOST_RUNS ? [runOf([command, "stacks"], exitCode, shown, leftOut)] : stacks.map(ofStack),
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

/** @param names make the category, which says which earlier results this run replaces */
function runOf(
  names: readonly string[],
  exitCode: number,
  results: readonly SarifResult[],
  { length: leftOut }: readonly SarifResult[],
) {
  const are = counted(leftOut, "result is", "results are");
  const rules = new Map(results.map(({ ruleId, judgement }) => [ruleId, ruleOf(ruleId, judgement)]));
  return {
    tool: {
      driver: {
        name: "Perimeter",
        version: VERSION,
        semanticVersion: VERSION,
        informationUri: REPOSITORY,
        rules: [...rules.values()],
      },
    },
    // The text before the last slash is the category.
    automationDetails: { id: `${names.map(visible).join("/")}/` },
    invocations: [
      {
        executionSuccessful: true,
        exitCode,
        ...(leftOut > 0 && {
          toolExecutionNotifications: [{ level: "warning", message: { text: `${are} left out, because ${LIMITS}.` } }],
        }),
      },
    ],
    results: results.map(({ of: _stack, judgement: _, ...each }) => each),
  };
}

function resultsOf(answer: Answer, options: AlertOptions) {
  return alertsOf(answer, options).map(({ of, judgement, rule, level, sentences, place, file, fingerprint }) => {
    const { resource, finding } = judgement;
    return {
      of,
      judgement,
      ruleId: rule,
      level,
      message: { text: messageText(sentences.join(" ")) },
      locations: [
        {
          ...locationOf(place ?? { file, facts: [] }),
          ...(resource !== undefined && {
            logicalLocations: [{ fullyQualifiedName: oneLine(fullName(resource, finding?.api)), kind: "resource" }],
          }),
        },
      ],
      // Of GitHub's properties, this is the one for a fingerprint.
      partialFingerprints: { primaryLocationLineHash: fingerprint },
    };
  });
}

function locationOf({ file, line, facts }: Place) {
  return {
    physicalLocation: {
      artifactLocation: { uri: visible(file).split("/").map(encodeURIComponent).join("/") },
      ...(line !== undefined && { region: { startLine: line } }),
    },
    ...(facts.length > 0 && { message: { text: messageText(facts.join(" ")) } }),
  };
}

/** The full resource name if the API is known: `//healthcare.googleapis.com/projects/…`. */
function fullName(resource: string, api: string | undefined): string {
  return api === undefined || resource.startsWith("//") ? resource : fullNameIn(api, resource);
}

/** The rules by the names that they have without an index: `forbiddenRoles` for `forbiddenRoles[0]`. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  loss: "Somebody loses access, and nothing allows it.",
  gain: "Somebody gains access, and nothing allows it.",
  mayGain: "Only the gains that mayGain lists are allowed.",
  protectedPrincipals: "A protected principal loses access.",
  forbiddenRoles: "Somebody has a forbidden role.",
  conditionRequired: "A grant lacks the condition that its role needs.",
  refused: "The provider would refuse a step.",
  unmanaged: "The stack does not manage a grant on one of its resources.",
  otherProviders: "A step of another provider can change who has access.",
  expected: "Access is not as the review expected.",
  unknown: "Something about the access is unknown.",
  rules: "The policy files of this folder are not those that were used.",
};

function ruleOf(id: string, { rule, reason }: Judgement) {
  const name = rule.replace(/\[\d+\]$/, "");
  const description = (Object.hasOwn(DESCRIPTIONS, name) ? DESCRIPTIONS[name] : undefined) ?? "A rule of the review.";
  const full = shortened(reason === undefined ? description : `${description} ${oneLine(reason)}`, LONGEST_DESCRIPTION);
  const page = `${REPOSITORY}/blob/v${VERSION}/docs/review-rules.md`;
  return {
    id,
    shortDescription: { text: description },
    fullDescription: { text: messageText(full) },
    help: { text: `The rules of a review: ${page}` },
    helpUri: page,
  };
}

/** A text of a message in one line. What would be a link or a placeholder in a message of SARIF is text (3.11.5, 3.11.6). */
function messageText(text: string): string {
  const plain = oneLine(text)
    .replaceAll("](", "] (")
    .replace(/\{(\d+)\}/g, "{{$1}}");
  return shortened(plain, LONGEST_MESSAGE);
}
