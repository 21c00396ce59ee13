/** Sees each rule of .dependency-cruiser.cjs accept what it should, and refuse what it should, in two trees of few lines. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

const root = path.join(__dirname, "../..");

type Files = Record<string, string>;

/** A module that imports these, and exports something. */
const importing = (...specifiers: string[]) =>
  [...specifiers.map((each) => `import "${each}";`), "export const it = 1;"].join("\n");

/** What every tree has: the settings that the rules read, and packages in its own node_modules. */
const project: Files = {
  "tsconfig.json": JSON.stringify({ compilerOptions: { module: "node16", moduleResolution: "node16" } }),
  "package.json": JSON.stringify({
    dependencies: { needed: "1.0.0" },
    devDependencies: { peer: "1.0.0", tester: "1.0.0" },
    peerDependencies: { peer: "1" },
  }),
  ...Object.fromEntries(
    ["needed", "peer", "tester", "stray"].flatMap((name) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0", main: "index.js" })],
      [`node_modules/${name}/index.js`, "module.exports = 1;"],
    ]),
  ),
};

/** Entry points, and an index of each layer that keeps the rules. */
const layers: Files = {
  "provider/dynamic/index.ts": importing("../runtime", "../version"),
  "provider/dynamic/backend.ts": importing("../runtime"),
  "provider/plugin/main.ts": importing("../runtime", "peer"),
  "provider/version.ts": importing("node:fs"),
  "provider/runtime/index.ts": importing("../services"),
  "provider/services/index.ts": importing("../iam", "../operations", "needed"),
  "provider/iam/index.ts": importing("../http"),
  "provider/operations/index.ts": importing("../http"),
  "provider/http/index.ts": importing("../core", "node:http"),
  "provider/core/index.ts": importing(),
  "provider/testing/clock.ts": importing("../http", "tester"),
  "provider/http/index.test.ts": importing("./index", "../testing/clock", "../services", "../../emulator", "tester"),
  "access/index.ts": importing("./review", "./formats"),
  "access/review.ts": importing("./plan", "./gate", "./rehearsal"),
  "access/plan/index.ts": importing("../result", "../../provider/runtime"),
  "access/result/index.ts": importing(),
  "access/condition/index.ts": importing("../result"),
  "access/gate/index.ts": importing("../condition"),
  "access/rehearsal/index.ts": importing("../plan", "../live"),
  "access/live/index.ts": importing("../plan"),
  "access/formats/index.ts": importing("../../picture/html"),
  "picture/html.ts": importing(),
  "emulator/index.ts": importing("needed", "./console/answer", "./control"),
  "emulator/console/answer.ts": importing("../../picture/html", "../http"),
  "emulator/control/index.ts": importing("../http"),
  "emulator/http/index.ts": importing("../services"),
  "emulator/services/index.ts": importing("./shelves", "./books", "../messages", "../list", "../auth", "../iam"),
  "emulator/services/shelves/index.ts": importing(),
  "emulator/services/books/index.ts": importing(),
  "emulator/iam/index.ts": importing("../state"),
  "emulator/auth/index.ts": importing("../state"),
  "emulator/list/index.ts": importing("../base"),
  "emulator/messages/index.ts": importing("../base"),
  "emulator/state/index.ts": importing("../base"),
  "emulator/base/index.ts": importing(),
  "cli/main.ts": importing("../emulator", "../access", "./doctor/tools"),
  "cli/doctor/tools.ts": importing("../../provider/runtime", "../../access/plan"),
  "tests/wire/a.test.ts": importing("../support/provider", "tester"),
  "tests/support/provider.ts": importing("../../provider/runtime"),
};

/** Runs the rules of this repository on a tree of these files: each violation as "rule: from -> to". */
function violations(files: Files): string[] {
  const tree = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-imports-"));
  try {
    for (const [name, content] of Object.entries({ ...project, ...files })) {
      const file = path.join(tree, name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, content);
    }
    const folders = [...new Set(Object.keys(files).map((name) => name.split("/")[0] ?? name))];
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        path.join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs"),
        ...["--config", path.join(root, ".dependency-cruiser.cjs"), "--output-type", "json", ...folders],
      ],
      { cwd: tree, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
    );
    if (!stdout) throw new Error(stderr);
    const { summary } = JSON.parse(stdout) as {
      summary: { violations: { from: string; to: string; rule: { name: string } }[] };
    };
    return summary.violations
      .map(({ rule, from, to }) => (from === to ? `${rule.name}: ${from}` : `${rule.name}: ${from} -> ${to}`))
      .sort();
  } finally {
    fs.rmSync(tree, { recursive: true, force: true });
  }
}

