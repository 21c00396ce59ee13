import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { lookups, resources } from "../../provider/services";
import { dynamicFront } from "./dynamic-front";

/** Writes everything that is generated from the definitions. `make generate` runs it; tests fail when it is due. */

const ROOT = join(__dirname, "..", "..");

/** Text of every generated file, by its path from the root of the repository. */
export function generatedFiles(): Map<string, string> {
  const front = dynamicFront(
    resources.map((each) => each.definition),
    lookups.map((each) => each.definition),
  );
  return new Map([...front].map(([path, text]) => [`provider/dynamic/generated/${path}`, text]));
}

if (require.main === module) {
  rmSync(join(ROOT, "provider/dynamic/generated"), { recursive: true, force: true });
  for (const [path, text] of generatedFiles()) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
}
