/** A resource of an API in one cloud. The real cloud and an emulator can have resources with the same name. */
export interface CloudResource {
  /** Base URL of the API. */
  readonly url: string;
  /** Relative resource name. */
  readonly name: string;
}

/** The object in a cloud that a resource of a program manages. */
export interface CloudObject extends CloudResource {
  /** Distinguishes several objects with one name, such as the grants in one resource's policy. */
  readonly part?: string;
}

/** The key of an object or a cloud resource. Two keys are equal if and only if they mean the same object or resource. */
export function keyOf({ url, name, part = "" }: CloudObject): string {
  return JSON.stringify([url, name, part]);
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
