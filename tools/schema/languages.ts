import { REPOSITORY } from "../../provider/version";

/** Modules as each language spells them: `fleet/v1beta` is `fleet.v1beta` in Java and `Fleet.V1Beta` in .NET. */

/** Go fetches a module from the repository that its path names, so the path follows from the repository. */
export const GO_ROOT = `${REPOSITORY.replace(/^https:\/\//, "")}/sdk/go/perimeter`;
const OLDEST_PULUMI = "3.142.0";

export function languages(modules: readonly string[]): Record<string, unknown> {
  const named = (name: (service: string, version: string) => string) =>
    Object.fromEntries(
      modules.map((module) => {
        const [service = "", version = ""] = module.split("/");
        return [module, name(service, version)];
      }),
    );
  return {
    nodejs: {
      packageName: "pulumi-perimeter-sdk",
      respectSchemaVersion: true,
      dependencies: { "@pulumi/pulumi": `^${OLDEST_PULUMI}` },
    },
    python: {
      packageName: "pulumi_perimeter",
      respectSchemaVersion: true,
      requires: { pulumi: `>=${OLDEST_PULUMI},<4.0.0` },
      pyproject: { enabled: true },
    },
    go: {
      importBasePath: GO_ROOT,
      rootPackageName: "perimeter",
      packageImportAliases: Object.fromEntries(
        modules.map((module) => [`${GO_ROOT}/${module}`, module.replace(/\/.*/, "")]),
      ),
      generateResourceContainerTypes: true,
      respectSchemaVersion: true,
    },
    csharp: {
      namespaces: { perimeter: "Perimeter", ...named((service, version) => `${pascal(service)}.${pascal(version)}`) },
      packageReferences: { Pulumi: "3.*" },
      respectSchemaVersion: true,
    },
    java: {
      basePackage: "com.pulumi",
      packages: named((service, version) => `${service}.${version}`),
    },
  };
}

function pascal(text: string): string {
  return text.replace(/(^|\d)([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
}
