/** One program in each language of the plugin, and how the code that Pulumi generates goes into it. */
import * as fs from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";
import { SDK_FOLDERS } from "../../../tools/generate/sdk";
import { missingHost, repositoryRoot, type HostName, type ProjectOptions } from "../../support/engine";
import { goEnvironment } from "../../support/go";
import { nodeSdk, pythonSdk } from "../../support/plugin";
import { PROJECT, storeOf, TRIGGER } from "../../support/programs";
import { ensureVenv } from "../../support/python";

export interface Language {
  name: string;
  host: HostName;
  /** Why programs of this language cannot run here. */
  missing: string | undefined;
  /** What the program needs beside the plugin. */
  needs(): Partial<ProjectOptions>;
  /**
   * A grant of the default provider and one of the provider `cloud`, and the code as a user would paste it.
   *
   * @param code what `pulumi import` wrote
   */
  program(code?: string): Record<string, string>;
  /** A program of nothing else. @param code what `pulumi import` wrote */
  alone(code?: string): Record<string, string>;
}

const go = goEnvironment();
const python = ensureVenv();

export const LANGUAGES: readonly Language[] = [
  {
    name: "YAML",
    host: "yaml",
    missing: missingHost("yaml"),
    needs: () => ({ nodeModules: "none" }),
    program: (code = "{}") => {
      const { resources } = parse(code) as { resources?: object };
      // JSON is YAML too.
      return {
        "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources: { ...YAML, ...resources } }),
      };
    },
    alone: (code = "resources: {}\n") => ({ "Pulumi.yaml": `name: clinic\nruntime: yaml\n${code}` }),
  },
  {
    name: "TypeScript",
    host: "nodejs",
    missing: missingHost("nodejs"),
    // The generated code must have the types of the SDK.
    needs: () => ({ packages: { "pulumi-perimeter-sdk": nodeSdk() }, env: { TS_NODE_TRANSPILE_ONLY: "false" } }),
    program: (code) => ({
      "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "nodejs" }),
      "package.json": JSON.stringify({ name: "sample", private: true }),
      "index.ts": pasted(TYPESCRIPT, code),
    }),
    alone: (code = "") => ({
      ...manifest("nodejs"),
      "package.json": JSON.stringify({ name: "clinic", private: true }),
      "index.ts": code,
    }),
  },
  {
    name: "Python",
    host: "python",
    missing: "missing" in python ? python.missing : undefined,
    needs: () => {
      if ("missing" in python) throw new Error(python.missing);
      return { nodeModules: "none", path: [python.bin], env: { ...python.env, PYTHONPATH: pythonSdk(python) } };
    },
    program: (code) => ({
      "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "python" }),
      "__main__.py": pasted(PYTHON, code),
    }),
    alone: (code = "") => ({ ...manifest("python"), "__main__.py": code }),
  },
  {
    name: "Go",
    host: "go",
    missing: "missing" in go ? go.missing : undefined,
    needs: () => {
      if ("missing" in go) throw new Error(go.missing);
      return { nodeModules: "none", path: [go.bin], env: go.env };
    },
    program: (code) => ({
      "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "go" }),
      ...goModule(),
      "main.go": code === undefined ? GO : GO.replace("return nil\n\t})", "return adopted(ctx, cloud)\n\t})"),
      ...(code === undefined ? {} : { "adopted.go": goFunction(code) }),
    }),
    alone: (code = GO_EMPTY) => ({ ...manifest("go"), ...goModule(), "main.go": code }),
  },
];

/** Its name begins with a digit, as names of variables do not. */
export const STORE = storeOf("7-days");

const STORE_GRANT = { name: STORE, role: "roles/healthcare.fhirResourceReader", member: "group:nurses@example.com" };
const TRIGGER_GRANT = { name: TRIGGER, role: "roles/eventarc.viewer", member: "user:zoe@example.com" };
const SETTINGS = { project: PROJECT, grantMode: "merge" };

