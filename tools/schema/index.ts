import { configuration, environmentOf } from "../../provider/core/config/definition";
import { PACKAGE_NAME, tokenOf, type LookupDefinition, type ResourceDefinition } from "../../provider/core/definition";
import { metaOf, propertiesOf, requiredProperties } from "../../provider/core/field";
import { lookups, resources } from "../../provider/services";
import { pluginDownloadURL, REPOSITORY, VERSION } from "../../provider/version";
import { examplesForSchema } from "./examples";
import { languages } from "./languages";
import type { FunctionSpec, PackageSpec, PropertySpec, ResourceSpec } from "./spec";
import { someRequired, TypeSpecs } from "./types";

export type { PackageSpec } from "./spec";

/** The module of the configuration's types, which belong to no service. */
const ROOT_MODULE = "index";

/** The package schema for Pulumi's engine and SDK generators. All of it is derived from the definitions. */
export function packageSchema(): PackageSpec {
  const types = new TypeSpecs();
  const resourceDefinitions = resources.map((each) => each.definition);
  const lookupDefinitions = lookups.map((each) => each.definition);
  const modules = [...new Set([...resourceDefinitions, ...lookupDefinitions].map((each) => each.service.module))];
  return {
    name: PACKAGE_NAME,
    displayName: "Perimeter",
    // The SDKs ask the engine for the plugin of their own version, so the schema they are made of carries it.
    version: VERSION,
    description:
      "Google Cloud preview APIs: fleet scopes, event triggers, access policies, firewall endpoint associations and " +
      "member grants.",
    keywords: ["pulumi", PACKAGE_NAME, "google-cloud", "iam", "category/cloud", "kind/native"],
    homepage: REPOSITORY,
    repository: REPOSITORY,
    // Of the release, as the schema is.
    logoUrl: `${REPOSITORY}/raw/v${VERSION}/docs/images/logo.svg`,
    license: "Apache-2.0",
    publisher: "Perimeter",
    pluginDownloadURL: pluginDownloadURL(REPOSITORY),
    meta: { moduleFormat: "(.*)" },
    config: { variables: configVariables(types) },
    provider: provider(types),
    resources: byToken(resourceDefinitions, (each) => resource(each, types)),
    functions: byToken(lookupDefinitions, (each) => lookup(each, types)),
    types: sorted(types.specs),
    language: languages(modules.sort()),
  };
}

function configVariables(types: TypeSpecs): Record<string, PropertySpec> {
  return Object.fromEntries(
    propertiesOf(configuration).map(([name, schema]) => {
      const environment = environmentOf(schema);
      const defaultInfo = environment.length > 0 ? { defaultInfo: { environment } } : {};
      return [name, { ...types.property(schema, ROOT_MODULE), ...defaultInfo }];
    }),
  );
}

/**
 * The explicit provider. Its inputs have no `defaultInfo`: with one, an SDK copies values of the program's environment into
 * the inputs and so into the state, an access token too. The plugin reads the environment by itself.
 */
function provider(types: TypeSpecs): ResourceSpec {
  const inputs = propertiesOf(configuration).map(([name, schema]): [string, PropertySpec] => {
    const spec = types.property(schema, ROOT_MODULE);
    const variables = environmentOf(schema).map((variable) => `\`${variable}\``);
    if (variables.length === 0) return [name, spec];
    return [name, { ...spec, description: `${metaOf(schema).description} Environment: ${variables.join(", ")}.` }];
  });
  return {
    description:
      "Configuration of the perimeter provider for the resources and lookups that use it. Settings without a value " +
      "come from the environment of the plugin.",
    inputProperties: Object.fromEntries(inputs),
  };
}

function resource(definition: ResourceDefinition, types: TypeSpecs): ResourceSpec {
  const { inputs, listInputs, outputs, service } = definition;
  const inputProperties = types.properties(inputs, service.module);
  const requiredInputs = requiredProperties(inputs);
  const alwaysThere = [...requiredInputs, ...definition.computedInputs, ...requiredProperties(outputs)];
  return {
    description: [definition.description, examplesForSchema(definition), importing(definition)].join("\n\n"),
    properties: sorted({ ...inputProperties, ...types.properties(outputs, service.module) }),
    ...someRequired([...new Set(alwaysThere)]),
    inputProperties,
    ...(requiredInputs.length > 0 ? { requiredInputs: requiredInputs.sort() } : {}),
    ...(listInputs ? { listInputs: types.object(listInputs, service.module) } : {}),
    aliases: [...definition.aliases, dynamicToken(definition)].map((type) => ({ type })),
  };
}

/** The type of the same resource in the dynamic front, so that a program changes fronts and keeps its resources. */
function dynamicToken({ service, name }: ResourceDefinition): string {
  return `pulumi-nodejs:dynamic/${service.module}:${name}`;
}

function importing(definition: ResourceDefinition): string {
  const command = (id: string) => `$ pulumi import ${tokenOf(definition)} example ${id}`;
  return `## Import\n\n${definition.importIds.map((id) => `\`\`\`sh\n${command(id)}\n\`\`\``).join("\n\n")}`;
}

function lookup(definition: LookupDefinition, types: TypeSpecs): FunctionSpec {
  const { args, result, service, description } = definition;
  return {
    description: [description, failing(definition), examplesForSchema(definition)].join("\n\n"),
    inputs: types.object(args, service.module),
    outputs: types.object(result, service.module),
  };
}

/** What a lookup fails with: it runs inside the program, which may want to go on. */
function failing({ documentation }: LookupDefinition): string {
  const lines = documentation.errors.map(({ code, status, when }) => `- \`${status ?? code}\` where ${when}`);
  return `The call fails with:\n\n${lines.join("\n")}`;
}

function byToken<D extends ResourceDefinition | LookupDefinition, S>(
  definitions: readonly D[],
  spec: (definition: D) => S,
): Record<string, S> {
  return sorted(Object.fromEntries(definitions.map((each) => [tokenOf(each), spec(each)])));
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1)));
}
