import manifest from "../../package.json";
import { packageSchema } from ".";
import { pluginDownloadURL } from "../../provider/version";
import type { ObjectSpec, PropertySpec, TypeSpec } from "./spec";

const schema = packageSchema();
const association = schema.resources["perimeter:networksecurity/v1beta1:FirewallEndpointAssociation"];
const grants = [
  "perimeter:apigateway/v1beta:GatewayIamBinding",
  "perimeter:apigateway/v1beta:GatewayIamMember",
  "perimeter:datamigration/v1beta1:MigrationJobIamBinding",
  "perimeter:datamigration/v1beta1:MigrationJobIamMember",
  "perimeter:eventing/v1:TriggerIamBinding",
  "perimeter:eventing/v1:TriggerIamMember",
  "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding",
  "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
] as const;

const namesWhere = (properties: Record<string, PropertySpec> | undefined, is: (spec: PropertySpec) => unknown) =>
  Object.entries(properties ?? {})
    .filter(([, spec]) => is(spec))
    .map(([name]) => name)
    .sort();

test("the schema has exactly the tokens of the interface", () => {
  expect(Object.keys(schema.resources)).toEqual([
    ...grants,
    "perimeter:iam/v1:ResourceIamBinding",
    "perimeter:iam/v1:ResourceIamMember",
    expect.stringContaining(":FirewallEndpointAssociation"),
  ]);
  expect(Object.keys(schema.functions)).toEqual([
    "perimeter:apigateway/v1beta:getGatewayIamPolicy",
    "perimeter:eventing/v1:getTrigger",
    "perimeter:eventing/v1:getTriggerIamPolicy",
    "perimeter:fleet/v1beta:getScope",
    "perimeter:iam/v1:getResourceIamPolicy",
  ]);
});

test("the association's inputs, and which of them replace it", () => {
  expect(Object.keys(association?.inputProperties ?? {}).sort()).toEqual([
    "firewallEndpoint",
    "firewallEndpointAssociationId",
    "labels",
    "location",
    "network",
    "project",
    "requestId",
    "tlsInspectionPolicy",
  ]);
  expect(association?.requiredInputs).toEqual(["firewallEndpoint", "network"]);
  const replacing = ["firewallEndpointAssociationId", "location", "project"];
  for (const properties of [association?.inputProperties, association?.properties]) {
    expect(namesWhere(properties, (spec) => spec.replaceOnChanges)).toEqual(replacing);
    expect(namesWhere(properties, (spec) => spec.willReplaceOnChanges)).toEqual(replacing);
  }
});

test("an output is required if the finished resource always has it", () => {
  expect(association?.required).toEqual([
    "createTime",
    "firewallEndpoint",
    "firewallEndpointAssociationId",
    "location",
    "name",
    "network",
    "project",
    "reconciling",
    "state",
    "updateTime",
  ]);
});

test.each(grants)(
  "%s is replaced by every change but of its members, and has the outputs of the interface",
  (token) => {
    const grant = schema.resources[token];
    const who = token.endsWith("IamBinding") ? "members" : "member";
    expect(grant?.requiredInputs).toEqual([who, "name", "role"]);
    expect(grant?.required).toEqual(["etag", who, "name", "project", "role"]);
    const inputs = Object.keys(grant?.inputProperties ?? {}).filter((each) => each !== "members");
    expect(namesWhere(grant?.inputProperties, (spec) => spec.replaceOnChanges)).toEqual(inputs.sort());
  },
);

test.each(Object.entries(schema.resources))(
  "%s has aliases of google-native and the dynamic front",
  (token, { aliases }) => {
    const [, module = "", name] = token.split(":");
    // google-native says the API's name, where this provider says what the API is about.
    const theirs = module.replace("eventing/", "eventarc/");
    // google-native has no grant on any resource.
    const native = module === "iam/v1" ? [] : [{ type: `google-native:${theirs}:${name}` }];
    expect(aliases).toEqual([...native, { type: `pulumi-nodejs:dynamic/${module}:${name}` }]);
  },
);

test.each(Object.entries(schema.functions))("%s always returns every property of its result", (_token, { outputs }) => {
  expect(outputs.required).toEqual(Object.keys(outputs.properties).sort());
});

test("credentials are secret, as configuration and as inputs of a provider", () => {
  for (const properties of [schema.config.variables, schema.provider.inputProperties]) {
    expect(namesWhere(properties, (spec) => spec.secret)).toEqual(["accessToken", "credentials"]);
  }
});

test("environment variables are documented, but never as a default that an SDK would copy into a provider's inputs", () => {
  expect(schema.config.variables.project?.defaultInfo?.environment).toEqual([
    "GOOGLE_PROJECT",
    "GOOGLE_CLOUD_PROJECT",
    "GCLOUD_PROJECT",
    "CLOUDSDK_CORE_PROJECT",
  ]);
  expect(namesWhere(schema.provider.inputProperties, (spec) => spec.defaultInfo)).toEqual([]);
  expect(schema.provider.inputProperties.accessToken?.description).toContain("`GOOGLE_OAUTH_ACCESS_TOKEN`");
});

