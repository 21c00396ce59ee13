/** Notes that several ways to an answer share. */

/** What no answer covers. Every answer ends with it. */
export const NOT_READ =
  "Not read: the members of groups, domains and principal sets; the access lists of buckets, objects and datasets; deny policies " +
  "and access boundaries; keys and tokens; other clouds";

/** Of a review without the policies above. */
export const ONLY_DIRECT_GRANTS =
  "Only direct grants are reviewed: access that is inherited from a parent, the project, a folder or the organization does " +
  "not change";

/** Of the current access without the policies above. */
export const DIRECT_ONLY =
  "Only direct grants are shown: access that is inherited from a parent, the project, a folder or the organization is not " +
  "included";
