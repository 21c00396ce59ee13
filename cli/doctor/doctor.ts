import type { Environment } from "../../provider/core/environment";
import { systemClock } from "../../provider/http/clock";
import { tokenSource } from "../../provider/http/credentials";
import { resourceNamed, type NamedResource } from "../../access/meaning/grant-kinds";
import type { ServiceDefinition } from "../../provider/core/definition";
import { mapBounded } from "../../access/live/reads";
import { projectAbove } from "../../provider/runtime/pulumi-project";
import { Connections } from "../../provider/runtime/connections";
import { VERSION } from "../../provider/version";
import { checkApi, checkEndpoint, checkProject, checkResource, needsCredentials, SERVICES } from "./cloud";
import { checkConfiguration, type CheckedConfiguration } from "./configuration";
import { checkCredentials } from "./credentials";
import { grantedResources } from "./stack-grants";
import { DOCTOR_VERSION, type DoctorResult, type Finding, type FindingOf } from "./result";
import {
  checkLanguageHosts,
  checkNode,
  checkPlugin,
  checkPulumi,
  checkSdk,
  namesPackage,
  pluginFolderOf,
  type Place,
} from "./tools";

export interface DoctorOptions {
  /** Check with the configuration of this stack, named as for `pulumi --stack`. @default only the environment */
  stack?: string;
  /** Names of resources on which the user wants to create grants. */
  resources?: readonly string[];
  /** The folder of the Pulumi project, or a subfolder. @default the process's working directory */
  cwd?: string;
  /** @default process.env */
  environment?: Environment;
}

/**
 * Checks what the provider needs: the programs on this machine, the configuration, and the APIs. It changes nothing.
 *
 * @throws InputError for a name that does not name a resource with a policy.
 */
export async function examine(options: DoctorOptions = {}): Promise<DoctorResult> {
  const { stack, resources = [], cwd = process.cwd(), environment = process.env } = options;
  const named = resources.map(resourceNamed);
  const project = await projectAbove(cwd);
  // The packages of a program in a subfolder may be named there.
  const folder = project?.main === undefined ? project?.folder : undefined;
  const isNamed = folder === undefined || namesPackage(folder);
  const place: Place = {
    cwd,
    isNamed,
    runtime: project?.runtime,
    pluginFolder: project && pluginFolderOf(project),
    environment,
  };
  const [tools, checked, granted] = await Promise.all([
    checkTools(place),
    checkConfiguration(stack, { cwd, environment }),
    stack === undefined ? [] : grantedResources(stack, { cwd, environment }),
  ]);
  const own = isNamed ? SERVICES : [];
  const cloud = await checkCloud(checked, { own, named: [...named, ...granted] }, environment);
  const findings = [...tools, checked.finding, ...cloud];
  const exitCode = findings.some(({ status }) => status === "error") ? 1 : 0;
  return { version: DOCTOR_VERSION, package: VERSION, findings, exitCode };
}

async function checkTools(place: Place): Promise<Finding[]> {
  const pulumi = await checkPulumi(place);
  const plugin = await checkPlugin(place, pulumi.path);
  const node = await checkNode(place);
  return [node, checkSdk(place, node.found), pulumi, checkLanguageHosts(place, pulumi.path), plugin];
}

interface Wanted {
  /** The APIs with types of their own, where the project names this package. */
  own: readonly ServiceDefinition[];
  /** The resources on which the user or the stack grants roles. */
  named: readonly NamedResource[];
}

async function checkCloud(
  { configuration, given }: CheckedConfiguration,
  { own, named }: Wanted,
  environment: Environment,
): Promise<Finding[]> {
  if (!configuration) return [skippedCredentials, skippedProject];
  const tokens = tokenSource(configuration);
  const services = servicesOf(own, named);
  const [credentials, endpoints] = await Promise.all([
    checkCredentials(configuration, tokens, needsCredentials(services, configuration)),
    mapBounded(services, (service) => checkEndpoint(service, configuration)),
  ]);
  const hasCredentials = credentials.status === "ok";
  const project = own.length > 0 ? await checkProject(configuration, tokens) : unusedProject;
  const connections = new Connections(configuration, { clock: systemClock, tokens });
  const reachable = (api: string) => endpoints.some((each) => each.api === api && each.status !== "error");
  const apis = await mapBounded(own, async (service): Promise<FindingOf<"permissions">> => {
    const why = skipReason(hasCredentials, reachable(service.api), project);
    if (why === undefined && project.project !== undefined) return checkApi(service, project.project, connections);
    return {
      check: "permissions",
      api: service.api,
      method: "locations.list",
      status: "skipped",
      message: `${service.api}: ${why}`,
    };
  });
  const grants = hasCredentials
    ? await mapBounded(distinct(named), (each) => checkResource(each, given, environment, tokens))
    : [];
  return [credentials, project, ...endpoints, ...apis, ...grants];
}

function servicesOf(own: readonly ServiceDefinition[], named: readonly NamedResource[]): ServiceDefinition[] {
  const all = [...own, ...named.map(({ kind }) => kind.service)];
  return [...new Map(all.map((service) => [service.api, service])).values()];
}

function distinct(named: readonly NamedResource[]): NamedResource[] {
  return [...new Map(named.map((each) => [`${each.kind.service.api} ${each.path}`, each])).values()];
}

function skipReason(
  hasCredentials: boolean,
  isReachable: boolean,
  { project, status }: FindingOf<"project">,
): string | undefined {
  if (!hasCredentials) return "permissions are not checked without credentials";
  if (!isReachable) return "permissions are not checked when no server answers";
  if (project === undefined) return "permissions are not checked without a project";
  return status === "error" ? "permissions are not checked in a project that does not exist" : undefined;
}

const WAITS = "not checked: the configuration cannot be used";
const skippedCredentials: Finding = { check: "credentials", status: "skipped", message: `Credentials: ${WAITS}` };
const unusedProject: FindingOf<"project"> = {
  check: "project",
  status: "skipped",
  message: "Project: not checked, because no file of this project names Perimeter",
};
const skippedProject: Finding = { check: "project", status: "skipped", message: `Project: ${WAITS}` };
