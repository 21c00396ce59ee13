import { releaseNotes } from "./notes";

const CHANGELOG = `# Changelog

## Unreleased

- Next.

## 1.2.0 (2026-11-22)

- New:
  ## not a heading

## 1.1.0

- Old.
`;

test("the notes are the section of the version in the changelog", () => {
  expect(releaseNotes(CHANGELOG, "1.2.0", "v1.2.0")).toBe("- New:\n  ## not a heading\n");
  expect(releaseNotes(CHANGELOG, "1.1.0")).toBe("- Old.\n");
});

test("a version without a section gets the unreleased changes, unless it is tagged", () => {
  expect(releaseNotes(CHANGELOG, "1.3.0")).toBe("- Next.\n");
  expect(() => releaseNotes(CHANGELOG, "1.3.0", "v1.3.0")).toThrow('CHANGELOG.md has no section "## 1.3.0"');
});

test("a tag of another version is refused", () => {
  expect(() => releaseNotes(CHANGELOG, "1.2.0", "v1.1.0")).toThrow("package.json has version 1.2.0");
});
