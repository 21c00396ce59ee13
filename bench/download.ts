import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { counts } from "./framework/measure";
import { DYNAMIC, EXECUTABLE, GO_PEER, PLUGIN } from "./framework/names";
import { executableNotes } from "./framework/plugins";
import type { Bench, Row } from "./framework/table";
import { trees, type Tree } from "./framework/trees";
import { goPeer, goPeerNotes } from "./peers/go-plugin";

/** What is the size of the downloads, and on the disk? */

const MB = 1_000_000;

export const download: Bench = {
  name: "download",
  run(quick) {
    // Packing an executable of 100 MB takes seconds, so a quick run uses low compression.
    const level = quick ? 1 : 6;
    const { folder } = goPeer();
    const rows: Row[] = [
      ...(folder === undefined ? [] : [sizes(GO_PEER, filesOf(folder, /^pulumi-resource-/), level)]),
      ...trees().flatMap((tree) => ofTree(tree, level)),
    ];
    return Promise.resolve({
      title: "What is downloaded, MB of 1,000,000 bytes",
      of: "what",
      columns: [
        { key: "packed", title: "packed (gzip)", digits: 1 },
        { key: "plain", title: "on the disk", digits: 1 },
      ],
      rows,
      notes: ["The npm package is without its dependencies.", ...goPeerNotes(), ...executableNotes()],
    });
  },
};

function ofTree({ root, bin, executable, named }: Tree, level: number): Row[] {
  return [
    sizes(named(PLUGIN), filesOf(bin, /^pulumi-resource-perimeter$/), level),
    ...(executable === undefined ? [] : [sizes(named(EXECUTABLE), filesOf(executable, /^pulumi-resource-/), level)]),
    packed(named(DYNAMIC), root),
  ];
}

function sizes(name: string, files: readonly Buffer[], level: number): Row {
  const sum = (lengths: readonly number[]) => lengths.reduce((total, each) => total + each, 0) / MB;
  const [plain, gzip] = [
    sum(files.map((file) => file.length)),
    sum(files.map((file) => gzipSync(file, { level }).length)),
  ];
  return { name, figures: counts({ packed: gzip, plain }) };
}

function packed(name: string, root: string): Row {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error", "--no-update-notifier"];
  const [found] = JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" })) as [
    { size: number; unpackedSize: number },
  ];
  return { name, figures: counts({ packed: found.size / MB, plain: found.unpackedSize / MB }) };
}

function filesOf(folder: string, pattern: RegExp): Buffer[] {
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .map((name) => readFileSync(join(folder, name)));
}
