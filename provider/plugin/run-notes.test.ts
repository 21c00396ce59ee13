import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
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
import type { CloudObject } from "../core/cloud-object";
import { Holders } from "../core/holders";
import { ObjectNotes } from "../core/object-notes";
import { RunNotes } from "./run-notes";

const grant: CloudObject = { url: "https://a/", name: "projects/demo-secret/stores/s", part: "user:ada@example.com" };

let base: string;
let warnings: string[];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "perimeter-notes-")));
  warnings = [];
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const address = () => `127.0.0.1:${randomUUID()}`;
const runs = () => join(base, ".cache/perimeter/runs");
/** What one provider process of a run has. */
const notesOf = (run: string, engine = process.pid, environment: Record<string, string> = { HOME: base }) =>
  new RunNotes(run, environment, (message) => void warnings.push(message), engine);
const left = () => (existsSync(runs()) ? readdirSync(runs()) : []);
const files = () =>
  left().flatMap((folder) => readdirSync(join(runs(), folder)).map((name) => join(runs(), folder, name)));

/** A resource of this process that holds the grant. */
function holding(notes: RunNotes, identity = "v"): Holders {
  const holders = new Holders(new ObjectNotes(notes));
  holders.declare(grant, identity);
  holders.made(grant, identity);
  return holders;
}

const isHeld = (notes: RunNotes) => new Holders(new ObjectNotes(notes)).others(grant, "u").some(({ holds }) => holds);

/** A process that has ended. */
const deadProcess = () => spawnSync(process.execPath, ["-e", ""]).pid;

describe("notes of one run in several processes", () => {
  test("what one process notes, the others know; other runs do not", () => {
    const run = address();
    const [one, two, other] = [notesOf(run), notesOf(run), notesOf(address())];
    holding(one);
    expect([isHeld(two), isHeld(other)]).toEqual([true, false]);
    expect(new Holders(new ObjectNotes(two)).others({ ...grant, url: "https://b/" }, "u")).toEqual([]);
    for (const each of [one, two, other]) each.end();
    expect(warnings).toEqual([]);
  });

  test("notes go on where the last look ended, and each is read once", () => {
    const run = address();
    const [one, two] = [notesOf(run), notesOf(run)];
    const holders = holding(one);
    expect(two.news().map(({ kind }) => kind)).toEqual(["declared", "made"]);
    holders.declare({ ...grant, part: "user:b@example.com" }, "v");
    expect(two.news().map(({ kind }) => kind)).toEqual(["declared"]);
    expect(two.news()).toEqual([]);
  });

  test("another spelling of the project is found across processes", async () => {
    const run = address();
    const [one, two] = [notesOf(run), notesOf(run)];
    holding(one);
    const asked: string[] = [];
    const fate = await new Holders(new ObjectNotes(two)).remove({ ...grant, name: "projects/123/stores/s" }, "u", {
      isSame: (name) => {
        asked.push(name);
        return Promise.resolve(true);
      },
      remove: () => Promise.reject(new Error("removed")),
    });
    expect([fate.kind, asked]).toEqual(["held", [grant.name]]);
  });

  test("nobody else can read them, and they show neither a name nor a member, nor confirm a guess", () => {
    holding(notesOf(address()), "urn:secret");
    expect(statSync(runs()).mode & 0o777).toBe(0o700);
    expect(files()).toHaveLength(2);
    for (const file of files()) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, "latin1")).not.toMatch(/ada|secret|demo|stores|https/);
    }
    const before = files().map((file) => readFileSync(file, "latin1"));
    rmSync(base, { recursive: true });
    mkdirSync(base);
    holding(notesOf(address()), "urn:secret");
    const after = files().map((file) => readFileSync(file, "latin1"));
    const words = (texts: string[]) => texts.flatMap((text) => text.split(/\s/)).filter((word) => word.length > 10);
    expect(words(after).filter((word) => words(before).includes(word))).toEqual([]);
  });
});

