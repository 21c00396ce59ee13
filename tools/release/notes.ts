/**
 * What CHANGELOG.md says of a version, or of what is not released yet.
 *
 * @throws Error when a tag is given that is not the version's, or that the changelog has no section for
 */
export function releaseNotes(changelog: string, version: string, tag?: string): string {
  if (tag !== undefined && tag !== `v${version}`) {
    throw new Error(`the tag is ${tag}, and package.json says version ${version}`);
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
