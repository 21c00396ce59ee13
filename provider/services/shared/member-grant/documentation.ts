import type { Documentation, DocumentedError, Example } from "../../../core/definition";
import type { GrantExample, GrantParent } from "../parent";

/** The documentation of the grants on one kind of resource. */
export function grantDocumentation({ kind, permissions, example }: GrantParent): Documentation {
  return {
    guide: { title: "Grants", file: "grants.md" },
    examples: examplesOf(kind, example),
    permissions: permissions.map((permission) => ({
      permission,
      on: kind,
      for: permission.endsWith(".getIamPolicy")
        ? "preview, create, refresh, import, list and delete"
        : "create and delete",
    })),
    errors: errorsOf(kind, permissions),
  };
}

/** The role in the examples of bindings. Examples of member grants have other roles, because a program cannot have both for one role. */
const OWNED_ROLE = "roles/viewer";

/** The documentation of the role bindings on one kind of resource. */
export function bindingDocumentation(parent: GrantParent): Documentation {
  const { kind, example } = parent;
  const { name, member } = example;
  const outputs = { etag: "etag" };
  return {
    ...grantDocumentation(parent),
    examples: [
      {
        title: `Own a role on ${kind}`,
        text: "A preview names the members that join and leave. Declare all members that must keep the role.",
        variable: "owned",
        values: { name, role: OWNED_ROLE, members: [member, "user:oncall@example.com"] },
        outputs,
      },
    ],
  };
}

const MERGE =
  "Set the grant mode to `merge` first, so that everybody keeps their access. Otherwise the policy becomes this " +
  "grant alone.\n\n```sh\npulumi config set perimeter:grantMode merge\n```";

function examplesOf(kind: string, { variable, name, role, member }: GrantExample): Example[] {
  const outputs = { etag: "etag" };
  return [
    { title: `Grant a role on ${kind}`, text: MERGE, variable, values: { name, role, member }, outputs },
    {
      title: "Grant it until a date",
      text: `The condition is part of the grant: with another condition, it is another grant. ${MERGE}`,
      variable: "temporary",
      values: {
        name,
        role,
        member,
        condition: { title: "until-2031", expression: 'request.time < timestamp("2031-01-01T00:00:00Z")' },
      },
      outputs,
    },
  ];
}

function errorsOf(kind: string, permissions: readonly string[]): DocumentedError[] {
  const needed = permissions.map((each) => `\`${each}\``).join(" or ");
  return [
    {
      code: "INPUT",
      when: "an input breaks its rule, or the mode is `replace` and another grant of the program is on the same resource",
      remedy: "Change the input that the message names, or set `perimeter:grantMode` to `merge`.",
    },
    {
      code: "API",
      status: "NOT_FOUND",
      when: `there is no resource called \`name\``,
      remedy: "Check the name, and create the resource first: let the grant depend on it.",
    },
    {
      code: "API",
      status: "INVALID_ARGUMENT",
      when: "the API does not accept the role, the member or the condition on this resource",
      remedy: "Change what the message names. If the identity is new, the provider repeats the request for a minute.",
    },
    {
      code: "API",
      status: "PERMISSION_DENIED",
      when: `the caller lacks ${needed}, or the API is not enabled in the project`,
      remedy: "Grant the permission that the message names, or open its link to enable the API.",
    },
    {
      code: "API",
      status: "ABORTED",
      when: "others kept changing the policy until the call reached its time limit",
      remedy: "Run `pulumi up` again.",
    },
    {
      code: "REFUSED",
      when:
        "the change would remove the provider's own role that can change the policy, or the last such role of others, or " +
        "the policy would have more than 1,500 principals or 250 groups",
      remedy:
        "Use `merge`, grant the role to a group, or set `perimeter:allowLockout` to `true` if the lock-out is intended.",
    },
    {
      code: "NOT_READY",
      when: "the run ended while the policy was being written, so it is unknown whether the grant was made",
      remedy: "Run `pulumi up`: it reads the policy, and makes the grant if it is missing.",
    },
  ];
}
