import * as pulumi from "@pulumi/pulumi";
import { InputError } from "../core/errors";
import { identityOf } from "./identity";
import { asProgramError } from "./program-errors";
import { secretTexts } from "./program-provider";
import { secretPaths } from "./program-secrets";
import { previewCreate } from "./preview-create";
import { typeOf } from "./pulumi-internals";
import {
  IDENTITY_PROPERTY,
  PROVIDER_PROPERTY,
  SECRETS_PROPERTY,
  serializedProvider,
  tokenOfType,
} from "./serialized-provider";

/**
 * A `pulumi.dynamic.Resource` whose provider is a constant text.
 *
 * Its base class would serialise a provider object with all that it captures, by compiling it: half a second at the
 * start of each program, and a text that differs between releases of Node, TypeScript and this package. So the
 * constructor goes past it, to what it does in the end: register a custom resource with a `__provider` property.
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
    const pulumiType = `pulumi-nodejs:dynamic/${module}:${type}`;
    const properties = {
      ...props,
      [PROVIDER_PROPERTY]: serializedProvider(`${module}:${type}`),
      [IDENTITY_PROPERTY]: identityOf(pulumiType, name, opts?.parent),
      [SECRETS_PROPERTY]: secretPaths(props).then((paths) => (paths.length > 0 ? paths : undefined)),
    };
    const resource = Reflect.construct(
      pulumi.CustomResource,
      [pulumiType, name, properties, opts],
      new.target,
    ) as DynamicResource;
    // One that is read by its id is there already.
    if (opts?.id === undefined) previewCreate(resource, tokenOfType(`${module}:${type}`), props);
    return resource;
  }
}

/** Package of the dynamic resources of Node.js programs, and so of what serves them. */
const DYNAMIC_PACKAGE = "pulumi-nodejs";

/** Pulumi would send the resource to a provider that does not know its type. */
function refuseForeignProvider(resource: string, provider: pulumi.ProviderResource | undefined): void {
  if (provider === undefined) return;
  const [, , ownPackage = ""] = typeOf(provider).split(":");
  if (ownPackage === DYNAMIC_PACKAGE) return;
  const reason =
    `must not be a provider of the package "${ownPackage}": resources of the npm package pulumi-perimeter take their ` +
    "settings from the stack's configuration (perimeter:*). Leave the option out, or declare the resource with the " +
    "plugin's SDK, pulumi-perimeter-sdk";
  throw asProgramError(new InputError(resource, [{ path: "the option provider", reason }]), secretTexts());
}