test("an open enum of the API is a string with documented known values", () => {
  const state = association?.properties?.state;
  expect(state?.type).toBe("string");
  expect(state?.description).toMatch(/Known values: .*`ACTIVE`.*`ORPHAN`/);
  expect(Object.values(schema.types).every((type) => type.type === "object")).toBe(true);
});

test.each(Object.entries({ ...schema.resources, ...schema.functions }))(
  "%s has examples in each language, in the form that SDK generators and the registry read",
  (_token, { description }) => {
    const [, examples = ""] = /\{\{% examples %\}\}\n(.*)\n?\{\{% \/examples %\}\}/s.exec(description) ?? [];
    const each = examples.split("{{% example %}}").slice(1);
    expect(each).not.toEqual([]);
    for (const example of each) {
      expect(example).toMatch(/^\n\n### .+\n/);
      const fences = [...example.matchAll(/^```(typescript|python|go|yaml)$/gm)].map(([, language]) => language);
      expect(fences).toEqual(["typescript", "python", "go", "yaml"]);
    }
  },
);

test.each(Object.entries(schema.functions))("%s documents its errors", (_token, { description }) => {
  expect(description).toMatch(/The call fails with:\n\n(?:- `[A-Z_]+` where .*\n)*- `NOT_FOUND` where /);
});

describe("every property", () => {
  const objects: [string, Record<string, PropertySpec>][] = [
    ["config", schema.config.variables],
    ["provider", schema.provider.inputProperties],
    ...Object.entries(schema.resources).flatMap(([token, spec]): [string, Record<string, PropertySpec>][] => [
      [`${token} inputs`, spec.inputProperties],
      [`${token} outputs`, spec.properties ?? {}],
    ]),
    ...Object.entries(schema.functions).flatMap(([token, spec]): [string, Record<string, PropertySpec>][] => [
      [`${token} inputs`, spec.inputs.properties],
      [`${token} outputs`, spec.outputs.properties],
    ]),
    ...Object.entries(schema.types).map(([token, spec]): [string, Record<string, PropertySpec>] => [
      token,
      spec.properties,
    ]),
  ];

  test.each(objects)("of %s has a description, and refers to existing types", (_name, properties) => {
    for (const spec of Object.values(properties)) {
      expect(spec.description).toMatch(/\.$/);
      for (const reference of references(spec)) expect(schema.types).toHaveProperty([reference]);
    }
  });
});

function references(spec: TypeSpec): string[] {
  const own = spec.$ref === undefined ? [] : [spec.$ref.replace("#/types/", "")];
  return [...own, ...[spec.items, spec.additionalProperties].flatMap((each) => (each ? references(each) : []))];
}

test("types have the names of the interface", () => {
  const names = Object.keys(schema.types).map((token) => token.split(":").slice(1).join(":"));
  expect(names).toEqual(
    expect.arrayContaining([
      "fleet/v1beta:ScopeLifecycleState",
      ...[
        "Destination",
        "ManagedRun",
        "ClusterService",
        "HttpEndpoint",
        "NetworkConfig",
        "EventFilter",
        "Transport",
        "Messaging",
      ].map((name) => `eventing/v1:${name}`),
      ...["Binding", "Expr", "AuditConfig", "AuditLogConfig"].map((name) => `apigateway/v1beta:${name}`),
      "healthcare/v1beta1:Condition",
    ]),
  );
  const condition = schema.types["perimeter:datamigration/v1beta1:Condition"] as ObjectSpec;
  expect(condition.required).toEqual(["expression", "title"]);
});

describe("the address of releases", () => {
  test("package.json's repository is the address for the plugin's download, and the path of the Go module", () => {
    const path = /^git\+https:\/\/github\.com\/([^/]+\/[^/]+)\.git$/.exec(manifest.repository.url)?.[1];
    expect(path).toBeDefined();
    expect(schema.repository).toBe(`https://github.com/${path}`);
    expect(schema.pluginDownloadURL).toBe(`github://api.github.com/${path}`);
    expect(schema.language.go).toMatchObject({ importBasePath: `github.com/${path}/sdk/go/perimeter` });
    expect(manifest.homepage).toBe(`${schema.repository}#readme`);
    expect(manifest.bugs).toBe(`${schema.repository}/issues`);
  });

  test.each(["https://gitlab.com/owner/repository", "https://github.com/owner", ""])("%j is refused", (repository) => {
    expect(() => pluginDownloadURL(repository)).toThrow("no download address of plugins is known");
  });
});