const YAML = {
  cloud: { type: "pulumi:providers:perimeter", properties: SETTINGS },
  nurses: { type: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember", properties: STORE_GRANT },
  viewer: {
    type: "perimeter:eventing/v1:TriggerIamMember",
    properties: TRIGGER_GRANT,
    options: { provider: "${cloud}" },
  },
};

const TYPESCRIPT = `import * as perimeter from "pulumi-perimeter-sdk";

const cloud = new perimeter.Provider("cloud", ${JSON.stringify(SETTINGS)});
new perimeter.healthcare.v1beta1.DatasetFhirStoreIamMember("nurses", ${JSON.stringify(STORE_GRANT)});
new perimeter.eventing.v1.TriggerIamMember("viewer", ${JSON.stringify(TRIGGER_GRANT)}, { provider: cloud });
`;

const PYTHON = `import pulumi
import pulumi_perimeter as perimeter

cloud = perimeter.Provider("cloud", project="${SETTINGS.project}", grant_mode="${SETTINGS.grantMode}")
perimeter.healthcare.v1beta1.DatasetFhirStoreIamMember("nurses", **${JSON.stringify(STORE_GRANT)})
perimeter.eventing.v1.TriggerIamMember(
    "viewer", **${JSON.stringify(TRIGGER_GRANT)}, opts=pulumi.ResourceOptions(provider=cloud))
`;

/** Appends the lines of the code that the program does not have, such as its imports. */
function pasted(program: string, code = ""): string {
  const own = program.split("\n");
  return `${program}${code
    .split("\n")
    .filter((line) => !line.startsWith("import ") || !own.includes(line))
    .join("\n")}`;
}

const GO_SDK = "github.com/pulumi-perimeter/pulumi-perimeter/sdk/go/perimeter";

const goArguments = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name.charAt(0).toUpperCase()}${name.slice(1)}: pulumi.String(${JSON.stringify(value)})`)
    .join(", ");

const GO = `package main

import (
	"${GO_SDK}"
	eventing "${GO_SDK}/eventing/v1"
	healthcare "${GO_SDK}/healthcare/v1beta1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		cloud, err := perimeter.NewProvider(ctx, "cloud", &perimeter.ProviderArgs{${goArguments(SETTINGS)}})
		if err != nil {
			return err
		}
		if _, err := healthcare.NewDatasetFhirStoreIamMember(ctx, "nurses",
			&healthcare.DatasetFhirStoreIamMemberArgs{${goArguments(STORE_GRANT)}}); err != nil {
			return err
		}
		if _, err := eventing.NewTriggerIamMember(ctx, "viewer",
			&eventing.TriggerIamMemberArgs{${goArguments(TRIGGER_GRANT)}}, pulumi.Provider(cloud)); err != nil {
			return err
		}
		return nil
	})
}
`;

const GO_EMPTY = `package main

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

func main() {
	pulumi.Run(func(*pulumi.Context) error { return nil })
}
`;

const manifest = (runtime: string) => ({ "Pulumi.yaml": JSON.stringify({ name: "clinic", runtime }) });

/** Pulumi generates a whole program in Go: its body becomes a function, and its variable `cloud` a parameter. */
function goFunction(code: string): string {
  return code
    .replace("import (", `import (\n\t"${GO_SDK}"`)
    .replace(
      "func main() {\n\tpulumi.Run(func(ctx *pulumi.Context) error {",
      "func adopted(ctx *pulumi.Context, cloud *perimeter.Provider) error {",
    )
    .replace(/\t\}\)\n\}\n$/, "}\n");
}

/** The example's modules, with the SDK where it is from here. */
function goModule(): Record<string, string> {
  const example = path.join(repositoryRoot, "examples/firewall-go");
  const text = (name: string) => fs.readFileSync(path.join(example, name), "utf8");
  const sdk = path.join(repositoryRoot, SDK_FOLDERS.go);
  return { "go.mod": text("go.mod").replace(`../../${SDK_FOLDERS.go}`, sdk), "go.sum": text("go.sum") };
}
