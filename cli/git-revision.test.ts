import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { readRules } from "./policy-file";

/** The rules of a git revision: what a change of the folder can do to them. */

const hasGit = spawnSync("git", ["--version"]).status === 0;
const describeHere = hasGit ? describe : describe.skip;
const STRICT = "version: 1\nmayGain: []\n";
const LOOSE = "version: 1\nunknown: allow\n";
const OPTIONS = { allowLoss: [], allowGain: [], newAccess: true };

describeHere(`--policy-from${hasGit ? "" : " [skipped: no git]"}`, () => {
  let root: string;
  const file = (name: string) => path.join(root, name);
  const git = (...args: string[]) => {
    const settings = ["user.name=test", "user.email=test@example.com", "commit.gpgsign=false", "core.autocrlf=false"];
    const all = [...settings.flatMap((each) => ["-c", each]), "-C", root, ...args];
    const { status, stderr } = spawnSync("git", all, { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, expect.anything()]);
  };
  function write(name: string, text: string): void {
    fs.mkdirSync(path.dirname(file(name)), { recursive: true });
    fs.writeFileSync(file(name), text);
  }
  function commit(): void {
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--message", "change");
  }
  const rulesFrom = (policyFrom: string, policy?: string, folder = "infra") =>
    readRules({ ...OPTIONS, policyFrom, ...(policy === undefined ? {} : { policy }) }, ".", file(folder));

  beforeEach(() => {
    root = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "perimeter-revision-")));
    git("init", "--quiet", "--initial-branch=main");
    write(".perimeter-review.yaml", STRICT);
    write("infra/Pulumi.yaml", "name: clinic");
    commit();
    git("checkout", "--quiet", "-b", "change");
  });
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

  const OF_MAIN = [{ file: "../.perimeter-review.yaml", policy: { version: 1, mayGain: [] } }];

  test("takes the rules of the revision, and says nothing else if the folder has the same", () => {
    expect(rulesFrom("main")).toEqual({
      ...{ allowLoss: [], allowGain: [], noNewAccess: false },
      ...{ files: OF_MAIN, revision: "main", warnings: [] },
    });
    expect(rulesFrom("refs/heads/main").revision).toBe("main");
    write(".perimeter-review.yaml", STRICT.replaceAll("\n", "\r\n"));
    expect(rulesFrom("main").warnings).toEqual([]);
  });

  test.each<[string, () => void, string]>([
    [
      "adds a file of its own",
      () => write("infra/.perimeter-review.yaml", LOOSE),
      ".perimeter-review.yaml is not in main: it was not used.",
    ],
    [
      "edits the rules of the root",
      () => write(".perimeter-review.yaml", LOOSE),
      "../.perimeter-review.yaml differs from the one in main, which was used.",
    ],
    [
      "edits them so that they cannot be read",
      () => write(".perimeter-review.yaml", "["),
      "../.perimeter-review.yaml differs from the one in main, which was used.",
    ],
    [
      "removes them",
      () => fs.rmSync(file(".perimeter-review.yaml")),
      "../.perimeter-review.yaml is in main but missing here: it was used.",
    ],
    [
      "replaces them by a broken link",
      () => {
        fs.rmSync(file(".perimeter-review.yaml"));
        fs.symlinkSync("nowhere", file(".perimeter-review.yaml"));
      },
      "../.perimeter-review.yaml differs from the one in main, which was used.",
    ],
  ])("a change that %s does not loosen the rules, and is named", (_, change, warning) => {
    change();
    commit();
    expect(rulesFrom("main")).toMatchObject({ files: OF_MAIN, warnings: [warning] });
    if (warning.includes("it was not used"))
      expect(rulesFrom("change").files).toEqual([
        ...OF_MAIN,
        { file: ".perimeter-review.yaml", policy: { version: 1, unknown: "allow" } },
      ]);
  });

  test("a file that --policy names is that of the revision, unless it is outside of the repository", () => {
    write("infra/rules.yaml", STRICT);
    commit();
    write("infra/rules.yaml", LOOSE);
    expect(rulesFrom("change", "rules.yaml")).toMatchObject({
      files: [{ file: "rules.yaml", policy: { mayGain: [] } }],
      warnings: ["rules.yaml differs from the one in change, which was used."],
    });
    expect(() => rulesFrom("main", "rules.yaml")).toThrow("rules.yaml is not in main, which --policy-from names");
    const shared = fs.mkdtempSync(path.join(tmpdir(), "perimeter-shared-"));
    try {
      fs.writeFileSync(path.join(shared, "rules.yaml"), LOOSE);
      const rules = rulesFrom("main", path.join(shared, "rules.yaml"));
      expect(rules.files).toEqual([
        { file: path.join(shared, "rules.yaml"), policy: { version: 1, unknown: "allow" } },
      ]);
      expect(rules).not.toHaveProperty("revision");
    } finally {
      fs.rmSync(shared, { recursive: true });
    }
  });

  test("without rules in the revision, there are none, whatever the folder has", () => {
    git("rm", "--quiet", ".perimeter-review.yaml");
    commit();
    write("infra/.perimeter-review.yaml", LOOSE);
    expect(rulesFrom("change")).toMatchObject({
      files: [],
      revision: "change",
      warnings: [".perimeter-review.yaml is not in change: it was not used."],
    });
  });

  test.each([
    ["origin/main", "--policy-from origin/main: this clone does not have it. Fetch it first: git fetch origin main"],
    ["--output=pwned", "it must be the name of a branch, a tag or a commit"],
    ["main:infra", "it must be the name of a branch, a tag or a commit"],
  ])("the revision %s is refused", (revision, message) => {
    expect(() => rulesFrom(revision)).toThrow(message);
  });

  test("mistakes in the revision are errors: two files, a link, a wrong property, no repository", () => {
    write(".perimeter-review.yml", STRICT);
    commit();
    expect(() => rulesFrom("change")).toThrow(/ in change has \.perimeter-review\.yaml and \.perimeter-review\.yml/);
    git("rm", "--quiet", ".perimeter-review.yml");
    write("infra/.perimeter-review.yaml", "version: 1\nmayGian: []");
    commit();
    expect(() => rulesFrom("change")).toThrow(".perimeter-review.yaml of change: mayGian is not a property here");
    fs.rmSync(file("infra/.perimeter-review.yaml"));
    fs.symlinkSync("../.perimeter-review.yaml", file("infra/.perimeter-review.yaml"));
    commit();
    expect(() => rulesFrom("change")).toThrow("infra/.perimeter-review.yaml is a link there, which is not followed");
    fs.rmSync(file(".git"), { recursive: true });
    expect(() => rulesFrom("main")).toThrow(/^--policy-from main: fatal: not a git repository/);
  });

  test("says what to do where git refuses the folder of another user", () => {
    process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER = "1";
    try {
      expect(() => rulesFrom("main")).toThrow(
        `--policy-from main: git refuses ${root}, because it belongs to another user, as in the container of a job. ` +
          `If you trust it: git config --global --add safe.directory '${root}'`,
      );
    } finally {
      delete process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER;
    }
  });
});
