import { createRequire } from "node:module";
import { join } from "node:path";
import { missingPackages } from "../support/npm-folder";

const folder = join(__dirname, "googleapis");

/** Installs Google's own client. @returns why it cannot be installed here; undefined where it is installed */
export function missingGoogleClient(): string | undefined {
  return missingPackages(folder, "Google's own client (about 230 MB)");
}

/**
 * One API of the client.
 *
 * @param api e.g. `networksecurity`
 */
export function loadGoogleApi(api: string): unknown {
  // Its index loads every API of Google; one is enough.
  return createRequire(join(folder, "package.json"))(`googleapis/build/src/apis/${api}`);
}
