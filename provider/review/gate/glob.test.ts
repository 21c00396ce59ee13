import fc from "fast-check";
import { matchesGlob, matchesMember } from "./glob";

test.each([
  ["roles/viewer", "roles/viewer", true],
  ["roles/viewer", "roles/viewers", false],
  ["*", "", true],
  ["roles/*", "roles/", true],
  ["roles/healthcare.*Viewer", "roles/healthcare.fhirStoreViewer", true],
  ["roles/healthcare.*Viewer", "roles/healthcare.fhirStoreEditor", false],
  ["a*a", "a", false],
  ["a*b*c", "axbxbxc", true],
  ["a*bc*c", "abc", false],
  ["roles/viewer.", "roles/viewerx", false],
])("%s on %s: %s", (pattern, text, expected) => {
  expect(matchesGlob(pattern, text)).toBe(expected);
});

test("says what a regular expression of the same meaning says", () => {
  const letters = (max: number) => fc.string({ unit: fc.constantFrom("a", "b", "*", "."), maxLength: max });
  fc.assert(
    fc.property(letters(6), letters(10), (pattern, text) => {
      const escaped = pattern.replaceAll(".", "\\.").replaceAll("*", ".*");
      expect(matchesGlob(pattern, text)).toBe(new RegExp(`^${escaped}$`).test(text));
    }),
    { numRuns: 2_000 },
  );
});

test("a pattern on which expressions with memory take for ever is answered at once", () => {
  expect(matchesGlob("*a".repeat(400) + "b", "a".repeat(100_000))).toBe(false);
});

test.each([
  ["user:*@Example.com", "user:ADA@example.COM", true],
  ["*@Example.com", "user:ada@example.com", true],
  ["principalSet://*", "principalSet://iam.googleapis.com/pools/p/*", true],
  ["principal://pools/p/subject/Ada", "principal://pools/p/subject/ada", false],
  ["*/Ada", "principal://pools/p/subject/ada", false],
  ["AllUsers", "allUsers", false],
])("member %s on %s: %s", (pattern, member, expected) => {
  expect(matchesMember(pattern, member)).toBe(expected);
});
