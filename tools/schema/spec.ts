/** The parts of Pulumi's package schema that this provider uses: https://www.pulumi.com/docs/iac/extending-pulumi/schema */

export interface TypeSpec {
  type?: "string" | "boolean" | "integer" | "array" | "object";
  items?: TypeSpec;
  additionalProperties?: TypeSpec;
  $ref?: string;
}

export interface PropertySpec extends TypeSpec {
  description?: string;
  secret?: boolean;
  replaceOnChanges?: boolean;
  willReplaceOnChanges?: boolean;
  defaultInfo?: { environment: readonly string[] };
}

export interface ObjectSpec {
  type: "object";
  description?: string;
  properties: Record<string, PropertySpec>;
  required?: string[];
}

export interface ResourceSpec {
  description: string;
  properties?: Record<string, PropertySpec>;
  required?: string[];
  inputProperties: Record<string, PropertySpec>;
  requiredInputs?: string[];
  listInputs?: ObjectSpec;
  aliases?: { type: string }[];
}

export interface FunctionSpec {
  description: string;
  inputs: ObjectSpec;
  outputs: ObjectSpec;
}

export interface PackageSpec {
  name: string;
  displayName: string;
  version: string;
  description: string;
  keywords: readonly string[];
  homepage: string;
  logoUrl: string;
  repository: string;
  license: string;
  publisher: string;
  pluginDownloadURL: string;
  meta: { moduleFormat: string };
  config: { variables: Record<string, PropertySpec> };
  provider: ResourceSpec;
  resources: Record<string, ResourceSpec>;
  functions: Record<string, FunctionSpec>;
  types: Record<string, ObjectSpec>;
  language: Record<string, unknown>;
}
