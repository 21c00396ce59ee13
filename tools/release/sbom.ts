import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dependencies, devDependencies, name } from "../../package.json";
import { VERSION } from "../../provider/version";
import { PLUGIN } from "../build-plugin-platforms";
import { run } from "../run";
import type { BundledPackage } from "./licenses";

/** The parts of a CycloneDX bill of materials that are changed here: https://cyclonedx.org/docs/1.5/json/ */
interface Bom {
  serialNumber?: string;
  metadata: { timestamp: string; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

interface Component {
  "bom-ref": string;
  name: string;
  properties?: { name: string; value: string }[];
}

/** Bills of materials that npm writes from the lock file: for the npm package and for the plugin. */
export function billsOfMaterials(out: string, packages: readonly BundledPackage[], time: Date): void {
  mkdirSync(out, { recursive: true });
  const lock = bomOfLock();
  const write = (component: string, file: string, refs: readonly string[]) => {
    const bom = reproducible(only(lock, refs), component, time);
    writeFileSync(join(out, file), `${JSON.stringify(bom, null, 2)}\n`);
  };
  write(name, `${name}-${VERSION}.cdx.json`, installed(lock, Object.entries(dependencies).map(refOf)));
  // Bun is in the executables: it runs them.
  const inPlugin = packages.map((each) => refOf([each.name, each.version]));
  write(PLUGIN, `${PLUGIN}-v${VERSION}.cdx.json`, [...inPlugin, refOf(["bun", devDependencies.bun])]);
}

function refOf([name, version]: [string, string]): string {
  return `${name}@${version}`;
}

/** Covers everything that `npm ci` installs. npm's `--omit=peer` would also omit dependencies that are shared with a peer. */
function bomOfLock(): Bom {
  return JSON.parse(run("npm", ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--loglevel=error"])) as Bom;
}

/** These packages and all their dependencies, sorted. */
function installed(bom: Bom, refs: readonly string[]): string[] {
  const found = new Set(refs);
  // The loop also visits elements that it adds.
  for (const ref of found) {
    for (const needed of bom.dependencies.find((each) => each.ref === ref)?.dependsOn ?? []) found.add(needed);
  }
  return [...found].sort();
}

/** Removes the random number and the current time, and replaces the folder's name by the package's name. */
function reproducible({ serialNumber: _, ...bom }: Bom, component: string, time: Date): Bom {
  const metadata = { ...bom.metadata, timestamp: time.toISOString() };
  return { ...bom, metadata: { ...metadata, component: { ...metadata.component, name: component } } };
}

/** @throws Error when a component is not in the lock file */
function only(bom: Bom, refs: readonly string[]): Bom {
  const own = bom.metadata.component["bom-ref"];
  const components = refs.map((ref) => {
    const found = bom.components.find((each) => each["bom-ref"] === ref);
    if (!found) throw new Error(`${ref} is released but not in package-lock.json`);
    // A development dependency of the repository may be a part of the plugin.
    const properties = found.properties?.filter((each) => each.name !== "cdx:npm:package:development");
    return { ...found, ...(properties && { properties }) };
  });
  const between = bom.dependencies
    .filter(({ ref }) => ref === own || refs.includes(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: ref === own ? [...refs] : (dependsOn ?? []).filter((each) => refs.includes(each)),
    }));
  return { ...bom, components, dependencies: between };
}
