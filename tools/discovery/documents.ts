import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The package whose discovery documents this project uses. */
export const PACKAGE = "google-api-python-client==2.202.0";

/** Installs the package in a temporary folder and calls `use` with the folder of its discovery documents. Needs pip and Python. */
export function withDocuments(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "discovery-"));
  try {
    execFileSync("pip", ["install", "--quiet", "--no-deps", "--target", folder, PACKAGE], { stdio: "inherit" });
    use(join(folder, "googleapiclient", "discovery_cache", "documents"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
