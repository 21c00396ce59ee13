const patterns = new Map<string, RegExp>();

/**
 * Matches the names of a template such as `projects/{project}/topics/{topic}` and captures their variables. A variable with a
 * plus, as in `b/{bucket}/o/{+object}`, may have slashes.
 */
export function namePattern(template: string): RegExp {
  const known = patterns.get(template);
  if (known !== undefined) return known;
  const source = template.replace(/\{(\+?)\w+\}/g, (_variable, plus: string) => (plus ? "(.+)" : "([^/]+)"));
  const pattern = new RegExp(`^${source}$`);
  patterns.set(template, pattern);
  return pattern;
}
