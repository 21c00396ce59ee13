import { answerWith } from "../../tests/support/answers";
import { busyResult, HOSTILE_TEXT, hostileResult, largeResult } from "../../tests/support/review-results";
import { htmlPage } from "./html";

describe("HTML", () => {
  test("escapes every text, and allows only its own styles", () => {
    const html = htmlPage(answerWith(hostileResult(HOSTILE_TEXT)));
    expect([...html.matchAll(/<img|<script|onerror=a\(\)>|\u202e/g)].map(([found]) => found)).toEqual([]);
    expect(html.includes("\u001b")).toBe(false);
    expect(html.match(/<\/style>/g)).toHaveLength(1);
    expect(html.match(/-->/g)).toBeNull();
    expect(html).toMatch(
      /content="default-src 'none'; style-src 'sha256-[\w+/]+='; base-uri 'none'; form-action 'none'"/,
    );
    const attributes = [...html.replace(/"[^"]*"/g, '""').matchAll(/<\w[^>]*>/g)].map(([tag]) => tag);
    expect(attributes.filter((tag) => / (style|on\w+|src|href)=/.test(tag))).toEqual([]);
  });

  test("shows the console's picture of the access before and after", () => {
    const html = htmlPage(answerWith(busyResult));
    expect(html.replaceAll(/<[^>]*>/g, "")).toContain(
      "This plan adds 1 grant, removes 2 grants and changes the condition of 1 grant.",
    );
    expect(html).toContain('−2<span class=""> losses</span>');
    expect(html).toContain('class="access-matrix"');
    expect(html).toContain(">no access left<");
    expect(html).toContain("There is no picture: the policy is unknown.");
    expect(htmlPage(answerWith({ ...busyResult, operation: "access" }))).toContain("Since then, somebody");
  });

  test("has a limited size, and counts the omitted entries", () => {
    const html = htmlPage(answerWith(largeResult(2000)));
    expect(html.length).toBeLessThan(2_000_000);
    expect(html).toContain("… and 1,000 more changes (all are in --format json)");
    expect(html).toContain("1700 more are not shown.");
    expect(html).toContain("… and 950 more grants (all are in --format json)");
  });
});
