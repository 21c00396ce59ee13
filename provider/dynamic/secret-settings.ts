import * as pulumi from "@pulumi/pulumi";
import { PACKAGE_NAME } from "../core/definition";
import { isConfigSecret } from "./pulumi-internals";

/**
 * The inputs that take their value from a secret setting of the stack, such as a secret `perimeter:project`. The program
 * fills them in as secrets. The provider's process fills in all other defaults, but cannot mark a value as secret.
 *
 * @param args the program's inputs; undefined if it gives none
 * @param defaults the configuration key of each input with a default
 */
export function secretDefaults(args: object | undefined, defaults: Readonly<Record<string, string>>): pulumi.Inputs {
  if (args === undefined) return {};
  const config = new pulumi.Config(PACKAGE_NAME);
  const omitted = Object.entries(defaults).filter(([input]) => Reflect.get(args, input) === undefined);
  return Object.fromEntries(
    omitted.filter(([, key]) => isSecretSetting(key)).map(([input, key]) => [input, config.getSecret(key)]),
  );
}

/**
 * Whether the stack keeps a setting secret (`pulumi config set --secret`).
 *
 * @param key a configuration key of the provider, such as `project`
 */
export function isSecretSetting(key: string): boolean {
  return isConfigSecret(`${PACKAGE_NAME}:${key}`);
}
