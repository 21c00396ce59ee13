import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { devDependencies } from "../../package.json";
import { packageSchema } from "../schema";
import { VERSION } from "../../provider/version";
import { filesBelow } from "../files";
import { ROOT } from "../run";

/**
 * The SDKs of the plugin, written by Pulumi's generators: the output of `pulumi package gen-sdk`, plus files that make the
 * folder installable. Files that do not depend on the schema are in overlays/.
 */

/** The folder of each SDK. Go requires that a module's path ends like its folder. */
export const SDK_FOLDERS = { nodejs: "sdk/nodejs", python: "sdk/python", go: "sdk/go/perimeter" } as const;

export type SdkLanguage = keyof typeof SDK_FOLDERS;

export const SDK_LANGUAGES = Object.keys(SDK_FOLDERS) as SdkLanguage[];

/** Names below an SDK's folder that its tools create. */
const MADE_THERE: readonly string[] = ["node_modules", "bin", "build", "dist", "__pycache__"];

/** Text of every file of an SDK, by its path within. Needs Go, because the generators are Go programs. */
export function generatedSdk(language: SdkLanguage): Map<string, string> {
  const work = mkdtempSync(join(tmpdir(), "perimeter-sdk-"));
  try {
    const schema = join(work, "schema.json");
    const out = join(work, "out");
    writeFileSync(schema, JSON.stringify(packageSchema()));
    const overlay = join(__dirname, "overlays", language);
    const generator = join(ROOT, "tools/engine/install.sh");
    const sdkgen = execFileSync("bash", [generator, "--sdkgen"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    }).trim();
    execFileSync(sdkgen, [language, schema, overlay, out], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const files = textsBelow(out);
    files.set("LICENSE", readFileSync(join(ROOT, "LICENSE"), "utf8"));
    finish(language, files);
    return files;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Text of every file of the SDK in the repository, without files that its tools created. */
export function committedSdk(language: SdkLanguage): Map<string, string> {
  return textsBelow(join(ROOT, SDK_FOLDERS[language]));
}

export function writeSdks(): void {
  for (const language of SDK_LANGUAGES) {
    const files = generatedSdk(language);
    const folder = join(ROOT, SDK_FOLDERS[language]);
    mkdirSync(folder, { recursive: true });
    for (const stale of committedSdk(language).keys()) if (!files.has(stale)) rmSync(join(folder, stale));
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }
}

/** Completes the generators' output for publishing. */
function finish(language: SdkLanguage, files: Map<string, string>): void {
  if (language === "nodejs") edit(files, "package.json", nodePackage);
  if (language === "go") edit(files, "internal/pulumiVersion.go", goVersion);
}

function edit(files: Map<string, string>, path: string, change: (text: string) => string): void {
  const text = files.get(path);
  if (text === undefined) throw new Error(`the generator wrote no ${path}`);
  const changed = change(text);
  if (changed === text) throw new Error(`${path} has changed: see finish() in tools/generate/sdk.ts`);
  files.set(path, changed);
}

/** Without these, the package cannot be imported, or compiled by a current TypeScript. */
function nodePackage(text: string): string {
  const { name, version, scripts: _, devDependencies: __, ...rest } = JSON.parse(text) as Record<string, unknown>;
  const manifest = {
    name,
    version,
    description:
      "SDK of the Perimeter plugin for Pulumi: the same modules and names as the npm package pulumi-perimeter",
    ...rest,
    main: "bin/index.js",
    types: "bin/index.d.ts",
    files: ["bin"],
    scripts: {
      // The compiled code reads its version from a package.json in its folder.
      build: "tsc && node -e \"require('node:fs').copyFileSync('package.json', 'bin/package.json')\"",
      prepack: "npm run build",
    },
    devDependencies: { "@types/node": devDependencies["@types/node"], typescript: devDependencies.typescript },
  };
  return `${JSON.stringify(manifest, null, 4)}\n`;
}

/** The version for references to our resources; the generator leaves it empty. */
function goVersion(text: string): string {
  return text.replace("semver.Version = semver.Version{}", `semver.Version = semver.MustParse("${VERSION}")`);
}

function textsBelow(folder: string): Map<string, string> {
  const isMade = (name: string) => MADE_THERE.includes(name) || name.endsWith(".egg-info");
  const paths = filesBelow(folder).filter((path) => !path.split("/").some(isMade));
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}
