import fc from "fast-check";
import { canMatchGlob, matchesGlob, matchesMember } from "./glob";

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

test("gives the same result as an equivalent regular expression", () => {
  const letters = (max: number) => fc.string({ unit: fc.constantFrom("a", "b", "*", "."), maxLength: max });
  fc.assert(
    fc.property(letters(6), letters(10), (pattern, text) => {
      const escaped = pattern.replaceAll(".", "\\.").replaceAll("*", ".*");
      expect(matchesGlob(pattern, text)).toBe(new RegExp(`^${escaped}$`).test(text));
    }),
    { numRuns: 2_000 },
  );
});

test("is fast for patterns that make backtracking regular expressions extremely slow", () => {
  expect(matchesGlob("*a".repeat(400) + "b", "a".repeat(100_000))).toBe(false);
});

test.each([
  ["user:*@Example.com", "user:ADA@example.COM", true],
  ["*@Example.com", "user:ada@example.com", true],
  ["principalSet://*", "principalSet://iam.googleapis.com/pools/p/*", true],
  ["principal://pools/p/subject/Ada", "principal://pools/p/subject/ada", false],
  ["*/Ada", "principal://pools/p/subject/ada", false],
  ["AllUsers", "allUsers", false],
  ["google-service-agents", "serviceAccount:service-12@gcp-sa-pubsub.iam.gserviceaccount.com", true],
  ["google-service-agents", "serviceAccount:service-p12@gcp-sa-accessapproval.iam.gserviceaccount.com", true],
  ["google-service-agents", "serviceAccount:12@cloudservices.gserviceaccount.com", true],
  ["google-service-agents", "serviceAccount:12-compute@developer.gserviceaccount.com", false],
  ["google-service-agents", "serviceAccount:service-12@my-project.iam.gserviceaccount.com", false],
  ["google-service-agents", "serviceAccount:x@gcp-sa-pubsub.iam.gserviceaccount.com.example.com", false],
  ["google-service-agents", "user:service-12@gcp-sa-pubsub.iam.gserviceaccount.com", false],
])("member %s on %s: %s", (pattern, member, expected) => {
  expect(matchesMember(pattern, member)).toBe(expected);
});

describe("a text with an unknown part", () => {
  const letters = (max: number) => fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: max });
  const known = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 3 });
  /** All texts of these letters, the shortest first. */
  const texts = (length: number): string[] =>
    length === 0 ? [""] : texts(length - 1).flatMap((text) => [`${text}a`, `${text}b`]);

  test("can match a pattern if some text of this form matches", () => {
    fc.assert(
      fc.property(letters(5), known, known, fc.boolean(), (pattern, before, behind, isOnlyA) => {
        // A pattern of five characters needs no more than six to go round each of its stars.
        const candidates = [1, 2, 3, 4, 5, 6].flatMap(texts).filter((text) => !isOnlyA || !text.includes("b"));
        const exists = candidates.some((text) => matchesGlob(pattern, before + text + behind));
        expect(canMatchGlob(pattern, [before, isOnlyA ? /a/ : /[ab]/, behind])).toBe(exists);
      }),
      { numRuns: 500 },
    );
  });

  test("is fast for every pattern", () => {
    expect(canMatchGlob("*a".repeat(400) + "b", ["a".repeat(1000), /a/, "c"])).toBe(false);
  });
});