test("accepts a tree that follows the rules", () => {
  expect(violations(layers)).toEqual([]);
});

/** Each breaks one rule: a file of its own, what it imports, and where that is. */
const imports: [what: string, rule: string, file: string, specifier: string, leadsTo: string][] = [
  ["core on http", "layer-core", "provider/core/a.ts", "../http", "provider/http/index.ts"],
  ["a roundabout path", "layer-core", "provider/core/b.ts", "../../provider/core/../http", "provider/http/index.ts"],
  ["http on iam", "layer-http", "provider/http/a.ts", "../iam", "provider/iam/index.ts"],
  ["operations on iam", "layer-operations", "provider/operations/a.ts", "../iam", "provider/iam/index.ts"],
  ["iam on operations", "layer-iam", "provider/iam/a.ts", "../operations", "provider/operations/index.ts"],
  ["iam on the index of services", "layer-iam", "provider/iam/b.ts", "../services", "provider/services/index.ts"],
  ["services on runtime", "layer-services", "provider/services/a/b.ts", "../../runtime", "provider/runtime/index.ts"],
  ["runtime on a front", "layer-runtime", "provider/runtime/a.ts", "../plugin/main", "provider/plugin/main.ts"],
  [
    "the npm front on the plugin",
    "layer-dynamic",
    "provider/dynamic/a.ts",
    "../plugin/main",
    "provider/plugin/main.ts",
  ],
  ["the plugin on the npm front", "layer-plugin", "provider/plugin/a.ts", "../dynamic", "provider/dynamic/index.ts"],
  ["a folder without a row", "layer-without-a-row", "provider/new/a.ts", "../core", "provider/core/index.ts"],
  ["the provider on the emulator", "provider-alone", "provider/core/c.ts", "../../emulator", "emulator/index.ts"],
  ["the emulator on the provider", "emulator-alone", "emulator/a.ts", "../provider/core", "provider/core/index.ts"],
  ["its test on the provider", "emulator-alone", "emulator/b.test.ts", "../provider/core", "provider/core/index.ts"],
  ["the emulator's base on its state", "emulator-base", "emulator/base/a.ts", "../state", "emulator/state/index.ts"],
  [
    "the emulator's state on its services",
    "emulator-state",
    "emulator/state/a.ts",
    "../services",
    "emulator/services/index.ts",
  ],
  [
    "the emulator's messages on its state",
    "emulator-messages",
    "emulator/messages/a.ts",
    "../state",
    "emulator/state/index.ts",
  ],
  ["the emulator's lists on its HTTP", "emulator-list", "emulator/list/a.ts", "../http", "emulator/http/index.ts"],
  [
    "the emulator's credentials on its policies",
    "emulator-auth",
    "emulator/auth/a.ts",
    "../iam",
    "emulator/iam/index.ts",
  ],
  [
    "the emulator's policies on its services",
    "emulator-iam",
    "emulator/iam/a.ts",
    "../services",
    "emulator/services/index.ts",
  ],
  [
    "the emulator's services on its HTTP",
    "emulator-services",
    "emulator/services/a.ts",
    "../http",
    "emulator/http/index.ts",
  ],
  [
    "the emulator's HTTP on its control routes",
    "emulator-http",
    "emulator/http/a.ts",
    "../control",
    "emulator/control/index.ts",
  ],
  [
    "the emulator's control routes on its console",
    "emulator-control",
    "emulator/control/a.ts",
    "../console/answer",
    "emulator/console/answer.ts",
  ],
  [
    "the emulator's console on its control routes",
    "emulator-console",
    "emulator/console/a.ts",
    "../control",
    "emulator/control/index.ts",
  ],
  ["a layer of the emulator on its entry", "emulator-state", "emulator/state/b.ts", "../index", "emulator/index.ts"],
  [
    "a folder of the emulator without a row",
    "emulator-layer-without-a-row",
    "emulator/new/a.ts",
    "../base",
    "emulator/base/index.ts",
  ],
  [
    "an API on another",
    "emulator-apis-apart",
    "emulator/services/books/a.ts",
    "../shelves",
    "emulator/services/shelves/index.ts",
  ],
  ["a plan on its rehearsal", "access-plan", "access/plan/a.ts", "../rehearsal", "access/rehearsal/index.ts"],
  ["a format on the gate", "access-formats", "access/formats/a.ts", "../gate", "access/gate/index.ts"],
  [
    "a folder of access without a row",
    "access-layer-without-a-row",
    "access/new/a.ts",
    "../result",
    "access/result/index.ts",
  ],
  ["a review on a front", "access-on-layers", "access/a.ts", "../provider/dynamic", "provider/dynamic/index.ts"],
  [
    "the doctor on a front",
    "doctor-on-layers",
    "cli/doctor/a.ts",
    "../../provider/dynamic",
    "provider/dynamic/index.ts",
  ],
  ["the picture on a layer", "picture-alone", "picture/a.ts", "../provider/core", "provider/core/index.ts"],
  ["a layer on the picture", "picture-in-reports", "emulator/http/picture.ts", "../../picture/html", "picture/html.ts"],
  ["cli on the provider", "cli-on-entries", "cli/a.ts", "../provider/runtime", "provider/runtime/index.ts"],
  [
    "an example on a layer",
    "examples-as-users",
    "examples/a/index.ts",
    "../../provider/core",
    "provider/core/index.ts",
  ],
  ["code on a test", "tests-from-tests-only", "emulator/c.ts", "./b.test", "emulator/b.test.ts"],
  [
    "code on a helper of tests",
    "tests-from-tests-only",
    "tools/a.ts",
    "../provider/testing/clock",
    "provider/testing/clock.ts",
  ],
  ["a development dependency", "no-undeclared-package", "cli/b.ts", "tester", "node_modules/tester/index.js"],
  ["a package that is not declared", "no-undeclared-package", "cli/c.ts", "stray", "node_modules/stray/index.js"],
  ["an import that leads nowhere", "not-there", "cli/d.ts", "./absent", "./absent"],
];
/** Imports that are not written as a plain `import`, each in a file of its own. */
const otherForms: [what: string, file: string, content: string][] = [
  ["of a type", "provider/core/type.ts", 'import type { it } from "../http";\nexport type It = typeof it;'],
  ["by require", "provider/core/require.ts", 'export const later = () => require("../http");'],
  ["by import()", "provider/core/dynamic.ts", 'export const later = () => import("../http");'],
  ["by export from", "provider/core/export.ts", 'export * from "../http";'],
];
/** Circles of two files. */
const circles: [what: string, files: Files][] = [
  ["two files", { "emulator/base/circle/a.ts": importing("./b"), "emulator/base/circle/b.ts": importing("./a") }],
  [
    "types only",
    {
      "emulator/base/types/a.ts": 'import type { B } from "./b";\nexport type A = B | undefined;',
      "emulator/base/types/b.ts": 'import type { A } from "./a";\nexport interface B { a?: A }',
    },
  ],
  [
    "a require that runs later",
    {
      "emulator/base/later/a.ts": 'export const later = () => require("./b");',
      "emulator/base/later/b.ts": importing("./a"),
    },
  ],
];

