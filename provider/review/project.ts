import * as fs from "node:fs/promises";
import * as path from "node:path";
import { parse } from "yaml";
import { isRecord } from "../core/unknown";

/** What the file of a Pulumi project says; nothing of it where the file is broken. */
export interface PulumiProject {
  name?: string;
  /** Of its programs: `nodejs`, `yaml`. */
  runtime?: string;
}

const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/** The Pulumi project that a folder belongs to: Pulumi looks in the folder and then in those above it. */
export async function projectAbove(folder: string): Promise<PulumiProject | undefined> {
  for (const name of PROJECT_FILES) {
    const text = await fs.readFile(path.join(folder, name), "utf8").catch(() => undefined);
    if (text !== undefined) return projectIn(text);
  }
  const parent = path.dirname(folder);
  return parent === folder ? undefined : projectAbove(parent);
}

function projectIn(text: string): PulumiProject {
  try {
    const project: unknown = parse(text);
    if (!isRecord(project)) return {};
    const { name, runtime } = project;
    // A runtime with options is an object with its name.
    return { name: textIn(name), runtime: textIn(isRecord(runtime) ? runtime.name : runtime) };
  } catch {
    return {};
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
