/** A job as in its image: a PATH with the programs that the image has, and the files of a release to download. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { repositoryRoot } from "./engine";

/**
 * The programs that every image of Pulumi has: those of Debian's slim image that scripts use, and `curl` and `git`, which the
 * Dockerfiles add. https://github.com/pulumi/pulumi-docker-containers/tree/main/docker. None has jq.
 */
const PROGRAMS = [
  ...[
    "sh",
    "bash",
    "cat",
    "cp",
    "mv",
    "rm",
    "mkdir",
    "mktemp",
    "dirname",
    "basename",
    "env",
    "head",
    "tail",
    "tr",
    "uname",
    "ls",
    "chmod",
  ],
  ...["sha256sum", "grep", "sed", "tar", "gzip", "sort", "cut", "wc", "date", "sleep", "id", "printf", "true", "false"],
  ...["git", "curl"],
];

export class ImagePath {
  /** The folder for PATH. */
  readonly folder: string;

  /**
   * @param folder is made
   * @param more other programs of the image, on this PATH
   * @param first a folder of programs that the test puts in the place of others: `npx`
   */
  constructor(folder: string, more: readonly string[], onPath: string, first?: string) {
    fs.mkdirSync(folder, { recursive: true });
    for (const name of [...PROGRAMS, ...more]) {
      const { stdout } = spawnSync("which", [name], { encoding: "utf8", env: { PATH: onPath } });
      if (stdout.trim() !== "") fs.symlinkSync(stdout.trim(), path.join(folder, name));
    }
    this.folder = first === undefined ? folder : `${first}:${folder}`;
  }
}

/** A folder with the files of a release, as GitHub has it at the address of its downloads. */
export class Releases {
  readonly env: Record<string, string>;
  private readonly archive: string;

  /** @param script what `perimeter` does */
  constructor(
    private readonly folder: string,
    version: string,
    script: string,
  ) {
    const own = path.join(folder, `v${version}`);
    fs.mkdirSync(own, { recursive: true });
    const system = process.platform === "darwin" ? "darwin" : "linux";
    const name = `perimeter-v${version}-${system}-${process.arch === "x64" ? "amd64" : process.arch}.tar.gz`;
    fs.writeFileSync(path.join(own, "perimeter"), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
    this.archive = path.join(own, name);
    execFileSync("tar", ["-czf", this.archive, "-C", own, "perimeter"]);
    const sum = createHash("sha256").update(fs.readFileSync(this.archive)).digest("hex");
    fs.writeFileSync(path.join(own, "SHA256SUMS"), `${"0".repeat(64)}  other-${name}\n${sum}  ${name}\n`);
    fs.copyFileSync(path.join(repositoryRoot, "ci/install.sh"), path.join(own, "install.sh"));
    this.env = { PERIMETER_RELEASES: `file://${folder}` };
  }

  breakArchive(): void {
    fs.appendFileSync(this.archive, "more");
  }

  remove(): void {
    fs.rmSync(this.folder, { recursive: true });
  }

  /** A PATH whose curl has the repository's own script, and the files of this folder, in place of those at GitHub. */
  withDownloads({ folder }: ImagePath): string {
    const bin = path.join(this.folder, "bin");
    fs.mkdirSync(bin);
    const curl = spawnSync("which", ["curl"], { encoding: "utf8" }).stdout.trim();
    const lines = [
      "#!/bin/bash",
      "for each; do case $each in",
      `  https://github.com/*/ci/install.sh) each=file://${repositoryRoot}/ci/install.sh ;;`,
      `  https://github.com/*/releases/download/*) each=file://${this.folder}/\${each##*/download/} ;;`,
      'esac; given+=("$each"); done',
      `exec '${curl}' "\${given[@]}"`,
    ];
    fs.writeFileSync(path.join(bin, "curl"), `${lines.join("\n")}\n`, { mode: 0o755 });
    return `${bin}:${folder}`;
  }
}