/** Files that nobody imports, or a test only. */
const unused: [what: string, rule: string, file: string][] = [
  ["that nothing imports", "unused-shipped-module", "emulator/forgotten.ts"],
  ["that a test only imports", "unused-shipped-module", "emulator/tested.ts"],
  ["of the tests that none imports", "unused-module", "tests/support/forgotten.ts"],
];

/** A circle is reported once, from its first file. */
const circleOf = (files: Files) => `circle: ${Object.keys(files).join(" -> ")}`;

describe("refuses", () => {
  let found: string[];
  beforeAll(() => {
    found = violations({
      ...layers,
      ...Object.fromEntries(imports.map(([, , file, specifier]) => [file, importing(specifier)])),
      ...Object.fromEntries(otherForms.map(([, file, content]) => [file, content])),
      ...Object.fromEntries(unused.map(([, , file]) => [file, importing()])),
      ...Object.assign({}, ...circles.map(([, files]) => files)),
      "emulator/tested.test.ts": importing("./tested"),
    });
  });

  test.each(imports)("%s (%s)", (_what, rule, file, _specifier, leadsTo) => {
    expect(found).toContain(`${rule}: ${file} -> ${leadsTo}`);
  });

  test.each(otherForms)("an import %s", (_what, file) => {
    expect(found).toContain(`layer-core: ${file} -> provider/http/index.ts`);
  });

  test.each(circles)("a circle of %s", (_what, files) => {
    expect(found).toContain(circleOf(files));
  });

  test.each(unused)("a file %s (%s)", (_what, rule, file) => {
    expect(found).toContain(`${rule}: ${file}`);
  });

  test("nothing else", () => {
    const expected = [
      ...imports.map(([, rule, file, , leadsTo]) => `${rule}: ${file} -> ${leadsTo}`),
      ...otherForms.map(([, file]) => `layer-core: ${file} -> provider/http/index.ts`),
      ...unused.map(([, rule, file]) => `${rule}: ${file}`),
      ...circles.map(([, files]) => circleOf(files)),
    ];
    // Nothing imports the files above, which is a violation besides.
    expect(found.filter((each) => !expected.includes(each) && !each.startsWith("unused-"))).toEqual([]);
  });
});
