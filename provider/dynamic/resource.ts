import { createRequire } from "node:module";
import * as path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { tokenOfType } from "../core/definition";
import { BugError, ConfigurationError, InputError } from "../core/errors";
import { IDENTITY_PROPERTY, PROVIDER_PROPERTY, SECRETS_PROPERTY, serializedProvider } from "../runtime/kept-properties";
import { identityOf } from "./identity";
import { previewChange } from "./preview-change";
import { asProgramError } from "./program-errors";
import { secretTexts } from "./program-provider";
import { mayContainSecrets, secretDefaults, secretPaths } from "./program-secrets";
import { isMocked, shortenTraces, typeOf, withLastTransformation } from "./pulumi-internals";

/**
 * The base class of the npm front's resources: a `pulumi.dynamic.Resource` whose provider is a constant text.
 *
 * The constructor of `pulumi.dynamic.Resource` compiles the provider object, with all that it captures, to a text. That
 * takes half a second at the start of each program, and the text differs between releases of Node, TypeScript and this
 * package. So this constructor skips it, and registers a custom resource with a `__provider` property, as Pulumi's
 * constructor finally does.
 */
export abstract class DynamicResource extends pulumi.dynamic.Resource {
  /**
   * @param props all properties by name, undefined where the program gives none.
   * @param defaults the configuration key of each input with a default.
   */
  // @ts-expect-error The instance comes from CustomResource's constructor, so there is no super() to call.
  constructor(
    module: string,
    type: string,
    name: string,
    props: pulumi.Inputs,
    opts: pulumi.CustomResourceOptions | undefined,
    defaults: Readonly<Record<string, string>> = {},
  ) {
    if (!isMocked()) requireInstalledPackage();
    const pulumiType = `${DYNAMIC_PACKAGE}:dynamic/${module}:${type}`;
    const identity = identityOf(pulumiType, name, opts?.parent);
    let isRead: boolean | undefined;
    // Transformations may return other properties than they get.
    const transformed = withLastTransformation(opts, (given, { provider, id }) => {
      refuseForeignProvider(`${type} ${name}`, provider);
      isRead = id !== undefined;
      // Pulumi creates an output for each property that is named.
      const named = Object.fromEntries(Object.keys(props).map((each) => [each, undefined]));
      const own: pulumi.Inputs = { ...named, ...given, ...(isRead ? {} : secretDefaults(given, defaults)) };
      return {
        ...own,
        [PROVIDER_PROPERTY]: serializedProvider(`${module}:${type}`),
        [IDENTITY_PROPERTY]: identity,
        // Pulumi's SDK takes several stack traces for each property, which is most of a program's run time.
        ...(mayContainSecrets(own) && {
          [SECRETS_PROPERTY]: secretPaths(own).then((paths) => (paths.length > 0 ? paths : undefined)),
        }),
      };
    });
    const restoreTraces = shortenTraces(DynamicResource);
    let resource: unknown;
    try {
      resource = Reflect.construct(pulumi.CustomResource, [pulumiType, name, props, transformed], new.target);
    } finally {
      restoreTraces();
    }
    if (!(resource instanceof DynamicResource)) throw new BugError(`${pulumiType} is not a dynamic resource`);
    if (isRead === undefined) throw new BugError(`the installed @pulumi/pulumi did not complete ${pulumiType}`);
    // The static method `get` passes an id: it reads a resource that exists.
    if (!isRead) previewChange(resource, tokenOfType(`${module}:${type}`));
    return resource;
  }
}

/** The package of dynamic resources of Node.js programs, and of their provider. */
const DYNAMIC_PACKAGE = "pulumi-nodejs";

/**
 * Refuses a provider of another package: Pulumi would send it a resource of a type that it does not know.
 *
 * @throws InputError
 */
function refuseForeignProvider(resource: string, provider: pulumi.ProviderResource | undefined): void {
  if (provider === undefined) return;
  // `pulumi:providers:{package}`
  const [, , ownPackage = ""] = typeOf(provider).split(":");
  if (ownPackage === DYNAMIC_PACKAGE) return;
  const reason =
    `must not be a provider of the package "${ownPackage}": resources of the npm package pulumi-perimeter take their ` +
    "settings from the stack's configuration (perimeter:*). Remove the option, or declare the resource with the " +
    "plugin's SDK, pulumi-perimeter-sdk";
  throw asProgramError(new InputError(resource, [{ path: "the option provider", reason }]), secretTexts());
}

const BACKEND = "pulumi-perimeter/backend";

let found = false;

/**
 * Refuses a program that was bundled into one file and runs without its packages. Its lookups would work, but another
 * process, Pulumi's dynamic-provider process, serves resources. It loads this package by its name from the program's folder,
 * and its only error would be "Cannot find module". An installed package can resolve itself. Code in a bundle cannot, and
 * then the program's folder is searched.
 *
 * @throws ConfigurationError
 */
function requireInstalledPackage(): void {
  found ||= places().some(canLoadBackend);
  if (found) return;
  const message =
    `The package pulumi-perimeter is not installed where this program runs (looked from ${places().join(" and ")}), as ` +
    "when a program is bundled into one file. A separate process serves its resources, and loads the package " +
    "from node_modules. Keep the packages out of the bundle (esbuild: --packages=external) and install them next to it, " +
    "or use the plugin's SDK, pulumi-perimeter-sdk";
  throw asProgramError(new ConfigurationError(message), secretTexts());
}

/** The folders of this code (unknown in an ES module) and of the program. */
function places(): string[] {
  const own = typeof __dirname === "string" ? [__dirname] : [];
  return [...new Set([...own, process.cwd()])];
}

function canLoadBackend(folder: string): boolean {
  try {
    createRequire(path.join(folder, "any.js")).resolve(BACKEND);
    return true;
  } catch {
    return false;
  }
}
