import { answerWith, onlyStack, verdictOf, type OneStack } from "../../tests/support/answers";
import { busyResult, quietResult, resultOf } from "../../tests/support/review-results";
import { conditionChangeText, conditionText } from "./condition";
import type { AccessChanged, Answer, ReviewedResource } from "../result/result";
import { changeSentence } from "../result/sentences";
import { codeQualityText } from "./code-quality";
import { githubText } from "./github";
import { htmlPage } from "./html";
import { jsonText } from "./json";
import { junitText } from "./junit";
import { markdownText } from "./markdown";
import { sarifText } from "./sarif";
import { terminalText } from "./terminal";
import { reportOf } from "./report";
import { stepName, visible } from "../result/visible";

describe("the sentences of all text forms", () => {
  test("the headline counts each principal once, and includes unknown facts and refused steps", () => {
    expect(reportOf(answerWith(busyResult)).headline).toBe(
      "3 principals lose access, everyone on the internet and 1 principal gain, 1 condition changes on 2 resources; 1 step is refused; 2 things are unknown",
    );
    expect(reportOf(answerWith(quietResult)).headline).toBe("No access changes: 12 grants stay as they are");
    const unread = { ...quietResult, resources: [], summary: { ...quietResult.summary, unchanged: 0 } };
    expect(reportOf(answerWith(unread)).headline).toBe("No access changes");
    expect(reportOf(answerWith({ ...busyResult, operation: "access" })).headline).toMatch(
      /^3 principals lost access, everyone on the internet and 1 principal gained, 1 condition/,
    );
  });

  describe("`allUsers` is everyone on the internet, and does not count as one principal", () => {
    const everyones = [
      ["allUsers", "everyone on the internet"],
      ["allAuthenticatedUsers", "everyone with a Google account"],
    ] as const;
    const role = "roles/run.invoker";
    const changed = (change: "gained" | "lost", ...principals: string[]) =>
      principals.map((principal): AccessChanged => ({ change, principal, role, steps: [] }));
    const answer = (...changes: AccessChanged[]): OneStack => {
      const [resource] = busyResult.resources;
      const shown = { changes, unknown: [], noAccessLeft: [], unmanaged: [], before: [], after: [] };
      const resources = resource ? [{ ...resource, ...shown }] : [];
      const violations = changes.map((change) => ({
        ...{ rule: "gain", principal: change.principal, role, resource: resource?.resource ?? "" },
        message: changeSentence({ principal: change.principal, role, resource: resource?.resource ?? "" }, change),
      }));
      return { ...quietResult, resources, verdict: verdictOf({ ...quietResult.verdict, exitCode: 2, violations }) };
    };

    test.each([
      [changed("gained", "allUsers"), "Everyone on the internet gains access on 1 resource"],
      [
        changed("gained", "allUsers", "user:a@b.c"),
        "Everyone on the internet and 1 principal gain access on 1 resource",
      ],
      [
        [...changed("lost", "user:a@b.c"), ...changed("gained", "allAuthenticatedUsers", "user:d@b.c")],
        "1 principal loses access, everyone with a Google account and 1 principal gain on 1 resource",
      ],
      [
        [...changed("lost", "allUsers"), ...changed("gained", "allAuthenticatedUsers")],
        "Everyone on the internet loses access, everyone with a Google account gains on 1 resource",
      ],
    ])("in the headline: %j", (changes, expected) => {
      expect(reportOf(answerWith(answer(...changes))).headline).toBe(expected);
    });

    const FORMS: Record<string, (result: OneStack) => string> = {
      terminal: (result) => terminalText(answerWith(result), { width: 200, color: false }),
      markdown: (result) => markdownText(answerWith(result)),
      html: (result) => htmlPage(answerWith(result)),
      sarif: (result) => sarifText(answerWith(result), {}),
      junit: (result) => junitText(answerWith(result)),
      github: (result) => githubText(answerWith(result)),
      "code quality": (result) => codeQualityText(answerWith(result), {}),
    };
    test.each(Object.entries(FORMS).flatMap(([name, form]) => everyones.map((each) => [name, ...each, form] as const)))(
      "in the form %s: %s is %s",
      (_name, principal, words, form) => {
        const withoutHeadline = form(answer(...changed("gained", principal))).replaceAll(/Everyone \w+ (the|a) /g, "");
        expect(withoutHeadline).toContain(words);
      },
    );

    test("also where a grant is only listed, and where nobody has access left", () => {
      const grants = everyones.map(([principal]) => ({ principal, role }));
      const result = answer();
      const [resource] = result.resources;
      const lists = { unmanaged: grants, inherited: grants.map((each) => ({ ...each, from: "project p" })) };
      const noAccessLeft = everyones.map(([principal]) => principal);
      const listed = { ...result, resources: resource ? [{ ...resource, ...lists, noAccessLeft }] : [] };
      for (const form of [FORMS.terminal, FORMS.markdown, FORMS.html]) {
        const text = form?.(listed) ?? "";
        for (const [principal, words] of everyones) {
          expect(text.split(`${principal} (${words})`)).toHaveLength(4);
        }
      }
    });
  });

  test("the headline of an answer without a readable policy counts no grants, also with --expires-within", () => {
    const unread = { ...quietResult, operation: "access" as const, expiresWithin: "2w" };
    const resources = busyResult.resources
      .slice(0, 1)
      .map((each) => ({ ...each, changes: [], noAccessLeft: [], unknown: [], before: null, after: null }));
    const unknown = [{ code: "unreadable policy" as const, message: "No credentials." }];
    expect(reportOf(answerWith({ ...unread, resources, unknown })).headline).toBe(
      "1 access policy not read; 1 thing is unknown",
    );
  });

  test("the verdict counts lost grants and changed conditions, each with its name", () => {
    expect(reportOf(answerWith(busyResult)).verdict).toMatch(/^Exit code 2: 2 lost grants not allowed, /);
    const [resource] = busyResult.resources;
    const change = (kind: "lost" | "condition", role: string): AccessChanged => ({
      ...{ change: kind, principal: "user:bob@example.com", role, steps: [] },
      ...(kind === "condition" && { condition: { title: "shift", expression: "false" } }),
    });
    const changes = [change("lost", "roles/a"), change("lost", "roles/b"), change("condition", "roles/c")];
    const resources = resource ? [{ ...resource, unknown: [], changes, noAccessLeft: [] }] : [];
    const violations = changes.map(({ principal, role, change: kind, steps }, number) => ({
      ...{ rule: "loss", message: "", principal, role, resource: resource?.resource ?? "" },
      finding: { number, kind, steps },
    }));
    const result = { ...busyResult, unknown: [], refused: [], resources };
    const shown = reportOf(answerWith({ ...result, verdict: verdictOf({ exitCode: 2, violations, allowed: [] }) }));
    expect(shown.headline).toBe("1 principal loses access, 1 condition changes on 1 resource");
    expect(shown.verdict).toBe("Exit code 2: 2 lost grants and 1 changed condition not allowed");
  });

  test("the basis names all policy files and their revision, and warnings are shown even if nothing changes", () => {
    const { verdict } = quietResult;
    const files = { rules: "infra/.perimeter-review.yaml", rulesAbove: [".perimeter-review.yaml"] };
    const of = (more: Partial<Parameters<typeof verdictOf>[0]>) => ({
      ...quietResult,
      verdict: { ...verdict, ...verdictOf({ exitCode: 0, ...more }) },
    });
    expect(reportOf(answerWith(of({ ...files, rulesRevision: "origin/main" }))).basis).toContain(
      "rules files .perimeter-review.yaml and infra/.perimeter-review.yaml of origin/main",
    );
    expect(reportOf(answerWith(of({ rules: null, rulesRevision: "origin/main" }))).basis).toContain(
      "no rules file in origin/main",
    );
    const changed = { rules: null, rulesRevision: "main", warnings: [{ rule: "rules", message: "a.yaml differs." }] };
    expect(reportOf(answerWith(of(changed))).basis.slice(-2)).toEqual([
      "no rules file in main",
      "the rules of this folder differ",
    ]);
    const warned = of({ warnings: [{ rule: "allowLoss[0]", file: "a.yaml", message: "It is overruled." }] });
    for (const text of [
      terminalText(answerWith(warned), { width: 80, color: false }),
      markdownText(answerWith(warned)),
      htmlPage(answerWith(warned)),
    ]) {
      expect(text.replaceAll(/<[^>]*>|`/g, "")).toContain("allowLoss[0] of a.yaml: It is overruled.");
    }
  });

  test("an unknown fact is never reported as no change", () => {
    const unknown = [{ code: "incomplete plan" as const, message: "The preview failed." }];
    const result = resultOf({ unknown, verdict: verdictOf({ exitCode: 3, violations: [], allowed: [] }) });
    expect(reportOf(answerWith(result)).headline).toBe("Incomplete: 1 thing is unknown; no change of access is known");
    expect(reportOf(answerWith(result)).verdict).toBe("Exit code 3: 1 thing unknown");
    for (const text of [
      terminalText(answerWith(result), { width: 80, color: false }),
      markdownText(answerWith(result)),
      htmlPage(answerWith(result)),
    ]) {
      expect(text).toContain("The preview failed.");
      expect(text).not.toContain("No access changes");
    }
  });

  const secret: AccessChanged = { change: "lost", principal: "[secret]", role: "roles/a", hidden: "secret", steps: [] };

  test("each hidden principal counts, because two of them may differ", () => {
    const [resource] = busyResult.resources;
    const resources = resource ? [{ ...resource, changes: [secret, { ...secret, role: "roles/b" }] }] : [];
    expect(reportOf(answerWith({ ...busyResult, resources, refused: [] })).headline).toContain(
      "2 principals lose access on 1 resource",
    );
  });

  test("a principal without access left is listed if no loss names it", () => {
    const [resource] = busyResult.resources;
    const changed = { changes: [secret, secret], noAccessLeft: ["[secret]", "user:kim@example.com"], after: [] };
    const result = { ...busyResult, resources: resource ? [{ ...resource, ...changed }] : [] };
    expect(terminalText(answerWith(result), { width: 80, color: false })).toContain(
      "no access left: [secret], user:kim@example.com\n",
    );
    expect(markdownText(answerWith(result)).match(/no access left/g)).toHaveLength(2);
    expect(htmlPage(answerWith(result))).toContain(
      '<span class="badge">no access left</span> [secret], user:kim@example.com</p>',
    );
  });

  test.each([
    ["storage", "b/reports", "no access left (the access list of the bucket was not read)"],
    ["bigquery", "projects/p/datasets/d/tables/t", "no access left (the access list of the dataset was not read)"],
    ["pubsub", "projects/p/topics/t", "no access left"],
  ])("where an API has access lists, each form says that they were not read: %s", (api, name, words) => {
    const [resource] = busyResult.resources;
    const lost = { change: "lost" as const, principal: "user:ada@example.com", role: "roles/x", steps: [] };
    const changed = { api, resource: name, changes: [lost], noAccessLeft: [lost.principal, "user:kim@example.com"] };
    const result = { ...busyResult, resources: resource ? [{ ...resource, ...changed }] : [] };
    for (const form of [
      terminalText(answerWith(result), { width: 120, color: false }),
      markdownText(answerWith(result)),
      htmlPage(answerWith(result)),
    ]) {
      expect(form.split("no access left")).toHaveLength(3);
      expect(form.split(new RegExp(`${words.replace(/[()]/g, ".")}(?! ?\\()`))).toHaveLength(3);
    }
  });

  test("an unmanaged grant is shown with its condition", () => {
    const condition = { title: "shift", expression: "true" };
    const unmanaged = [{ principal: "user:ada@example.com", role: "roles/viewer", condition }];
    const result = { ...busyResult, resources: busyResult.resources.map((each) => ({ ...each, unmanaged })) };
    const shown = conditionText(condition);
    expect(terminalText(answerWith(result), { width: 120, color: false })).toMatch(
      new RegExp(`not managed by the stack:\\n +user:ada@example.com  roles/viewer\\n +if ${shown}\\n`),
    );
    expect(markdownText(answerWith(result))).toMatch(
      /^- `user:ada@example\.com` `roles\/viewer` on `\S+` if `“shift”/m,
    );
  });

  test("what a program printed is one name, and not words with marks of their own", () => {
    const quoted = "File \"a.py\", line 1 … No module named 'a_b'";
    const unknown = [{ code: "incomplete plan" as const, message: `It failed: ${quoted}`, quoted }];
    const result = { ...quietResult, unknown };
    expect(markdownText(answerWith(result))).toContain(`\n- It failed: \`${quoted}\`\n`);
    expect(htmlPage(answerWith(result))).toMatch(/It failed: <code>File [^<]*a_b[^<]*<\/code>/);
    expect(terminalText(answerWith(result), { width: 80, color: false })).toContain(`It failed: ${quoted}\n`);
  });

  test("line breaks in reasons and messages are blanks", () => {
    const text = "First line,\r\n  the second.\n";
    const violations = [{ rule: "mayGain", message: text, reason: text }];
    const result = {
      ...busyResult,
      notes: [text],
      verdict: verdictOf({ exitCode: 2 as const, violations, allowed: [text] }),
    };
    for (const form of [
      terminalText(answerWith(result), { width: 80, color: false }),
      markdownText(answerWith(result)),
      htmlPage(answerWith(result)),
    ]) {
      expect(form.match(/First line, the second\./g)).toHaveLength(4);
    }
  });

  test("a list of current access has a verdict only if there is a violation", () => {
    const access = { ...busyResult, operation: "access" as const };
    expect(
      reportOf(answerWith({ ...access, verdict: verdictOf({ exitCode: 0, violations: [], allowed: [] }) })).verdict,
    ).toBeUndefined();
    expect(reportOf(answerWith(access)).verdict).toMatch(/^Exit code 2: /);
    const result = { ...access, verdict: verdictOf({ exitCode: 0 as const, violations: [], allowed: [] }) };
    for (const form of [
      terminalText(answerWith(result), { width: 80, color: false }),
      markdownText(answerWith(result)),
      htmlPage(answerWith(result)),
    ]) {
      expect(form).not.toMatch(/Exit code|undefined/);
    }
  });

  describe("the rules file, grant mode and environment variables that were used", () => {
    const merge = { mode: "merge" as const, variable: "PERIMETER_GRANT_MODE" };
    const place = { resource: "projects/p/a", kind: "a store", api: "healthcare", changes: [], unchanged: 0 };
    const rest = { noAccessLeft: [], unmanaged: [], before: [], after: [], unknown: [] };
    const one = {
      ...place,
      ...rest,
      endpoint: "http://e/",
      endpointVariable: "PERIMETER_EMULATOR_HOST",
      grantModes: [merge],
    };
    const other = { ...one, resource: "projects/p/b", grantModes: [{ mode: "replace" as const }] };
    const unknown = [{ code: "no order" as const, message: "It is unknown." }];
    const textsOf = (resources: ReviewedResource[], rules: string | null) => {
      const result = resultOf({
        resources: resources.map((each) => ({ ...each, unknown })),
        verdict: verdictOf({ exitCode: 3, violations: [], allowed: [], rules }),
      });
      const texts = [
        terminalText(answerWith(result), { width: 200, color: false }),
        markdownText(answerWith(result)),
        htmlPage(answerWith(result)),
      ];
      return texts.map((text) => text.replaceAll(/[`\\]/g, ""));
    };

    test("are in every form, once if they are the same for all resources", () => {
      for (const text of textsOf([one, { ...one, resource: "projects/p/b" }], null)) {
        expect(text).toMatch(
          /grant mode merge set by PERIMETER_GRANT_MODE; endpoint set by PERIMETER_EMULATOR_HOST; no rules file\./i,
        );
        expect(text.match(/grant mode/gi)).toHaveLength(1);
      }
    });

    test("are in every form for each resource if they differ", () => {
      for (const text of textsOf([one, other], "rules.yaml")) {
        expect(text).toMatch(/rules file rules.yaml\./i);
        expect(text).toMatch(/grant mode merge set by PERIMETER_GRANT_MODE/);
        expect(text).toContain("grant mode replace");
      }
    });

    test("are in the JSON", () => {
      const json = onlyStack(JSON.parse(jsonText(answerWith({ resources: [one] }))) as Answer);
      expect(json).toMatchObject({ verdict: { rules: null }, resources: [{ grantModes: [merge] }] });
    });
  });

  test("a report with allowed losses does not say that nobody loses access", () => {
    expect(
      reportOf(answerWith({ ...busyResult, verdict: verdictOf({ exitCode: 0, violations: [], allowed: ["a"] }) }))
        .verdict,
    ).toBe("Exit code 0: every known loss is allowed");
  });

  test.each([
    ["", "always"],
    ['request.time < timestamp("2027-01-01T00:00:00Z")', "before 2027-01-01 00:00 UTC"],
    ["request.time >= timestamp('2027-01-01T10:00:05Z')", "from 2027-01-01 10:00:05 UTC"],
    ['request.time < timestamp("2027-01-01T00:00:00+02:00")', "before 2027-01-01T00:00:00+02:00"],
    [
      'resource.name.startsWith("projects/p") && request.time > timestamp("2027-01-01T00:00:00Z")',
      "names that start with projects/p and after 2027-01-01 00:00 UTC",
    ],
    [
      'request.time < timestamp("2027-01-01T00:00:00Z") || true',
      'request.time < timestamp("2027-01-01T00:00:00Z") || true',
    ],
    ['!(request.time < timestamp("2027"))', '!(request.time < timestamp("2027"))'],
    ['resource.name.startsWith("a && b")', "names that start with a && b"],
    ['(timestamp("2027-01-01T00:00:00Z") > request.time)', "before 2027-01-01 00:00 UTC"],
    ['request.time != timestamp("2027-01-01T00:00:00Z")', 'request.time != timestamp("2027-01-01T00:00:00Z")'],
  ])("the condition %s is shown as %s", (expression, text) => {
    expect(conditionText({ title: "", expression })).toBe(text);
    expect(conditionText({ title: "t", expression })).toBe(`“t”, ${text}`);
  });

  test("a changed condition shows the difference in title, description or expression", () => {
    const condition = { title: "t", expression: "true" };
    expect(conditionChangeText(null, condition)).toBe("always → “t”, true");
    expect(conditionChangeText(condition, undefined)).toBe("“t”, true → always");
    expect(conditionChangeText(condition, { ...condition, expression: "false" })).toBe("“t”, true → false");
    expect(conditionChangeText(condition, { ...condition, description: "d" })).toBe("“t”, true → “t”, true (d)");
    const long = "a".repeat(500);
    expect(
      conditionChangeText({ ...condition, expression: `${long}b` }, { ...condition, expression: `${long}c` }),
    ).toMatch(/ab → .*ac$/);
    expect(conditionText({ title: "", expression: long })).toBe(`${"a".repeat(300)}… (200 more characters)`);
    expect(conditionText({ title: "", expression: "a".repeat(300) })).toBe("a".repeat(300));
  });

  test("a step is shown by its name and type", () => {
    expect(stepName("urn:pulumi:s::p::a:b:C$perimeter:healthcare/v1beta1:Grant::x::y")).toBe("x::y (Grant)");
    expect(stepName("no\u0000urn")).toBe("no\\u{0}urn");
  });

  describe("a step whose line is known", () => {
    const [ada, owners, partner] = ["ada-reads", "owners", "partner"].map(
      (name) => `urn:pulumi:prod::clinic::perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember::${name}`,
    ) as [string, string, string];
    const result: OneStack = {
      ...busyResult,
      sources: {
        [ada]: { file: "infra/index.ts", line: 3, gone: true },
        [owners]: { file: "infra/index.ts", line: 12 },
        [partner]: { file: "infra/a b.ts", line: 7, component: "Readers" },
      },
    };

    test("has it in the terminal, also where it was before a delete", () => {
      const text = terminalText(answerWith(result), { width: 120, color: false });
      expect(text).toContain("\n      by ada-reads (DatasetFhirStoreIamMember) was at infra/index.ts:3\n");
      expect(text).toContain("\n      by reader (DatasetFhirStoreIamMember)\n");
      expect(text).toContain("by partner (DatasetFhirStoreIamMember) at infra/a b.ts:7 (component Readers)\n");
      expect(text.replace(/\s+/g, " ")).toContain(" x owners (DatasetFhirStoreIamMember) at infra/index.ts:12 on ");
    });

    test("has it in Markdown as code, where the changes come from", () => {
      const text = markdownText(answerWith(result));
      expect(text).toMatch(/^- .*: `ada-reads \(DatasetFhirStoreIamMember\)` was at `infra\/index.ts:3`$/m);
      expect(text).toContain("`partner (DatasetFhirStoreIamMember)` at `infra/a b.ts:7` (component `Readers`)");
      expect(text).toContain("- `owners (DatasetFhirStoreIamMember)` at `infra/index.ts:12` on `projects/");
    });

    test("has it on the page, beside the step", () => {
      const html = htmlPage(answerWith(result));
      expect(html).toContain('<span class="step">ada-reads (DatasetFhirStoreIamMember) was at infra/index.ts:3</span>');
      expect(html).toContain("by partner (DatasetFhirStoreIamMember) at infra/a b.ts:7 (component Readers)<");
    });
  });

  test("invisible characters are shown as numbers", () => {
    expect(visible(`a b\u202eadmin\u2066\u00a0\u200b\ud800\u2028\t`)).toBe(
      "a b\\u{202e}admin\\u{2066}\\u{a0}\\u{200b}\\u{d800}\\u{2028}\\u{9}",
    );
    expect(visible("Ada 漢字 é €")).toBe("Ada 漢字 é €");
  });
});
