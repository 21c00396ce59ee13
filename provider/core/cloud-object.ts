/** A resource of an API, in one cloud: two clouds, such as a real one and an emulator, have resources of the same names. */
export interface CloudResource {
  /** Base URL of the API. */
  readonly url: string;
  /** Relative resource name. */
  readonly name: string;
}

/** Something in a cloud that a resource of a program stands for. */
export interface CloudObject extends CloudResource {
  /** Tells several objects under one name apart, such as the grants in one resource's policy. */
  readonly part?: string;
}

const PROJECT = /^projects\/([^/]+)/;

/** The project in a relative name as it is spelled there, an id or a number; "" for a name without one. */
export function projectOf(name: string): string {
  return PROJECT.exec(name)?.[1] ?? "";
}

/** The same name in another project, or with another spelling of its project. */
export function withProject(name: string, project: string): string {
  return name.replace(PROJECT, `projects/${project}`);
}
