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
