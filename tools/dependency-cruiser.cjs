"use strict";

/**
 * Which file may import which. `make lint` runs it (dependency-cruiser).
 *
 * Imports point one way, so that a layer can be read, tested and changed without the layers above it. They are looked up
 * on the disk, type-only imports too: how a path is spelled makes no difference.
 */

/** For each folder of provider/, the folders below it. The two fronts know nothing of each other. */
const layers = {
  core: [],
  http: ["core"],
  operations: ["core", "http"],
  iam: ["core", "http"],
  services: ["core", "http", "operations", "iam"],
  runtime: ["core", "http", "operations", "iam", "services"],
  dynamic: ["core", "http", "operations", "iam", "services", "runtime"],
  plugin: ["core", "http", "operations", "iam", "services", "runtime"],
  testing: ["core", "http"],
};

/** For each folder of access/, the folders below it. Its files outside of folders are the ways through them. */
const accessLayers = {
  result: [],
  condition: ["result"],
  meaning: ["result"],
  plan: ["result", "meaning"],
  formats: ["result", "condition"],
  changes: ["result", "condition", "meaning", "plan"],
  live: ["result", "condition", "meaning", "plan", "changes"],
  gate: ["result", "condition", "meaning", "changes"],
  rehearsal: ["result", "meaning", "plan", "live"],
  files: ["result", "meaning", "plan", "live", "gate"],
};

/** For each folder of emulator/, the folders below it. Its files outside of folders put the emulator together. */
const emulatorLayers = {
  base: [],
  state: ["base"],
  messages: ["base"],
  list: ["base"],
  auth: ["base", "state"],
  iam: ["base", "state"],
  services: ["base", "state", "messages", "list", "auth", "iam"],
  http: ["base", "state", "messages", "auth", "iam", "services"],
  control: ["base", "state", "messages", "auth", "iam", "services", "http"],
  console: ["base", "state", "auth", "http"],
};

/** Facts about the installed package that any layer may need for a message. */
const inAllLayers = "^provider/(command|version)\\.ts$";

const ours = "^(access|picture|provider|emulator|cli|tests|tools|bench|examples)/";
/** What is in the npm package. */
const shipped = "^(access|picture|provider|emulator|cli)/";
const picture = "^picture/";
const test = "\\.test\\.ts$";
/** Code that runs in tests only. Tests beside the code may import any layer. */
const forTests = [test, "/testing/", "^tests/"];
/** The layers of a folder, as a pattern. */
const layersIn = (folder, names) => `^${folder}/(${names.join("|")})/`;

/**
 * The rules of a folder whose layers import downwards.
 *
 * @param rows for each layer, those below it.
 * @param open what every layer may import.
 * @param unlayered layers without a row, which may import all others.
 */
function layerRules(folder, rows, { open = [], unlayered = [] } = {}) {
  const within = `^${folder}/`;
  return [
    ...Object.entries(rows).map(([layer, below]) => ({
      name: `${folder}-${layer}`,
      comment: `${folder}/${layer} may import from ${below.length ? `these layers only: ${below.join(", ")}` : "no other layer"}.`,
      severity: "error",
      from: { path: layersIn(folder, [layer]), pathNot: test },
      to: { path: within, pathNot: [layersIn(folder, [layer, ...below]), ...open] },
    })),
    {
      name: `${folder}-layer-without-a-row`,
      comment: `A folder of ${folder}/ needs a row in the table of its layers (tools/dependency-cruiser.cjs).`,
      severity: "error",
      from: { path: `${within}[^/]+/`, pathNot: [layersIn(folder, [...Object.keys(rows), ...unlayered]), test] },
      to: { path: within },
    },
  ];
}

