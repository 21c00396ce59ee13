import type { Documentation } from "../../core/documentation";

/**
 * The specific errors of every lookup, and its permissions.
 *
 * @param kind with its article: "the trigger".
 */
export function lookupDocumentation(kind: string, permission: string): Omit<Documentation, "examples"> {
  return {
    guide: { title: "Absent values", file: "absent-values.md" },
    permissions: [{ permission, on: kind, for: "each call" }],
    errors: [
      {
        code: "INPUT",
        when: "an argument is missing, misspelled or invalid, or no project is known",
        remedy: "Change the argument that the message names. Nothing was sent.",
      },
      {
        code: "API",
        status: "NOT_FOUND",
        when: `${kind} does not exist`,
        remedy: "Check the project, location and id in the message.",
      },
      {
        code: "API",
        status: "PERMISSION_DENIED",
        when: `the caller lacks \`${permission}\` on ${kind}, or the API is not enabled in the project`,
        remedy:
          "Grant the permission, or open the link in the message to enable the API. A caller without the permission " +
          "does not learn whether the resource exists.",
      },
      {
        code: "BAD_ANSWER",
        when: "a server other than the API responded, such as a proxy",
        remedy: "Check proxies between this machine and the API, and custom endpoints.",
      },
    ],
  };
}