describe("what is left behind", () => {
  test("the last process to end removes the run's folder, and its notes count until then", () => {
    const run = address();
    const [one, two] = [notesOf(run), notesOf(run)];
    holding(one);
    holding(two, "w");
    one.end();
    expect(left()).toHaveLength(1);
    expect(isHeld(two)).toBe(true);
    two.end();
    two.end();
    expect(left()).toEqual([]);
  });

  test("one that was never used leaves nothing", () => {
    notesOf(address()).end();
    expect(readdirSync(base)).toEqual([]);
  });

  test("a process that was killed leaves its notes to the others as long as the engine lives", () => {
    const run = address();
    const two = notesOf(run);
    holding(notesOf(run));
    const [folder = ""] = left();
    const [notes = ""] = readdirSync(join(runs(), folder)).filter((name) => name.endsWith(".notes"));
    const text = readFileSync(join(runs(), folder, notes), "latin1");
    rmSync(join(runs(), folder, notes));
    writeFileSync(join(runs(), folder, `${deadProcess()}.killed.notes`), text);
    expect(isHeld(two)).toBe(true);
    // The engine ends: the killed one says nothing any more.
    two.end();
    expect(left()).toEqual([]);
  });

  test("a delete that a killed process had begun is over: whoever wants the object looks", () => {
    const run = address();
    const [one, two] = [notesOf(run), notesOf(run)];
    const holders = new Holders(new ObjectNotes(one));
    void holders.remove(grant, "u", { isSame: () => Promise.resolve(false), remove: () => new Promise(() => {}) });
    return Promise.resolve().then(() => {
      const [folder = ""] = left();
      const [notes = ""] = readdirSync(join(runs(), folder)).filter((name) => name.endsWith(".notes"));
      const text = readFileSync(join(runs(), folder, notes), "latin1");
      expect(text).toMatch(/^removing /);
      rmSync(join(runs(), folder, notes));
      writeFileSync(join(runs(), folder, `${deadProcess()}.killed.notes`), text);
      expect(two.news().map(({ kind }) => kind)).toEqual(["removing"]);
      expect(two.news().map(({ kind }) => kind)).toEqual(["removed"]);
      expect(two.news()).toEqual([]);
    });
  });

  test("runs whose engine is gone go with the next run; others stay", () => {
    holding(notesOf(address()));
    holding(notesOf(address(), deadProcess()));
    expect(left()).toHaveLength(2);
    const next = notesOf(address());
    holding(next);
    expect(left()).toHaveLength(2);
    expect(left().every((name) => name.startsWith(`${process.pid}-`))).toBe(true);
  });

  test("a process id that another process has now is not the engine's", async () => {
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    holding(notesOf(address(), other.pid));
    const [folder = ""] = left();
    const parts = folder.split("-");
    expect(parts[0]).toBe(String(other.pid));
    const stale = join(runs(), [parts[0], "1", parts[2], "0123456789ab"].join("-"));
    mkdirSync(stale);
    holding(notesOf(address()));
    expect(existsSync(stale)).toBe(process.platform !== "linux");
    expect(left()).toContain(folder);
    other.kill();
    await new Promise((resolve) => other.once("exit", resolve));
  });

  test("runs of another machine or container are nobody's to judge, for a week", () => {
    const [young, old] = ["1-1-aaaaaaaaaaaa-1", "1-1-bbbbbbbbbbbb-1"].map((name) => join(runs(), name)) as [
      string,
      string,
    ];
    for (const each of [young, old]) mkdirSync(each, { recursive: true, mode: 0o700 });
    chmodSync(runs(), 0o700);
    utimesSync(old, new Date(), new Date(Date.now() - 8 * 24 * 60 * 60_000));
    holding(notesOf(address()));
    expect([existsSync(young), existsSync(old)]).toEqual([true, false]);
    expect(warnings).toEqual([]);
  });
});

describe("where the notes are", () => {
  test("in the user's runtime folder, where there is one that is private", () => {
    const runtime = join(base, "run");
    mkdirSync(runtime, { mode: 0o700 });
    const notes = notesOf(address(), process.pid, { HOME: base, XDG_RUNTIME_DIR: runtime });
    holding(notes);
    expect([readdirSync(join(runtime, "perimeter")), left()]).toMatchObject([{ length: 1 }, []]);
    notes.end();
    chmodSync(runtime, 0o755);
    const other = notesOf(address(), process.pid, { HOME: base, XDG_RUNTIME_DIR: runtime });
    holding(other);
    expect(left()).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test.each<[string, (folder: string) => void, RegExp]>([
    ["is a file", (folder) => writeFileSync(folder, ""), /EEXIST|ENOTDIR/],
    ["is a link to elsewhere", (folder) => symlinkSync(base, folder), /is not a folder/],
    ["is open to others", (folder) => (mkdirSync(folder), chmodSync(folder, 0o777)), /is open to other users/],
  ])(
    "a folder in the temporary folder that %s is not used, and a warning says what is not protected",
    (_what, occupy, why) => {
      const name = `perimeter-${process.getuid?.() ?? "user"}`;
      occupy(join(base, name));
      const environment = { HOME: join(base, "none"), TMPDIR: base };
      const [one, two] = [1, 2].map(() => notesOf("here", process.pid, environment)) as [RunNotes, RunNotes];
      const holders = holding(one);
      expect(isHeld(two)).toBe(false);
      // Within the process, all is as ever.
      expect(holders.others(grant, "u")).toEqual([{ identity: "v", holds: true }]);
      expect(warnings).toHaveLength(2);
      expect(warnings[0]).toMatch(why);
      expect(warnings[0]).toContain("from one explicit provider to another");
      one.end();
      expect(readdirSync(base)).toEqual([name]);
    },
  );

  test("a folder that vanishes, or a disk that is full, costs the sharing and a warning", () => {
    const notes = notesOf(address());
    const holders = holding(notes);
    rmSync(base, { recursive: true });
    holders.declare({ ...grant, part: "another" }, "w");
    holders.declare({ ...grant, part: "one more" }, "x");
    expect(warnings).toHaveLength(1);
    notes.end();
  });

  const isRoot = process.getuid?.() === 0;
  (isRoot ? test : test.skip)("a folder of another user is not used", () => {
    const name = join(base, "perimeter-0");
    mkdirSync(name, { mode: 0o700 });
    spawnSync("chown", ["65534", name]);
    holding(notesOf("here", process.pid, { HOME: join(base, "none"), TMPDIR: base }));
    expect(warnings).toEqual([expect.stringContaining("belongs to another user")]);
    expect(readdirSync(name)).toEqual([]);
  });
});
