import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CloudObject } from "../core/reference";
import { Claims } from "../core/claims";
import { RunLog } from "./run-log";

const grant: CloudObject = {
  url: "https://a/",
  name: "projects/demo-secret/stores/s",
  within: ["user:ada@example.com"],
};

let base: string;
let warnings: string[];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "perimeter-log-")));
  warnings = [];
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const address = () => `127.0.0.1:${randomUUID()}`;
const runs = () => join(base, ".cache/perimeter/runs");
/** What one provider process of a run has. */
const logOf = (run: string, engine = process.pid, environment: Record<string, string> = { HOME: base }) =>
  new RunLog(run, environment, (message) => void warnings.push(message), engine);
const left = () => (existsSync(runs()) ? readdirSync(runs()) : []);
const files = () => left().map((name) => join(runs(), name));
const textOf = (file: string) => readFileSync(file, "utf8");
/** Makes what this process wrote the lines of one that is dead. */
const kill = (file: string) => writeFileSync(file, textOf(file).replaceAll(`["${process.pid}-`, `["${deadProcess()}-`));

/** A resource of this process that holds the grant. */
function holding(log: RunLog, identity = "v"): Claims {
  const claims = new Claims(log);
  claims.declare(grant, identity);
  claims.noteCreated(grant, identity);
  return claims;
}

const isHeld = (log: RunLog) => new Claims(log).others(grant, "u").some(({ holds }) => holds);

/** A process that has ended. */
const deadProcess = () => spawnSync(process.execPath, ["-e", ""]).pid;

