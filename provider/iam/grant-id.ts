import { nameTemplate, normalName, type NameTemplate } from "../core/reference";
import { sameMember } from "./member";
import { bindingsIn, grantsOf, type Grant, type Policy, type RoleBinding } from "./policy";

/** `{resource}/{role}/{member}[/{title}/{description}/{expression}]`, as in Terraform (docs/wire.md section 9). */
export function grantId(resource: string, grant: Grant): string {
  const { condition } = grant;
  const parts = [resource, grant.role, grant.member];
  if (condition) parts.push(condition.title, condition.description ?? "", condition.expression);
  return parts.join("/");
}

/**
 * Returns the resource at the beginning of an id that a user types: our own form, or `"{resource} {role} {member}[ {title}]"`.
 * Before a blank, the name may also have the short form of Terraform and pulumi-gcp, which has the values without the
 * collections: `{project}/{location}/…`. Returns undefined when the id does not begin with a name of this kind.
 */
export function resourceOfGrantId(template: NameTemplate, id: string): string | undefined {
  const name = normalName(id.trim());
  const length = template.template.split("/").length;
  const [beforeBlank = ""] = name.split(" ");
  const short = name.includes(" ") ? shortForm(template).parse(beforeBlank) : undefined;
  if (short) return template.format(short);
  for (const candidate of [beforeBlank, name.split("/").slice(0, length).join("/")]) {
    if (template.parse(candidate)) return candidate;
  }
  return undefined;
}

function shortForm({ template }: NameTemplate): NameTemplate {
  const variables = template.split("/").filter((part) => part.startsWith("{"));
  return nameTemplate(variables.join("/"));
}

/**
 * Finds the grants of a policy that match an id, in either form. Members of federated identities contain slashes, so an id
 * cannot be split. Instead, the parts of the id before and after the member are compared with each grant of the policy.
 */
export function grantsWithId(resource: string, policy: Policy, id: string): Grant[] {
  const whole = wholeId(resource, id);
  return grantsOf(policy).filter((grant) => {
    const { role, member, condition } = grant;
    const withSlashes = grantId(resource, grant).slice(`${resource}/${role}/${member}`.length);
    const withBlanks = condition ? ` ${condition.title}` : "";
    return (
      isAround(whole, `${resource}/${role}/`, member, withSlashes) ||
      isAround(whole, `${resource} ${role} `, member, withBlanks)
    );
  });
}

/**
 * Whether an id of a grant goes on after its resource with a role and a member, such as `user:ada@example.com`. Only ids that match no
 * grant need this: it says whether the grant does not exist, or the id is incomplete.
 */
export function hasMember(resource: string, id: string): boolean {
  const rest = wholeId(resource, id).slice(resource.length);
  return /^(?: \S+ |\/.+\/)(?:[a-z]+:|all(?:Authenticated)?Users)/i.test(rest);
}

/** Whether an id of a binding goes on after its resource with a role. */
export function hasRole(resource: string, id: string): boolean {
  return /^[ /]\S/.test(wholeId(resource, id).slice(resource.length));
}

/** An id from the user, with the resource's name in full. */
function wholeId(resource: string, id: string): string {
  if (id.startsWith(resource)) return id;
  const typed = normalName(id.trim());
  const [beforeBlank = ""] = typed.split(" ");
  // The short form has only every second part of the name.
  const short = resource.split("/").filter((_part, index) => index % 2 === 1);
  return beforeBlank === short.join("/") ? resource + typed.slice(beforeBlank.length) : typed;
}

/** `{resource}/{role}[/{title}/{description}/{expression}]`. */
export function bindingId(resource: string, { role, condition }: Pick<RoleBinding, "role" | "condition">): string {
  const parts = [resource, role];
  if (condition) parts.push(condition.title, condition.description ?? "", condition.expression);
  return parts.join("/");
}

/** Finds the bindings of a policy that match an id, in the form of `bindingId` or `"{resource} {role}[ {title}]"`. */
export function bindingsWithId(resource: string, policy: Policy, id: string): RoleBinding[] {
  const typed = wholeId(resource, id);
  return bindingsIn(policy).filter((binding) => {
    const { role, condition } = binding;
    const withBlanks = `${resource} ${role}${condition ? ` ${condition.title}` : ""}`;
    return typed === bindingId(resource, binding) || typed === withBlanks;
  });
}

function isAround(typed: string, before: string, member: string, after: string): boolean {
  if (!typed.startsWith(before) || !typed.slice(before.length).endsWith(after)) return false;
  return sameMember(typed.slice(before.length, typed.length - after.length), member);
}
