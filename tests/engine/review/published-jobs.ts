/**
 * What the jobs that the repository publishes run with: the documented stack as a clone of a repository, and the command
 * that its project has installed. The command is the packed one, or runs in this process and reviews a plan that was made
 * before, or its answer is replayed.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { emptyAnswer } from "../../support/answers";
import type { CommandEnd } from "../../support/command";
import { runPackage, type Asked } from "../../support/command-service";
import { DocumentedStack } from "../../support/documented-stack";
import { repositoryRoot } from "../../support/engine";
import { ImagePath, Releases } from "../../support/image-path";
import { Origin } from "../../support/origin";
import { packedPackage } from "../../support/pack";

export const { version } = JSON.parse(fs.readFileSync(path.join(repositoryRoot, "package.json"), "utf8")) as {
  version: string;
};

type Npx = (asked: Asked) => Promise<CommandEnd>;

/** What the command leaves: its exit code, and the text of the files that it writes. */
export interface Replayed {
  code: number;
  text: string;
  json?: string;
}

/** Where the answer of the command comes from. Without one, the packed command runs. */
export type Answer = Replayed | Npx;

/** It leaves files, too, as a command that fails while it writes them. */
export const FAILURE: Replayed = { code: 1, text: "half an answer" };

export const review = (text: string, code: 0 | 2 | 3 = 2, about: { project?: string } = {}): Replayed => ({
  code,
  text,
  json: JSON.stringify(emptyAnswer(text, { exitCode: code, ...about })),
});

/** What a project has, and whether its own version of the package runs. */
const PROJECTS: [string, { manifest?: string; installed?: string; mirror?: boolean }, boolean][] = [
  ["without a package.json", {}, false],
  ["with a package.json of other packages", { manifest: "{}" }, false],
  ["that names the package and has not installed it", { manifest: "uses it" }, false],
  ["that has installed the package", { manifest: "uses it", installed: "." }, true],
  ["below the folder that has installed it", { manifest: "{}", installed: ".." }, true],
  ["that has installed it, where PERIMETER_RELEASES is set", { installed: ".", mirror: true }, false],
];

export class PublishedJobs {
  /** The arguments of the command, in one line, without the files that it writes; undefined if it did not run. */
  given: string | undefined;

  private constructor(
    readonly scene: DocumentedStack,
    readonly origin: Origin,
    /** Reviews the plan of the stack's update. */
    readonly ofPlan: Npx,
  ) {}

  static async create(): Promise<PublishedJobs> {
    const scene = await DocumentedStack.create();
    const ofPlan = (await scene.plan())();
    const origin = new Origin(scene.project.dir);
    origin.push("main");
    return new PublishedJobs(scene, origin, ofPlan);
  }

  dispose(): Promise<void> {
    return this.scene.dispose();
  }

  /** A path beside the project. */
  fileOf(name: string): string {
    return path.join(this.scene.project.dir, "..", name);
  }

  /** The PATH of a job, whose project has installed the package. */
  pathWith(answer?: Answer): string {
    const own = this.scene.project.env.PATH ?? "";
    this.given = undefined;
    if (answer === undefined) {
      this.scene.installPackage(path.join(packedPackage().nodeModules, ".bin/pulumi-perimeter"));
      return own;
    }
    this.scene.installPackage();
    this.scene.npx = (asked) => {
      const { args } = asked;
      if (args.includes("publish"))
        return runPackage({ ...asked, args: ["pulumi-perimeter", ...args.slice(args.indexOf("publish"))] });
      this.given = args.filter((each, at, all) => each !== "--output" && all[at - 1] !== "--output").join(" ");
      return typeof answer === "function" ? answer(asked) : replay(answer, asked);
    };
    return `${this.scene.bin}:${own}`;
  }

  /** A release whose one file answers, and a PATH without Node.js, whose npx would run what anybody published. */
  theOneFile(name: string, ofVersion = version): { image: ImagePath; releases: Releases } {
    const takeover = this.fileOf(`takeover-of-${name}`);
    fs.mkdirSync(takeover);
    fs.writeFileSync(path.join(takeover, "npx"), "#!/bin/sh\necho npx ran >&2\nexit 70\n", { mode: 0o755 });
    return {
      image: new ImagePath(this.fileOf(`image-of-${name}`), ["pulumi"], this.scene.project.env.PATH ?? "", takeover),
      releases: new Releases(
        this.fileOf(`releases-of-${name}`),
        ofVersion,
        `[ "$1" != --which ] || { echo one file; exit; }; exec '${this.scene.bin}/npx' 'one file' "$@"`,
      ),
    };
  }

  /** @param chooses the part of a job that chooses the command: its own version only in a project that installed it */
  async expectChoice(chooses: string): Promise<void> {
    const { image, releases } = this.theOneFile("choice");
    const workspace = this.fileOf("workspace-of-choice");
    const download = releases.withDownloads(image);
    for (const [at, [title, { manifest, installed, mirror }, own]] of PROJECTS.entries()) {
      fs.rmSync(workspace, { recursive: true, force: true });
      const folder = path.join(workspace, "an infra");
      fs.mkdirSync(folder, { recursive: true });
      if (manifest !== undefined)
        fs.writeFileSync(
          path.join(folder, "package.json"),
          manifest === "{}" ? manifest : '{ "dependencies": { "pulumi-perimeter": "*" } }',
        );
      if (installed !== undefined) {
        const bin = path.join(folder, installed, "node_modules/.bin");
        fs.mkdirSync(bin, { recursive: true });
        fs.writeFileSync(path.join(bin, "pulumi-perimeter"), "#!/bin/sh\necho own\n", { mode: 0o755 });
      }
      const { code, stdout, stderr } = await this.scene.shell(
        `fail() { exit 70; }; cd '${folder}'\n${chooses}\n$PERIMETER_WORDS --which`,
        {
          ...(mirror && releases.env),
          PATH: download,
          PERIMETER_VERSION: version,
          PERIMETER_FILE: this.fileOf("a file"),
          GITHUB_ACTION_PATH: repositoryRoot,
          GITHUB_WORKSPACE: workspace,
          GITHUB_OUTPUT: "/dev/null",
          CI_PROJECT_DIR: workspace,
          CI_JOB_ID: `${at}`,
        },
      );
      expect({ title, code, stdout, stderr }).toEqual({
        title,
        code: 0,
        stdout: own ? "own\n" : "one file\n",
        stderr: "",
      });
    }
  }
}

function replay({ code, text, json = text }: Replayed, { args, cwd }: Asked): Promise<CommandEnd> {
  const files = args.filter((_each, at) => args[at - 1] === "--output");
  for (const each of files)
    fs.writeFileSync(
      path.resolve(cwd, each.replace(/^[a-z]+=/, "")),
      each.endsWith(".json") && !each.includes("=") ? json : text,
    );
  return Promise.resolve({ code, stdout: "", stderr: code === 1 ? `error: failed with ${args.join(" ")}\n` : "" });
}
