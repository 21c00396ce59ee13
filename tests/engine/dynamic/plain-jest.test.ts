/**
 * The packed package in somebody else's unit tests: plain jest, CommonJS, no flags, and no engine. Lookups ask the emulator
 * that the environment names at that moment, and errors are instances of what the package exports.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { repositoryRoot } from "../../support/engine";
import { packedPackage } from "../../support/pack";

jest.setTimeout(120_000);

const TEST = `"use strict";
const perimeter = require("pulumi-perimeter");
const { startEmulator, demoSeed } = require("pulumi-perimeter/emulator");
const scope = (scopeId) => perimeter.fleet.v1beta.getScope({ project: "demo-project", location: "global", scopeId });

test("a lookup uses the current emulator", async () => {
  for (const tier of ["gold", "silver"]) {
    const emulator = await startEmulator({ seed: JSON.parse(JSON.stringify(demoSeed).replaceAll("gold", tier)) });
    process.env.PERIMETER_EMULATOR_HOST = emulator.env.PERIMETER_EMULATOR_HOST;
    try {
      expect((await scope("team-a")).labels).toMatchObject({ tier });
      const missing = await scope("nobody").catch((error) => error);
      expect(missing).toBeInstanceOf(perimeter.NotFoundError);
      expect(missing).toBeInstanceOf(perimeter.ApiError);
      expect(missing).toBeInstanceOf(perimeter.PerimeterError);
      expect(missing).toMatchObject({ code: "API", status: "NOT_FOUND" });
    } finally {
      await emulator.stop();
    }
  }
  const wrong = await perimeter.fleet.v1beta.getScope({ location: "global" }).catch((error) => error);
  expect(wrong).toBeInstanceOf(perimeter.InputError);
});

test("invalid credentials are a CredentialsError", async () => {
  delete process.env.PERIMETER_EMULATOR_HOST;
  process.env.GOOGLE_CREDENTIALS = JSON.stringify({ type: "no such type" });
  expect(await scope("team-a").catch((error) => error)).toBeInstanceOf(perimeter.CredentialsError);
});

test("a wrong configuration is a ConfigurationError", async () => {
  process.env.PERIMETER_GRANT_MODE = "append";
  expect(await scope("team-a").catch((error) => error)).toBeInstanceOf(perimeter.ConfigurationError);
});
`;

test("lookups work in plain jest, and errors are as documented", () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-jest-")));
  try {
    fs.symlinkSync(packedPackage().nodeModules, path.join(folder, "node_modules"), "junction");
    fs.writeFileSync(path.join(folder, "lookups.test.js"), TEST);
    fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ jest: { transform: {} } }));
    const jest = path.join(repositoryRoot, "node_modules/jest/bin/jest.js");
    const { HOME, PATH } = process.env;
    const ran = spawnSync(process.execPath, [jest, "--ci", "--colors=false"], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH, HOME },
    });
    expect(ran.stderr).toMatch(/Tests: +3 passed, 3 total/);
    expect(ran.status).toBe(0);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
