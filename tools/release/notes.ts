/**
 * The section of CHANGELOG.md for a version, or for unreleased changes.
 *
 * @throws Error when the tag does not match the version, or the changelog has no section for it
 */
export function releaseNotes(changelog: string, version: string, tag?: string): string {
  if (tag !== undefined && tag !== `v${version}`) {
    throw new Error(`the tag is ${tag}, but package.json has version ${version}`);
  }
  const notes = section(changelog, version) ?? (tag === undefined ? section(changelog, "Unreleased") : undefined);
  if (notes === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}"`);
  return notes;
}

/** The lines between a heading of the second level and the next. */
function section(changelog: string, title: string): string | undefined {
  const [, ...sections] = changelog.split(/^## /m);
  const found = sections.find((each) => each.split(/\s/, 1)[0] === title);
  return found?.slice(found.indexOf("\n")).trim().concat("\n");
}
