import type { Claimant } from "../core/claims";
import type { ServiceDefinition } from "../core/definition";
import { isProjectNumber, keyOf, projectOf, withProject, type CloudResource } from "../core/reference";
import { textOf } from "../core/unknown";
import { WireShapeError } from "../core/wire";
import type { Call } from "../http/call";
import type { ApiClient } from "../http/client";
import { OptionalReads } from "../http/optional-reads";

/**
 * The ids of the projects that names have by their numbers. The API accepts both (docs/wire.md section 1), and only a request shows
 * that a number and an id are one project. It is sent once for each number. So one resource has one name in all that this process
 * keeps, however the program spells it.
 *
 * Method: https://cloud.google.com/resource-manager/reference/rest/v3/projects/get
 */
export class ProjectIds {
  /** By the address of an API and the number. */
  private readonly ids = new Map<string, string>();
  private readonly problems = new Map<string, string>();
  /** By the address of the Resource Manager and the number. */
  private readonly reads = new OptionalReads<string, string>("read a project");

  /** @param managerFor the client of the Resource Manager in the cloud of a service; undefined if that cloud has none. */
  constructor(private readonly managerFor: (service: ServiceDefinition) => ApiClient | undefined) {}

  /**
   * Asks which project the number in a name is, if it has one and nobody asked before. A failure is kept: from then on, a resource
   * has one name during the whole run.
   *
   * @throws CancelledError and TimeoutError when the call ends.
   */
  async learn(resource: CloudResource, service: ServiceDefinition, call: Call): Promise<void> {
    const number = projectOf(resource.name);
    if (!isProjectNumber(number)) return;
    const key = keyOfProject(resource);
    const manager = this.managerFor(service);
    const read = (client: ApiClient) =>
      this.reads.get(`${client.baseUrl} ${number}`, client, call, (own) => idOf(client, number, own));
    const id = manager && (await read(manager));
    if (typeof id === "string") this.ids.set(key, id);
    else this.problems.set(key, id?.message ?? "this address has no Resource Manager beside it");
  }

  /** The resource under the name with the project's id; under its own name while the id is not known. */
  canonical(resource: CloudResource): CloudResource {
    const id = this.ids.get(keyOfProject(resource));
    return id === undefined ? resource : { ...resource, name: withProject(resource.name, id) };
  }

  /** Why the id of the project of a name is not known; undefined if nobody asked for it. */
  problemOf(resource: CloudResource): string | undefined {
    return this.problems.get(keyOfProject(resource));
  }

  /** The reason why it is unknown whether a name and that of another resource, which spells the project differently, are one. */
  whyUnclear(resource: CloudResource, { identity = "another resource of this program" }: Claimant): string {
    const problem = this.problems.get(keyOfProject(resource)) ?? [...this.problems.values()].join("; ");
    return (
      `${resource.name} may be named by ${identity}, too: one name has the number of the project and the other an id, and the ` +
      `provider does not know whether both are one project${problem === "" ? "" : ` (${problem})`}. Use the project's id everywhere, ` +
      "or give the provider the permission resourcemanager.projects.get on the project"
    );
  }
}

function keyOfProject({ url, name }: CloudResource): string {
  return keyOf({ url, name: projectOf(name) });
}

function idOf(manager: ApiClient, number: string, call: Call): Promise<string> {
  const path = `projects/${number}`;
  return manager.request({ kind: "read", method: "GET", path, doing: "read the project" }, call, ({ projectId }) => {
    const id = textOf(projectId);
    if (id === "" || isProjectNumber(id)) throw new WireShapeError("projectId", "the id of a project");
    return id;
  });
}
