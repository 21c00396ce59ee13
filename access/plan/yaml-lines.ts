import * as path from "node:path";
import { fileText } from "../../provider/core/environment";
import { textOf } from "../../provider/core/unknown";
import type { PulumiProject } from "../../provider/runtime/pulumi-project";
import { shortNameOf, typeIn } from "../result/urn";
import type { SourceLine } from "./source-line";

/** pulumi-yaml reads the first one that exists (`LoadDir` in its pkg/pulumiyaml/run.go). */
const PROGRAM_FILES = ["Main.json", "Main.yaml", "Pulumi.yaml"];

/**
 * Finds resources in a program in YAML, for which engines get no source positions.
 *
 * @returns a function that gives the line of a resource's key by its URN. It knows no line of a program in another language.
 */
export async function linesInYaml({
  folder,
  runtime,
  main = "",
}: PulumiProject): Promise<(urn: string) => SourceLine | undefined> {
  if (runtime !== "yaml") return () => undefined;
  for (const name of PROGRAM_FILES) {
    const file = path.join(main, name);
    const text = fileText(path.join(folder, file));
    if (text !== undefined) {
      const declared = await resourcesIn(text);
      return (urn) => {
        const line = declared.get(keyOf(shortNameOf(urn), typeIn(urn)));
        return line === undefined ? undefined : { file: file.split(path.sep).join("/"), line };
      };
    }
  }
  return () => undefined;
}

/** The lines of the resources' keys in a program, by `keyOf`. Empty for an invalid program. */
async function resourcesIn(text: string): Promise<Map<string, number>> {
  const { isMap, isScalar, LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const resources = parseDocument(text, { lineCounter: lines }).get("resources");
  const declared = new Map<string, number>();
  for (const { key, value } of isMap(resources) ? resources.items : []) {
    if (!isScalar(key) || !isMap(value) || !key.range) continue;
    const name = textOf(value.get("name")) || String(key.value);
    declared.set(keyOf(name, textOf(value.get("type"))), lines.linePos(key.range[0]).line);
  }
  return declared;
}

/** A program may write the type `aws:s3/bucket:Bucket` as `aws:s3:Bucket`. */
function keyOf(name: string, type: string): string {
  return `${name} ${type.split(":")[0]} ${type.split(":").at(-1)}`;
}
