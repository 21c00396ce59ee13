import { growthOf } from "../../tests/support/steps";
import { answerWith } from "../../tests/support/answers";
import { busyResult, HOSTILE_TEXT, hostileResult, largeResult, quietResult } from "../../tests/support/review-results";
import { principalText } from "../result/sentences";
import { terminalText } from "./terminal";
import { columnsOf, wrapped } from "./terminal-page";

const plain = (text: string, width: number): string =>
  terminalText(answerWith({ ...busyResult, notes: [text] }), { width, color: false });

describe("the terminal", () => {
  test.each([40, 80, 120])("fits into %i columns and shows each name completely", (width) => {
    const text = terminalText(answerWith(busyResult), { width, color: false });
    expect(Math.max(...text.split("\n").map(columnsOf))).toBeLessThanOrEqual(width);
    const joined = text.replace(/\s/g, "");
    for (const { resource, changes } of busyResult.resources) {
      expect(joined).toContain(resource);
      changes.forEach(({ principal, role }) =>
        expect(joined).toContain(`${principalText(principal)}${role}`.replaceAll(" ", "")),
      );
    }
    expect(text).toMatch(/- user:ada@example.com\s+roles\/healthcare\.\s*fhirResourceReader\n +no access left/);
    expect(text).toMatch(/- domain:example.org[\s\S]*\n +not managed by the stack/);
    expect(text).toMatch(/\? The member is secret/);
    expect(text).toMatch(/Reason: Nothing of the clinic/);
    expect(text).toMatch(/\nExit code 2: /);
  });

  test("if nothing changes, has the rules and the notes, which say what is not covered", () => {
    const result = { ...quietResult, notes: ["Not read: the members of groups"] };
    expect(terminalText(answerWith(result), { width: 80, color: true })).toBe(
      "\u001b[1mNo access changes: 12 grants stay as they are.\u001b[0m\n\u001b[2mNo rules file.\u001b[0m\n" +
        "\n\u001b[1mNotes\u001b[0m\n\u001b[2m  · Not read: the members of groups\u001b[0m\n",
    );
  });

  test("shows every fact of a resource that has only unknown facts", () => {
    expect(terminalText(answerWith(busyResult), { width: 120, color: false })).toMatch(
      /triggers\/orders\n.*\n {2}\? The policy/,
    );
  });

  test.each([40, 120])("removes the control characters of names, at %i columns", (width) => {
    const text = terminalText(answerWith(hostileResult(HOSTILE_TEXT)), { width, color: false });
    // eslint-disable-next-line no-control-regex -- these are what must not be there
    expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect(Math.max(...text.split("\n").map(columnsOf))).toBeLessThanOrEqual(width);
    expect(text).not.toMatch(/^# H/m);
    const colored = terminalText(answerWith(hostileResult(HOSTILE_TEXT)), { width, color: true });
    // eslint-disable-next-line no-control-regex -- colors are ours
    expect(colored.replace(/\u001b\[\d+m/g, "")).toBe(text);
  });

  test("lists the first of many changes, losses before gains, and counts the omitted ones", () => {
    const text = terminalText(answerWith(largeResult(2000)), { width: 120, color: false });
    expect(text.split("\n").length).toBeLessThan(1500);
    expect(text).toContain("1,000 principals lose access, 1,000 gain on 1 resource.");
    expect(text).toContain("… and 1,600 more changes");
    expect(text).toContain("1,000 grants not managed by the stack:");
    expect(text).toContain("… and 990 more");
    expect(text).not.toContain("  + ");
  });

  test("lists the current grants", () => {
    const resources = busyResult.resources.map((each) => ({ ...each, changes: [], noAccessLeft: [] }));
    const text = terminalText(answerWith({ ...busyResult, operation: "access", resources, refused: [] }), {
      width: 120,
      color: false,
    });
    expect(text).toMatch(/^7 grants on 3 resources; 2 things are unknown/);
    expect(text).toMatch(
      /import@demo-project\S+ +roles\/healthcare.fhirResourceEditor\n +if “until the migration is over”, before/,
    );
  });

  test("breaks long words between their parts, and counts wide characters by their width", () => {
    expect(wrapped("a projects/demo-project/locations/somewhere b", 24)).toEqual([
      "a projects/demo-project/",
      "locations/somewhere b",
    ]);
    expect(wrapped("漢字漢字漢字", 5)).toEqual(["漢字", "漢字", "漢字"]);
    expect(plain("e\u0301".repeat(30), 40)).toContain(`  · ${"e\u0301".repeat(30)}\n`);
  });

  test.each(["a", "/", "漢", "e\u0301"])("a long word of %j is broken into lines", (part) => {
    const word = part.repeat(20_000 / part.length);
    const lines = wrapped(word, 80);
    expect(lines.join("")).toBe(word);
    expect(Math.max(...lines.map(columnsOf))).toBeLessThanOrEqual(80);
  });

  test("breaks long words in steps that grow with their length", async () => {
    const growth = await growthOf((load) => {
      const page = load<typeof import("./terminal-page")>("access/formats/terminal-page");
      return (length) => ["a", "/", "漢", "e\u0301"].map((part) => page.wrapped(part.repeat(length), 80));
    }, 1_000);
    expect(growth).toBeLessThan(6);
  });
});
