/**
 * Resource names: `projects/{project}/locations/{location}/scopes/{scope}`.
 *
 * A user may also paste the full name (`//host/projects/…`) or a URL (`https://host/version/projects/…`) of a resource.
 * After the check, all code uses the relative name, called the normal form.
 */

/** One shape of resource name, with the variables `V`. */
export interface NameTemplate<V extends string = string> {
  /** Such as `projects/{project}/global/networks/{network}`. */
  readonly template: string;
  /** The values of the template's variables, or undefined when `name` does not match the template. */
  parse(name: string): Record<V, string> | undefined;
  /** Ignores values that are not variables of the template, so callers can pass all arguments of a lookup. */
  format(variables: Record<V, string>): string;
}

/** The variables of a template: `"project" | "network"` of `projects/{project}/global/networks/{network}`. */
export type VariablesOf<Template extends string> = string extends Template
  ? string
  : Template extends `${string}{${infer Variable}}${infer Rest}`
    ? Variable | VariablesOf<Rest>
    : never;

/** A kind of resource that a property refers to, with all templates of its name. */
export interface ReferenceKind {
  /** With its article, for messages: "a network". */
  readonly kind: string;
  /** The API in the host of full names and URLs: `compute` for `compute.googleapis.com`. */
  readonly api: string;
  readonly templates: readonly NameTemplate[];
}

/** Which roles of the policies above a resource give access to it. */
export interface AccessFromAbove {
  /** Prefixes of the permissions on the resource and on what it contains: `healthcare.fhirStores.` */
  readonly permissions: readonly string[];
  /**
   * Beginnings of the service's predefined roles that have none of these permissions. All other roles of the service count, so
   * that a new role is never missed.
   */
  readonly otherRoles: readonly string[];
  /**
   * Prefixes of the permissions on other kinds of resources of the service, where it is not known what the resource contains, nor
   * which roles are for other kinds: then a role counts for each other permission of the service.
   */
  readonly otherPermissions?: readonly string[];
}

const VARIABLE = /^\{(\w+)\}$/;
const SEGMENT = /^[^/?#{}\s\p{Cc}]+$/u;
const UNPAIRED_SURROGATE = /\p{Cs}/u;

/**
 * The problem of a text as one part of a resource name, such as a project, a location or an id; undefined if it has none. The
 * API accepts `[^/]+` (docs/wire.md section 1). Spaces, control characters and URL punctuation are typing mistakes.
 */
export function segmentProblem(text: string): string | undefined {
  if (text === "") return "must not be empty";
  const part = "must be one part of a resource name";
  if (!SEGMENT.test(text)) return `${part}, without slashes, blanks, control characters, \`?\`, \`#\` or braces`;
  if (text === "." || text === "..") return `${part}, and not \`.\` or \`..\`, which mean folders in a URL`;
  return undefined;
}

export function nameTemplate<const Template extends string>(template: Template): NameTemplate<VariablesOf<Template>> {
  const parts = template.split("/").map((part) => ({ text: part, variable: VARIABLE.exec(part)?.[1] }));
  const hasAll = (values: Record<string, string>): values is Record<VariablesOf<Template>, string> =>
    parts.every(({ variable }) => variable === undefined || Object.hasOwn(values, variable));
  return {
    template,
    parse(name) {
      const segments = name.split("/");
      if (segments.length !== parts.length || UNPAIRED_SURROGATE.test(name)) return undefined;
      const variables: Record<string, string> = {};
      for (const [index, part] of parts.entries()) {
        const segment = segments[index] ?? "";
        if (part.variable === undefined) {
          if (segment !== part.text) return undefined;
        } else {
          if (segmentProblem(segment) !== undefined) return undefined;
          variables[part.variable] = segment;
        }
      }
      return hasAll(variables) ? variables : undefined;
    },
    format(variables: Record<string, string>) {
      return parts
        .map((part) => {
          if (part.variable === undefined) return part.text;
          const value = variables[part.variable];
          if (value === undefined) throw new Error(`No value for {${part.variable}} of ${template}`);
          return value;
        })
        .join("/");
    },
  };
}

/** The variables of a template, in its order. The templates of `@pulumi/gcp` also have the form `{+dataset}`. */
export function variablesIn(template: string): string[] {
  return [...template.matchAll(/\{\+?(\w+)\}/g)].map(([, name = ""]) => name);
}

/** The template with `{}` for each variable. */
export function templateShape(template: string): string {
  return template.replaceAll(/\{[^}]*\}/g, "{}");
}

