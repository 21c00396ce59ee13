/** A folder as a clone of a repository, whose branches a job fetches. */
import { execFileSync } from "node:child_process";

const SETTINGS = ["user.name=test", "user.email=test@example.com", "commit.gpgsign=false"].flatMap((each) => [
  "-c",
  each,
]);

export class Origin {
  /** @param folder becomes a repository. Its origin is a new one beside it */
  constructor(private readonly folder: string) {
    const origin = `${folder}-origin.git`;
    execFileSync("git", ["init", "--quiet", "--bare", origin]);
    this.git("init", "--quiet", "--initial-branch=pull-request");
    this.git("remote", "add", "origin", origin);
  }

  /** Makes a branch of the origin with only these files of the folder. The clone does not know it until it fetches. */
  push(branch: string, ...files: string[]): void {
    this.git("checkout", "--quiet", "--orphan", "pushed");
    this.git("rm", "-r", "--quiet", "--cached", "--ignore-unmatch", ".");
    if (files.length > 0) this.git("add", ...files);
    this.git("commit", "--quiet", "--allow-empty", "--message", branch);
    this.git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
    this.git("update-ref", "-d", `refs/remotes/origin/${branch}`);
    this.git("symbolic-ref", "HEAD", "refs/heads/pull-request");
    this.git("branch", "--quiet", "-D", "pushed");
  }

  private git(...args: string[]): void {
    execFileSync("git", [...SETTINGS, "-C", this.folder, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  }
}