/** The files that something other than an import starts: npm, Node.js, the engine, make, jest or a test. */
const shippedEntries = [
  "^provider/dynamic/(index|backend)\\.ts$",
  "^provider/plugin/main\\.ts$",
  "^access/index\\.ts$",
  "^emulator/index\\.ts$",
  // `make generate` bundles the page of the console, and Preact with it, into emulator/console/generated/.
  "^emulator/console/page/main\\.tsx$",
  "^cli/main\\.ts$",
];
/** What a bundle is made of: the packages it imports are in the bundle. */
const bundled = "^emulator/console/page/";
const otherEntries = [
  test,
  "^tools/(prepare|dependency-cruiser|closing-line-reporter|register|longest-first|test-environment|quick-tests)\\.cjs$",
  "^tools/(build-plugin|build-plugin-entry|discovery/main|generate/main|demo/main|pictures/main|console/screenshots|release/main|release/record-states|lint)\\.ts$",
  "^bench/main\\.ts$",
  // Programs that the real engine runs.
  "^bench/(programs|peers)/[^/]+\\.cjs$",
  "^examples/[^/]+/[^/]+\\.ts$",
  "^tests/engine/node-lines/smoke\\.cjs$",
  "^tests/support/lazy-packages\\.cjs$",
];

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...layerRules("provider", layers, { open: [inAllLayers] }),
    ...layerRules("access", accessLayers),
    ...layerRules("emulator", emulatorLayers, { unlayered: ["testing"] }),
    {
      name: "access-on-layers",
      comment:
        "Reviews use the layers of the provider below the two fronts, its version and command, and nothing else of ours.",
      severity: "error",
      from: { path: "^access/", pathNot: test },
      to: { path: ours, pathNot: ["^access/", picture, layersIn("provider", layers.dynamic), inAllLayers] },
    },
    {
      name: "emulator-apis-apart",
      comment: "The APIs know nothing of each other: what two of them need stands beside their folders.",
      severity: "error",
      from: { path: "^emulator/services/([^/]+)/", pathNot: test },
      to: { path: "^emulator/services/[^/]+/", pathNot: "^emulator/services/$1/" },
    },
    {
      name: "provider-alone",
      comment:
        "The provider shares no code with the emulator, so that a wrong name cannot agree with itself; nor with tools.",
      severity: "error",
      from: { path: "^provider/", pathNot: test },
      to: { path: ours, pathNot: "^provider/" },
    },
    {
      name: "emulator-alone",
      comment:
        "The emulator and its tests are written from the documentation of the APIs, and share no code with the rest. Its tests " +
        "share what knows nothing of the APIs: which cases `make test` runs, counts of steps, random characters.",
      severity: "error",
      from: { path: "^emulator/" },
      to: { path: ours, pathNot: ["^emulator/", picture, "^tests/support/(test-all|steps|random-text)\\.ts$"] },
    },
    {
      name: "picture-alone",
      comment: "The access picture is a function of policies: it knows nothing of whose policies they are.",
      severity: "error",
      from: { path: picture },
      to: { path: ours, pathNot: picture },
    },
    {
      name: "picture-in-reports",
      comment:
        "The access picture is the only code that emulator and reviews share: it draws the answers of both, and decides nothing.",
      severity: "error",
      from: { path: "^(access|emulator|cli)/", pathNot: ["^emulator/console/", "^access/formats/"] },
      to: { path: picture },
    },
    {
      name: "cli-on-entries",
      comment:
        "A command uses what users can import, the form of addresses, periods and messages, the search for a project, and the package's own names. The doctor and `version` have a rule of their own.",
      severity: "error",
      from: { path: "^cli/", pathNot: ["^cli/(doctor/|version)", test] },
      to: {
        path: ours,
        pathNot:
          "^(cli|emulator/index\\.ts$|access/index\\.ts$|access/condition/period\\.ts$|access/result/visible\\.ts$|provider/(command|version|core/config/address|runtime/pulumi-project)\\.ts$)",
      },
    },
    {
      name: "doctor-on-layers",
      comment:
        "The doctor and `version` work with the layers of the provider below the two fronts, and with what runs Pulumi and reads policies.",
      severity: "error",
      from: { path: "^cli/(doctor/|version)", pathNot: test },
      to: { path: ours, pathNot: ["^(cli|access)/", layersIn("provider", layers.dynamic), inAllLayers] },
    },
    {
      name: "examples-as-users",
      comment: "An example imports what a user can import: the package by its name.",
      severity: "error",
      from: { path: "^examples/" },
      to: { path: ours, pathNot: ["^examples/", "^provider/dynamic/index\\.ts$"] },
    },
    {
      name: "tests-from-tests-only",
      comment: "What is there for tests is imported by tests only.",
      severity: "error",
      from: { path: ours, pathNot: forTests },
      to: { path: [test, "/testing/"] },
    },
    {
      name: "no-undeclared-package",
      comment: "Shipped code imports `dependencies` and peers only: a development dependency is not there for a user.",
      severity: "error",
      from: { path: shipped, pathNot: [...forTests, bundled] },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["npm", "npm-peer"] },
    },
    {
      name: "circle",
      // Circles of types only do no harm at run time. They are refused too: files that need each other can only be read
      // together, so they are one subject, or one of them holds a second. And for two files in several circles,
      // dependency-cruiser looks at one circle alone: a circle of types would hide another one.
      comment: "Files that import each other can only be read together. Move what both need to a file of its own.",
      severity: "error",
      // Pulumi's generators write types of nested objects this way, and the generated files follow them.
      from: { pathNot: "^provider/dynamic/generated/" },
      to: { circular: true },
    },
    {
      name: "not-there",
      comment: "The import leads nowhere.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "unused-shipped-module",
      comment: "No entry point of the package reaches this file: users get it for nothing, or only a test uses it.",
      severity: "error",
      from: { path: shippedEntries },
      to: { path: shipped, pathNot: [...forTests, ...shippedEntries], reachable: false },
    },
    {
      name: "unused-module",
      comment: "Neither a test nor a command reaches this file.",
      severity: "error",
      from: { path: otherEntries },
      to: {
        path: "^(tests|tools|bench|examples|provider/testing|emulator/testing)/",
        pathNot: otherEntries,
        reachable: false,
      },
    },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    // Files for a copy of the tree, where tests/docs/recipe.test.ts compiles them.
    exclude: { path: "^tests/docs/recipe/" },
    doNotFollow: { path: "(^|/)node_modules/" },
  },
};