/** `//host/…` or `http(s)://host/…`, with the part between the host and the first collection, such as a version. */
const URL_PREFIX = /^(?:https?:)?\/\/[^/]+\/(?:[^/]+\/){0,3}?(?=(?:projects|organizations|folders)\/)/;

/** The host in a full name or URL, with its port; undefined for a relative name. */
export function hostIn(text: string): string | undefined {
  return URL_PREFIX.test(text) ? /\/\/([^/]+)\//.exec(text)?.[1] : undefined;
}

/** The relative resource name in a full name or URL. Returns other texts unchanged. */
export function normalName(text: string): string {
  return text.replace(URL_PREFIX, "");
}

/** A version before a relative name, or a method after it: `v1beta1/projects/…/migrationJobs/j:getIamPolicy`. */
const VERSION_IN_FRONT = /^v\d+(?:(?:alpha|beta)\d*)?\/(?=(?:projects|organizations|folders)\/)/;
const POLICY_METHOD = /:[gs]etIamPolicy$/;

/**
 * The relative resource name in an id that another provider wrote to the state: ids of google-native begin with the version
 * of the API, and its grants have the path of a request as id (`v1beta1/projects/…/migrationJobs/j:getIamPolicy`).
 */
export function nameInId(id: string): string {
  return normalName(id.trim()).replace(VERSION_IN_FRONT, "").replace(POLICY_METHOD, "");
}

/** True for google-native's id of a grant, which names only the resource, without role and member. */
export function isPolicyPath(id: string): boolean {
  return POLICY_METHOD.test(id.trim());
}

/** The variables of a name of this kind, in any spelling; undefined when the text is not a name of this kind. */
export function parseReference(kind: ReferenceKind, text: string): Record<string, string> | undefined {
  const name = normalName(text);
  for (const template of kind.templates) {
    const variables = template.parse(name);
    if (variables) return variables;
  }
  return undefined;
}

/** For messages: the valid forms of a reference of this kind. */
export function expectedReference(kind: ReferenceKind): string {
  return `${kind.kind}: ${kind.templates.map((each) => each.template).join(" or ")}, or the full URL of one`;
}

const PROJECT_NUMBER = /^\d+$/;

/**
 * True when two spellings may mean the same project. The API accepts and returns a project's id or its number (docs/wire.md
 * section 1). Only a request could convert one to the other, so an id and a number count as equal.
 */
export function sameProject(left: string, right: string): boolean {
  return left === right || isProjectNumber(left) !== isProjectNumber(right);
}

/** True for a project's number: a project's id begins with a letter. */
export function isProjectNumber(project: string): boolean {
  return PROJECT_NUMBER.test(project);
}

/** True when two names mean the same resource; compares their projects with `sameProject`. */
export function sameName(left: string, right: string): boolean {
  const a = normalName(left).split("/");
  const b = normalName(right).split("/");
  if (a.length !== b.length) return false;
  return a.every((segment, index) => {
    const other = b[index] ?? "";
    const isProject = index === 1 && a[0] === "projects";
    return isProject ? sameProject(segment, other) : segment === other;
  });
}

/** A resource of an API in one cloud. The real cloud and an emulator can have resources with the same name. */
export interface CloudResource {
  /** Base URL of the API. */
  readonly url: string;
  /** Relative resource name. */
  readonly name: string;
}

/** The object in a cloud that a resource of a program manages. */
export interface CloudObject extends CloudResource {
  /**
   * The place of the object in the resource, from the outside in: a role in its policy, then a grant of that role. Default: the
   * resource itself.
   */
  readonly within?: readonly string[];
}

/** The key of a cloud resource. Two keys are equal if and only if the names of the resource are equal, in one cloud. */
export function keyOf({ url, name }: CloudResource): string {
  return JSON.stringify([url, name]);
}

const PROJECT = /^projects\/([^/]+)/;

/** The project in a relative name, as an id or a number, as the name has it; "" for a name without a project. */
export function projectOf(name: string): string {
  return PROJECT.exec(name)?.[1] ?? "";
}

/** The same name with another project, or with another spelling of its project. */
export function withProject(name: string, project: string): string {
  return name.replace(PROJECT, `projects/${project}`);
}
