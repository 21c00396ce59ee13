import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageSchema } from "../schema";
import { VERSION } from "../../provider/version";
import { filesBelow } from "../files";
import { committedSdk, type SdkLanguage } from "../generate/sdk";
import { ROOT, run } from "../run";
import { repackArchive } from "./archive";
import { NPM_OPTIONS, packNpmPackage } from "./npm-package";

/** Packages for registries: two for npm, a wheel and an sdist for PyPI, a module for Go's proxies. */

/**
 * Packs the npm packages for projects on this machine, into the root of the repository, under names without a version, so
 * that documents and examples can name them.
 */
export function npmPackagesForThisMachine(work: string): void {
  const out = join(work, "npm");
  npmPackages(out, work);
  for (const name of ["pulumi-perimeter-sdk", "pulumi-perimeter"]) {
    copyFileSync(join(out, `${name}-${VERSION}.tgz`), join(ROOT, `${name}.tgz`));
  }
}

/** Packs dist/ from `make build`, and the compiled SDK, to `out`. */
export function npmPackages(out: string, work: string): void {
  mkdirSync(out, { recursive: true });
  packNpmPackage(out, join(work, "npm-package"));
  const sdk = copyOfSdk("nodejs", join(work, "nodejs"));
  // The compiler finds the declarations of Pulumi's SDK there.
  symlinkSync(join(ROOT, "node_modules"), join(sdk, "node_modules"), "junction");
  // Does what the package's own script does, with the compiler of `make build`, which takes a quarter of the time.
  run(process.execPath, [join(ROOT, "node_modules/typescript7/bin/tsc")], { cwd: sdk });
  copyFileSync(join(sdk, "package.json"), join(sdk, "bin/package.json"));
  run("npm", ["pack", "--ignore-scripts", ...NPM_OPTIONS, "--pack-destination", out], { cwd: sdk });
}

/** The output of `python -m build`, created with the setuptools of the tests' environment, without a download. */
export async function pythonPackages(out: string, work: string, time: Date): Promise<void> {
  mkdirSync(out, { recursive: true });
  const environment = run("bash", ["tools/engine/python.sh"]).trim();
  // A process for each, as the interface of build back ends asks (https://peps.python.org/pep-0517/).
  for (const kind of ["sdist", "wheel"]) {
    const program = `import sys; from setuptools import build_meta; build_meta.build_${kind}(sys.argv[1])`;
    run(join(environment, "bin/python"), ["-c", program, out], {
      cwd: copyOfSdk("python", join(work, "python", kind)),
      env: { SOURCE_DATE_EPOCH: String(time.getTime() / 1000), PYTHONDONTWRITEBYTECODE: "1" },
    });
  }
  // setuptools writes the current time to an sdist, and uses SOURCE_DATE_EPOCH only in a wheel.
  const [sdist = ""] = filesBelow(out).filter((file) => file.endsWith(".tar.gz"));
  const unpacked = join(work, "sdist");
  mkdirSync(unpacked);
  await repackArchive(join(out, sdist), unpacked, time);
}

/** The layout of a Go module proxy, which proxies create from the tag: so a module can be tested before the tag exists. */
export function goModule(out: string, work: string, time: Date): void {
  const sdk = copyOfSdk("go", join(work, "go"));
  const { importBasePath } = packageSchema().language.go as { importBasePath: string };
  const args = [importBasePath, `v${VERSION}`, time.toISOString().replace(".000", ""), sdk, out];
  run("go", ["run", ".", ...args], {
    cwd: join(__dirname, "modzip"),
    env: { GOWORK: "off", GOFLAGS: "-mod=readonly" },
  });
}

/** The SDK's files in the repository, without build results. */
function copyOfSdk(language: SdkLanguage, folder: string): string {
  for (const [path, text] of committedSdk(language)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    // Archives contain file modes, which would otherwise depend on the builder's umask.
    chmodSync(file, 0o644);
  }
  return folder;
}
