import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Environment } from "../../provider/core/environment";
import { jsonIn } from "../../provider/core/json";
import { isRecord, listOf, textOf } from "../../provider/core/unknown";
import { isOneFile } from "../../provider/command";
import { isAtLeast, lowestOf, pluginDownloadURL, REPOSITORY, VERSION } from "../../provider/version";
import type { PulumiProject } from "../../provider/runtime/pulumi-project";
import { INSTALL_PAGE } from "../../access/plan/run-pulumi";
import { installedPackage, needs } from "./installation";
import { nextToCliOrOnPath, onPath, printed, programIn } from "./programs";
import type { FindingOf } from "./result";

/** The inputs of a check of the machine. */
export interface Place {
  /** The folder of the Pulumi project, or a subfolder. */
  cwd: string;
  /** The runtime of the project; undefined if there is no project. */
  runtime?: string;
  /** Whether a file of the project names this package. Reviews are useful without it, too: of grants of `@pulumi/gcp`. */
  isNamed: boolean;
  /** The folder from which the project takes this plugin, if it names one (`plugins.providers`). */
  pluginFolder?: string;
  environment: Environment;
}

/** An executable needs no Node.js: it checks the Node.js on PATH, which runs programs in TypeScript and JavaScript. */
export async function checkNode({ runtime, environment }: Place): Promise<FindingOf<"node">> {
  const needed = needs().node;
  const found = isOneFile() ? await nodeOnPath(environment) : process.versions.node;
  const base = { check: "node", found, needed } as const;
  if (found !== undefined && isAtLeast(found, needed)) return { ...base, status: "ok", message: `Node.js ${found}` };
  const message = found === undefined ? "Node.js is not on PATH" : `Node.js ${found} is older than ${needed}`;
  if (isOneFile() && runtime !== "nodejs") {
    return { ...base, status: "note", message: `${message}; only programs in TypeScript and JavaScript need it` };
  }
  return { ...base, status: "error", message, remedy: `Install Node.js ${needed} or newer: https://nodejs.org/` };
}

/** Its version. */
async function nodeOnPath(environment: Environment): Promise<string | undefined> {
  const path = onPath("node", environment);
  const text = path === undefined ? undefined : await printed(path, ["--version"], environment);
  return /^v(\d+\.\d+\.\d+)/.exec(text ?? "")?.[1];
}

/**
 * The SDK that a TypeScript or JavaScript program in this folder loads.
 *
 * @param nodeVersion of the Node.js that runs the program; undefined if there is none
 */
export function checkSdk({ cwd }: Place, nodeVersion: string | undefined): FindingOf<"sdk"> {
  const needed = needs().pulumi;
  const sdk = installedPackage("@pulumi/pulumi", cwd);
  const base = { check: "sdk", found: sdk?.version, needed, node: sdk?.node } as const;
  if (!sdk) {
    return { ...base, status: "note", message: "@pulumi/pulumi is not installed here; TypeScript programs need it" };
  }
  const name = `@pulumi/pulumi ${sdk.version}`;
  if (!isAtLeast(sdk.version, needed)) {
    return {
      ...base,
      status: "error",
      message: `${name} is older than ${needed}`,
      remedy: `npm install @pulumi/pulumi@^${needed}`,
    };
  }
  if (sdk.node !== undefined && nodeVersion !== undefined && !isAtLeast(nodeVersion, lowestOf(sdk.node))) {
    return {
      ...base,
      status: "warning",
      message: `${name} requires Node.js ${sdk.node}, and this is ${nodeVersion}`,
      remedy: `Use Node.js ${lowestOf(sdk.node)} or newer, or an older @pulumi/pulumi (${needed} or newer)`,
    };
  }
  return { ...base, status: "ok", message: name };
}

export async function checkPulumi({ environment }: Place): Promise<FindingOf<"pulumi">> {
  const needed = needs().pulumi;
  const path = onPath("pulumi", environment);
  const remedy = `Install the Pulumi CLI ${needed} or newer: ${INSTALL_PAGE}`;
  if (path === undefined) {
    return { check: "pulumi", needed, status: "error", message: "The Pulumi CLI is not on PATH", remedy };
  }
  const text = await printed(path, ["version"], environment);
  const found = text === undefined ? undefined : /\d+\.\d+\.\d+\S*/.exec(text)?.[0];
  const base = { check: "pulumi", needed, path, found } as const;
  if (found === undefined) {
    return { ...base, status: "error", message: `\`${path} version\` prints no version`, remedy };
  }
  if (!isAtLeast(found, needed)) {
    return { ...base, status: "error", message: `Pulumi CLI ${found} (${path}) is older than ${needed}`, remedy };
  }
  return { ...base, status: "ok", message: `Pulumi CLI ${found} (${path})` };
}

const PLUGIN = "pulumi-resource-perimeter";

/**
 * The folder from which an engine takes this plugin, if the project names one for this version. It has priority over PATH and
 * over an installed plugin (`getPluginInfoAndPath` of Pulumi's package sdk/go/common/workspace).
 */
export function pluginFolderOf({ folder, plugins = [] }: PulumiProject): string | undefined {
  const found = plugins.find(({ name, version = VERSION }) => name === "perimeter" && version === VERSION);
  return found && resolve(folder, found.path);
}