describe("facts of one run in several processes", () => {
  test("all processes of a run read the facts of one process; other runs do not", () => {
    const run = address();
    const [one, two, three, other] = [logOf(run), logOf(run), logOf(run), logOf(address())];
    holding(one);
    expect([isHeld(two), isHeld(other)]).toEqual([true, false]);
    expect(new Claims(three).others({ ...grant, url: "https://b/" }, "u")).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test("a process reads the file for a question only, and only after another process has written", () => {
    const run = address();
    const [claims, others] = [holding(logOf(run)), new Claims(logOf(run))];
    const [own, foreign] = ["t", "u"].map((store) => ({ ...grant, name: `projects/demo-secret/stores/${store}` }));
    expect(others.isManaged(grant)).toBe(true);
    const read = jest.spyOn(fs, "readSync");
    const reads = () => read.mock.calls.length;
    claims.declare([grant, own!], "w");
    others.declare(foreign!, "x");
    expect(reads()).toBe(0);
    expect([claims.isManaged(foreign!), reads()]).toEqual([true, 1]);
    claims.declare(own!, "y");
    expect([claims.isManaged(own!), claims.isManaged(foreign!), reads()]).toEqual([true, true, 1]);
    read.mockRestore();
  });

  test("all processes read all facts in the same order, each fact once", () => {
    const run = address();
    const [one, two] = [logOf(run), logOf(run)];
    const claims = [new Claims(one), new Claims(two)] as const;
    const other = { ...grant, within: ["user:b@example.com"] };
    claims[0].declare(grant, "v");
    claims[1].declare(other, "w");
    claims[0].noteCreated(grant, "v");
    const reader = logOf(run);
    const read = () =>
      [reader, one, two].map((log) =>
        log
          .facts()
          .map(({ kind, by }) => `${kind} ${by}`)
          .join(),
      );
    const three = "declared v,declared w,made v";
    expect(read()).toEqual([three, three, three]);
    claims[1].noteCreated(other, "w");
    const four = `${three},made w`;
    expect(read()).toEqual([four, four, four]);
    expect(read()).toEqual([four, four, four]);
  });

  test("other users cannot read the facts, and they contain neither members nor names of cloud resources", () => {
    holding(logOf(address()));
    expect(statSync(runs()).mode & 0o777).toBe(0o700);
    expect(files()).toHaveLength(1);
    for (const file of files()) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(textOf(file)).not.toMatch(/ada@|stores|https:|demo-secret/);
    }
  });

  test("an incomplete line of another process is read when it is complete", () => {
    const run = address();
    const two = logOf(run);
    expect(two.facts()).toEqual([]);
    const [file = ""] = files();
    fs.appendFileSync(file, '["1-x","declared","v",');
    expect(two.facts()).toEqual([]);
    fs.appendFileSync(file, '"o","p"]\n');
    expect([two.facts(), two.problem]).toEqual([[{ kind: "declared", by: "v", object: "o", project: "p" }], undefined]);
  });
});

describe("removal of files", () => {
  test("a run without facts makes no file", () => {
    logOf(address());
    expect(readdirSync(base)).toEqual([]);
  });

  test("the facts of a killed process are valid while the engine is running", () => {
    const run = address();
    holding(logOf(run));
    const [file = ""] = files();
    kill(file);
    expect(isHeld(logOf(run))).toBe(true);
  });

  test("a delete of a killed process counts as ended: a resource that declares the object reads it", () => {
    const run = address();
    const claims = new Claims(logOf(run));
    void claims.remove(grant, "u", { whyUnclear: () => "", remove: () => new Promise(() => {}) });
    return Promise.resolve().then(() => {
      const [file = ""] = files();
      kill(file);
      const two = logOf(run);
      const read = () => two.facts().map(({ kind }) => kind);
      expect(read()).toEqual(["leaves", "removing"]);
      expect(read()).toEqual(["leaves", "removing", "removed"]);
      expect(read()).toHaveLength(3);
    });
  });

  test("the next run removes the files of runs whose engine has ended, and keeps others", () => {
    holding(logOf(address()));
    holding(logOf(address(), deadProcess()));
    expect(left()).toHaveLength(2);
    const next = logOf(address());
    holding(next);
    expect(left()).toHaveLength(2);
    expect(left().every((name) => name.startsWith(`${process.pid}-`))).toBe(true);
  });

  test("a process id that another process uses now does not count as the engine", async () => {
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    holding(logOf(address(), other.pid));
    const [name = ""] = left();
    const parts = name.split("-");
    expect(parts[0]).toBe(String(other.pid));
    const stale = join(runs(), [parts[0], "1", parts[2], "0123456789ab"].join("-"));
    writeFileSync(stale, "");
    holding(logOf(address()));
    expect(existsSync(stale)).toBe(process.platform !== "linux");
    expect(left()).toContain(name);
    other.kill();
    await new Promise((resolve) => other.once("exit", resolve));
  });

  test("keeps the files of runs on another machine or container for a week", () => {
    const [young, old] = ["1-1-aaaaaaaaaaaa-1", "1-1-bbbbbbbbbbbb-1"].map((name) => join(runs(), name)) as [
      string,
      string,
    ];
    mkdirSync(runs(), { recursive: true, mode: 0o700 });
    chmodSync(runs(), 0o700);
    for (const each of [young, old]) writeFileSync(each, "");
    utimesSync(old, new Date(), new Date(Date.now() - 8 * 24 * 60 * 60_000));
    holding(logOf(address()));
    expect([existsSync(young), existsSync(old)]).toEqual([true, false]);
    expect(warnings).toEqual([]);
  });
});

describe("the folder of the file", () => {
  test("is the user's runtime folder, if it is private", () => {
    const runtime = join(base, "run");
    mkdirSync(runtime, { mode: 0o700 });
    const log = logOf(address(), process.pid, { HOME: base, XDG_RUNTIME_DIR: runtime });
    holding(log);
    expect([readdirSync(join(runtime, "perimeter")), left()]).toMatchObject([{ length: 1 }, []]);
    chmodSync(runtime, 0o755);
    const other = logOf(address(), process.pid, { HOME: base, XDG_RUNTIME_DIR: runtime });
    holding(other);
    expect(left()).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test.each<[string, (folder: string) => void, RegExp]>([
    ["is a file", (folder) => writeFileSync(folder, ""), /cannot be made \(.*(EEXIST|ENOTDIR)/],
    ["is a link to elsewhere", (folder) => symlinkSync(base, folder), /is not a folder/],
    ["is open to others", (folder) => (mkdirSync(folder), chmodSync(folder, 0o777)), /is open to other users/],
  ])(
    "a folder in the temporary folder that %s is not used, and a warning says that nothing is deleted, and what to do",
    (_what, occupy, why) => {
      const name = `perimeter-${process.getuid?.() ?? "user"}`;
      occupy(join(base, name));
      const environment = { HOME: join(base, "none"), TMPDIR: base };
      const [one, two] = [1, 2].map(() => logOf("here", process.pid, environment)) as [RunLog, RunLog];
      const claims = holding(one);
      expect(isHeld(two)).toBe(false);
      // Within the process, all is known.
      expect(claims.others(grant, "u")).toEqual([{ identity: "v", holds: true }]);
      expect(warnings).toHaveLength(2);
      expect(warnings[0]).toMatch(why);
      expect(warnings[0]).toMatch(
        /deletes none of them: .*Set XDG_RUNTIME_DIR, HOME, PULUMI_HOME or TMPDIR to a folder/,
      );
      expect([one.problem, two.problem]).toEqual(Array(2).fill(expect.stringMatching(why)));
      expect(readdirSync(base)).toEqual([name]);
    },
  );

  test("is Pulumi's home if neither the runtime folder nor the user's home is writable", () => {
    const pulumi = join(base, "pulumi");
    const runtime = join(base, "run");
    mkdirSync(pulumi);
    mkdirSync(runtime, { mode: 0o700 });
    writeFileSync(join(base, ".cache"), "");
    // A user other than root gets this for a folder of mode 0500.
    const { accessSync } = fs;
    jest.spyOn(fs, "accessSync").mockImplementation((path, mode) => {
      if (path === runtime) throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
      accessSync(path, mode);
    });
    const run = address();
    const environment = { HOME: base, XDG_RUNTIME_DIR: runtime, PULUMI_HOME: pulumi };
    const [one, two] = [1, 2].map(() => logOf(run, process.pid, environment)) as [RunLog, RunLog];
    holding(one);
    expect(isHeld(two)).toBe(true);
    expect([readdirSync(join(pulumi, "perimeter/runs")), warnings, one.problem]).toMatchObject([
      { length: 1 },
      [],
      undefined,
    ]);
    jest.restoreAllMocks();
  });

  test("if the folder disappears, processes share no facts, and a warning says so", () => {
    const log = logOf(address());
    const claims = holding(log);
    rmSync(base, { recursive: true });
    claims.declare({ ...grant, within: ["another"] }, "w");
    claims.declare({ ...grant, within: ["one more"] }, "x");
    expect(warnings).toHaveLength(1);
    expect(log.problem).toContain("the file that they share was removed");
  });

  test("on a full disk, the other processes know that facts are missing", () => {
    const run = address();
    const [one, two] = [logOf(run), logOf(run)];
    const claims = holding(one);
    const others = new Claims(two);
    expect([others.others(grant, "u"), two.problem]).toEqual([[{ identity: "v", holds: true }], undefined]);
    jest.spyOn(fs, "writeSync").mockImplementationOnce(() => {
      throw new Error("ENOSPC: no space left on device");
    });
    const another = { ...grant, within: ["another"] };
    claims.declare(another, "w");
    // Within the process, all is known.
    expect(claims.others(another, "u")).toEqual([{ identity: "w", holds: false }]);
    expect(others.others(grant, "u")).toHaveLength(1);
    expect([one.problem, two.problem]).toEqual([
      expect.stringContaining("ENOSPC"),
      expect.stringContaining("another provider process could not write what its resources declare"),
    ]);
  });

  test("a partly written line does not damage other lines", () => {
    const run = address();
    const [one, two] = [logOf(run), logOf(run)];
    holding(one);
    fs.appendFileSync(files()[0] as string, '["1-x","wa');
    holding(one, "w");
    const others = new Claims(two).others(grant, "u");
    expect([others.map(({ identity }) => identity), two.problem]).toEqual([
      ["v", "w"],
      expect.stringContaining("JSON"),
    ]);
    expect(warnings).not.toEqual([]);
  });

  const isRoot = process.getuid?.() === 0;
  (isRoot ? test : test.skip)("a folder of another user is not used", () => {
    const name = join(base, "perimeter-0");
    mkdirSync(name, { mode: 0o700 });
    spawnSync("chown", ["65534", name]);
    holding(logOf("here", process.pid, { HOME: join(base, "none"), TMPDIR: base }));
    expect(warnings).toEqual([expect.stringContaining("belongs to another user")]);
    expect(readdirSync(name)).toEqual([]);
  });
});
