import { benchEmulator } from "./emulator";
import { benchGrants } from "./grants";
import { benchStartup } from "./startup";
import { benchTransport } from "./transport";

/** `make bench` runs all of these. With names as arguments, it runs only the named ones. */
const BENCHES: Record<string, () => Promise<void>> = {
  startup: benchStartup,
  grants: benchGrants,
  transport: benchTransport,
  emulator: benchEmulator,
};

async function main(wanted: readonly string[]): Promise<void> {
  const unknown = wanted.filter((each) => !Object.hasOwn(BENCHES, each));
  if (unknown.length > 0)
    throw new Error(`no bench ${unknown.join(", ")}: there is ${Object.keys(BENCHES).join(", ")}`);
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (wanted.length === 0 || wanted.includes(name)) await bench();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