/** The plugin that an engine would start: the project's, else the one on PATH, else an installed one. */
export async function checkPlugin(place: Place, pulumi?: string): Promise<FindingOf<"plugin">> {
  const { runtime, isNamed, environment, pluginFolder } = place;
  const base = { check: "plugin", needed: VERSION } as const;
  if (pluginFolder !== undefined) {
    const path = programIn(pluginFolder, PLUGIN);
    const remedy = `Build or copy ${PLUGIN} into this folder, or correct plugins.providers in the project's file`;
    if (path === undefined) {
      const message = `The project takes the plugin from ${pluginFolder}, which has no program ${PLUGIN}`;
      return { ...base, source: "project", path: pluginFolder, status: "error", message, remedy };
    }
    const found = (await printed(path, ["--version"], environment))?.trim();
    return pluginFinding({ ...base, source: "project", path, found }, `The project's plugin (${path})`, remedy);
  }
  const ambient = isTrue(environment.PULUMI_IGNORE_AMBIENT_PLUGINS) ? undefined : onPath(PLUGIN, environment);
  if (ambient !== undefined) {
    const found = (await printed(ambient, ["--version"], environment))?.trim();
    return pluginFinding({ ...base, source: "PATH", path: ambient, found }, `The plugin on PATH (${ambient})`);
  }
  const installed = pulumi === undefined ? [] : await installedPlugins(pulumi, environment);
  if (installed.length > 0) {
    const found = installed.find((each) => each === VERSION) ?? installed.at(-1);
    return pluginFinding({ ...base, source: "installed", found }, "The installed plugin");
  }
  const message = "The plugin is neither on PATH nor installed";
  if (runtime === undefined || runtime === "nodejs") {
    const text = `${message}; the npm package does not need it, other languages do`;
    return { ...base, status: "note", message: text, remedy: INSTALL_PLUGIN };
  }
  if (!isNamed) return { ...base, status: "note", message: `${message}; no file of this project names it` };
  return {
    ...base,
    status: "warning",
    message: `${message}, and programs in ${runtime} need it`,
    remedy: INSTALL_PLUGIN,
  };
}

/** The files in which a project names its packages, and the programs in YAML. */
const NAMING =
  /^(?:Pulumi\..*|Main\.ya?ml|requirements.*\.txt|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|uv\.lock|go\.mod|package\.json|.*\.(?:cs|fs|vb)proj|pom\.xml|build\.gradle.*)$/;

/** Whether a file of the project names this package. A file that cannot be read may name it. */
export function namesPackage(folder: string): boolean {
  try {
    const names = readdirSync(folder).filter((name) => NAMING.test(name));
    return names.some((name) => /perimeter/i.test(readFileSync(join(folder, name), "utf8")));
  } catch {
    return true;
  }
}

/** The command for a release; docs/fronts.md also has the commands for a clone. */
const INSTALL_PLUGIN = `pulumi plugin install resource perimeter ${VERSION} --server ${pluginDownloadURL(REPOSITORY)} (docs/fronts.md has other ways)`;

function pluginFinding(
  facts: Omit<FindingOf<"plugin">, "status" | "message" | "remedy">,
  what: string,
  remedy = INSTALL_PLUGIN,
): FindingOf<"plugin"> {
  const { found } = facts;
  if (found === VERSION) return { ...facts, status: "ok", message: `${what} is ${found}` };
  const message =
    found === undefined || !/^\d/.test(found)
      ? `${what} prints no version`
      : `${what} is ${found}, and this package is ${VERSION}`;
  return {
    ...facts,
    found: /^\d/.test(found ?? "") ? found : undefined,
    status: "warning",
    message,
    remedy,
  };
}

/** Versions of the plugin in Pulumi's home folder, from `pulumi plugin install`, in Pulumi's order. */
async function installedPlugins(pulumi: string, environment: Environment): Promise<string[]> {
  const text = await printed(pulumi, ["plugin", "ls", "--json"], environment);
  return listOf(jsonIn(text))
    .filter(isRecord)
    .filter(({ name, kind }) => name === "perimeter" && kind === "resource")
    .map(({ version }) => textOf(version));
}

/** Parses a boolean variable like Pulumi. */
function isTrue(text: string | undefined): boolean {
  return text === "1" || text?.toLowerCase() === "true";
}

const RUNTIMES = ["nodejs", "python", "go", "yaml", "java", "dotnet"];

/** Language hosts are installed with the CLI; Pulumi takes them from the CLI's folder or from PATH. */
export function checkLanguageHosts({ runtime, environment }: Place, pulumi?: string): FindingOf<"language hosts"> {
  const base = { check: "language hosts", runtime } as const;
  if (pulumi === undefined)
    return { ...base, hosts: {}, status: "skipped", message: "Language hosts are installed with the CLI" };
  const wanted = runtime === undefined || RUNTIMES.includes(runtime) ? RUNTIMES : [...RUNTIMES, runtime];
  const found = wanted.map(
    (name) => [name, nextToCliOrOnPath(pulumi, `pulumi-language-${name}`, environment)] as const,
  );
  const hosts = Object.fromEntries(found.filter((each): each is readonly [string, string] => each[1] !== undefined));
  const missing = wanted.filter((name) => hosts[name] === undefined);
  if (runtime !== undefined && hosts[runtime] === undefined) {
    return {
      ...base,
      hosts,
      status: "error",
      message: `pulumi-language-${runtime}, which this project needs, is neither next to ${realpathSync(pulumi)} nor on PATH`,
      remedy: `Install the complete Pulumi CLI: ${INSTALL_PAGE}`,
    };
  }
  const names = Object.keys(hosts).join(", ") || "none";
  const without = missing.length > 0 ? `; missing: ${missing.join(", ")}` : "";
  const status = names === "none" ? "warning" : missing.length > 0 && runtime === undefined ? "note" : "ok";
  return { ...base, hosts, status, message: `Language hosts: ${names}${without}` };
}
