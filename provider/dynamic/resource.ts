import * as pulumi from "@pulumi/pulumi";
import { BugError, InputError } from "../core/errors";
import { requireInstalledPackage } from "./backend-place";
import { identityOf } from "./identity";
import { IDENTITY_PROPERTY, PROVIDER_PROPERTY, SECRETS_PROPERTY } from "../runtime/kept-properties";
import { asProgramError } from "./program-errors";
import { secretTexts } from "./program-provider";
import { mayContainSecrets, secretPaths } from "./program-secrets";
import { previewCreate } from "./preview-create";
import { isMocked, typeOf } from "./pulumi-internals";
import { serializedProvider, tokenOfType } from "./serialized-provider";

/**
 * The base class of the npm front's resources: a `pulumi.dynamic.Resource` whose provider is a constant text.
 *
 * The constructor of `pulumi.dynamic.Resource` compiles the provider object, with all that it captures, to a text. That
 * takes half a second at the start of each program, and the text differs between releases of Node, TypeScript and this
 * package. So this constructor skips it, and registers a custom resource with a `__provider` property, as Pulumi's
 * constructor finally does.
 */
export abstract class DynamicResource extends pulumi.dynamic.Resource {
  // @ts-expect-error The instance comes from CustomResource's constructor, so there is no super() to call.
  constructor(
    module: string,
    type: string,
    name: string,
    props: pulumi.Inputs,
    opts: pulumi.CustomResourceOptions | undefined,
  ) {
    refuseForeignProvider(`${type} ${name}`, opts?.provider);
    if (!isMocked()) requireInstalledHere();
    const pulumiType = `${DYNAMIC_PACKAGE}:dynamic/${module}:${type}`;
    const properties = {
      ...props,
      [PROVIDER_PROPERTY]: serializedProvider(`${module}:${type}`),
      [IDENTITY_PROPERTY]: identityOf(pulumiType, name, opts?.parent),
      // Pulumi's SDK takes several stack traces for each property, which is most of a program's run time.
      ...(mayContainSecrets(props) && {
        [SECRETS_PROPERTY]: secretPaths(props).then((paths) => (paths.length > 0 ? paths : undefined)),
      }),
    };
    const resource: unknown = Reflect.construct(
      pulumi.CustomResource,
      [pulumiType, name, properties, opts],
      new.target,
    );
    if (!(resource instanceof DynamicResource)) throw new BugError(`${pulumiType} is not a dynamic resource`);
    // The static method `get` passes an id: it reads a resource that exists.
    if (opts?.id === undefined) previewCreate(resource, tokenOfType(`${module}:${type}`), props);
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

function requireInstalledHere(): void {
  try {
    requireInstalledPackage();
  } catch (error) {
    throw asProgramError(error, secretTexts());
  }
}
