import { answerWith } from "../../tests/support/answers";
import { busyResult, HOSTILE_TEXT, hostileResult, largeResult, quietResult } from "../../tests/support/review-results";
import { change, review, STORE, VIEWER } from "../../tests/support/unjudged";
import { elementsIn } from "../../tests/support/xml";
import { judged } from "../gate/judge";
import { junitText } from "./junit";

const gain = `user:ada@example.com gains ${VIEWER} on ${STORE}.`;
const loss = `user:ada@example.com loses ${VIEWER} on ${STORE}.`;

test("each change, refused step and unknown fact is a test, and each violation a failure", () => {
  const found = review(
    [
      change("gained", { principal: "user:bob@example.com" }),
      change("lost", { steps: ["urn:pulumi:s::p::a:b:C::viewer"] }),
    ],
    { unknown: [{ code: "unreadable policy", message: "The policy could not be read: <503>." }] },
    {
      project: "shop",
      stack: "dev",
      refused: [{ step: "urn:pulumi:s::p::a:b:C::owners", reason: 'It would take "owner".\nFrom you.' }],
      sources: { "urn:pulumi:s::p::a:b:C::viewer": { file: "index.ts", line: 3 } },
    },
  );
  const bob = `user:bob@example.com gains ${VIEWER} on ${STORE}.`;
  const refusal = "The provider would refuse a step: It would take &#34;owner&#34;. From you.";
  const text = junitText(answerWith(judged(found, {})));
  expect(text).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Access review of an update" tests="4" failures="3" errors="0" skipped="0">
<testsuite name="Access review of an update: shop/dev" tests="4" failures="3" errors="0" skipped="0">
<testcase name="${bob}" classname="${STORE}"/>
<testcase name="${loss}" classname="${STORE}" file="index.ts" line="3">
<failure message="${loss}" type="loss">
loss: ${loss}
by viewer (C)
</failure>
</testcase>
<testcase name="${refusal}" classname="Access review of an update: shop/dev">
<failure message="${refusal}" type="refused">
refused: ${refusal}
by owners (C)
</failure>
</testcase>
<testcase name="The policy could not be read: &#60;503&#62;." classname="${STORE}">
<failure message="The policy could not be read: &#60;503&#62;." type="unknown">
unknown: The policy could not be read: &#60;503&#62;.
</failure>
</testcase>
</testsuite>
</testsuites>
`);
  expect(elementsIn(text)).toHaveLength(9);
});

test("an allowed loss passes, an allowed unknown fact is skipped, and a warning is output of its test", () => {
  const found = review([change("lost")], {
    unknown: [{ code: "unreadable policy", message: "The policy could not be read." }],
  });
  const allowed = { version: 1 as const, allowLoss: [{ roles: [VIEWER], reason: "moved" }], unknown: "allow" as const };
  const result = judged(found, { policy: allowed, warnings: ["rules.yaml differs."] });
  expect(junitText(answerWith(result)).split("\n").slice(3, -3)).toEqual([
    `<testcase name="${loss}" classname="${STORE}"/>`,
    `<testcase name="The policy could not be read." classname="${STORE}">`,
    '<skipped message="It is unknown, and the rules allow that."/>',
    "</testcase>",
    '<testcase name="rules.yaml differs." classname="Access review of an update">',
    "<system-out>",
    "Warning:",
    "rules: rules.yaml differs.",
    "</system-out>",
    "</testcase>",
  ]);
});

test("a change that violates two rules is one test with one failure", () => {
  const roles = [{ roles: [VIEWER], reason: "No viewers." }];
  const text = junitText(
    answerWith(judged(review([change("gained")]), { policy: { version: 1, mayGain: [], forbiddenRoles: roles } })),
  );
  expect(text).toContain('tests="1" failures="1"');
  expect(text).toContain(`type="mayGain, forbiddenRoles[0]"`);
  expect(text).toContain(
    `mayGain: ${gain} No entry of mayGain allows it.\nforbiddenRoles[0]: ${gain} This role is forbidden.\nReason: No viewers.\n`,
  );
});

test("what only the verdict names is a test: a grant that the plan keeps", () => {
  const forbidden = [{ roles: [VIEWER], alsoExisting: true, reason: "No viewers." }];
  const found = review([], { after: [{ role: VIEWER, members: ["user:ada@example.com"] }] });
  const text = junitText(answerWith(judged(found, { policy: { version: 1, forbiddenRoles: forbidden } })));
  expect(text).toContain('tests="1" failures="1"');
  expect(text).toContain(`<testcase name="user:ada@example.com has ${VIEWER} on ${STORE}, and keeps it. This role is`);
});

test("tests of one resource have different names, because GitLab shows only the first of a name", () => {
  const condition = { title: "until May", expression: "request.time < timestamp('2099-05-01T00:00:00Z')" };
  const text = junitText(answerWith(judged(review([change("gained"), change("gained", { condition })]), {})));
  expect(text).toContain(`<testcase name="${gain}" `);
  expect(text).toContain(`<testcase name="${gain} (2)" `);
});

test("a review without a change is one test that passes", () => {
  const text = junitText(answerWith(quietResult));
  expect(elementsIn(text)).toEqual([
    '<testsuites name="" tests="" failures="" errors="" skipped="">',
    '<testsuite name="" tests="" failures="" errors="" skipped="">',
    '<testcase name="" classname="">',
  ]);
  expect(text).toContain('<testcase name="No access changes: 12 grants stay as they are" ');
});

test.each([
  ["a review with everything", busyResult],
  ["current access", { ...busyResult, operation: "access" as const }],
  ["many changes", largeResult(2000)],
  ["hostile texts", hostileResult(HOSTILE_TEXT)],
  ["characters that XML forbids", hostileResult("a\u0000\u0008\u001b\u007f\ud800\ufffe\uffff]]>b")],
])("the XML of %s is well-formed", (_what, result) => {
  expect(elementsIn(junitText(answerWith(result))).length).toBeGreaterThan(3);
});

test("a code point that XML forbids is shown by its number", () => {
  expect(junitText(answerWith(hostileResult("a\uffffb")))).toContain("a\\u{ffff}b");
});
