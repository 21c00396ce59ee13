import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EarlyRemovalFiles } from "./early-removals";
import { LEFT_BEHIND_MS } from "./private-folder";

const GRANT = { object: "store.viewer.ada", project: "demo-project" };

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), "perimeter-removals-"))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folder = () => join(home, ".cache/perimeter/runs/removals");
const files = () => (existsSync(folder()) ? readdirSync(folder()) : []);
const run = () => new EarlyRemovalFiles({ HOME: home });

test("a later run knows what an earlier run removed, until a resource made it again", () => {
  run().note(GRANT);
  const next = run();
  expect(next.has(GRANT)).toBe(true);
  expect(next.has({ ...GRANT, project: "other" })).toBe(false);
  next.settle({ ...GRANT, object: "store.viewer.grace" });
  expect(run().has(GRANT)).toBe(true);
  next.settle(GRANT);
  expect([next.has(GRANT), run().has(GRANT), files()]).toEqual([false, false, []]);
});

test("a removal under a project's id counts under a number, too, until a resource made the object there", () => {
  run().note(GRANT);
  const next = run();
  expect(next.has({ ...GRANT, project: "123" })).toBe(true);
  next.settle({ ...GRANT, project: "123" });
  expect(run().has(GRANT)).toBe(false);
});

test("the files are empty, only the user can read them, and their names show nothing of the object", () => {
  run().note(GRANT);
  const [name = ""] = files();
  const { mode, size } = statSync(join(folder(), name));
  expect([name, mode & 0o777, size]).toEqual([expect.stringMatching(/^[0-9a-f]{64}-id-[0-9a-f]{16}$/), 0o600, 0]);
  expect(statSync(folder()).mode & 0o777).toBe(0o700);
});

test("a run that removed nothing early creates no folder", () => {
  expect(run().has(GRANT)).toBe(false);
  run().settle(GRANT);
  expect(readdirSync(home)).toEqual([]);
});

test("a file that no run has used for a week is removed", () => {
  run().note(GRANT);
  const [name = ""] = files();
  const before = (Date.now() - LEFT_BEHIND_MS) / 1000 - 60;
  utimesSync(join(folder(), name), before, before);
  expect([run().has(GRANT), files()]).toEqual([false, []]);
});

test("without a usable folder, the run itself still knows what it removed", () => {
  writeFileSync(join(home, ".cache"), "");
  const only = new EarlyRemovalFiles({ HOME: home, TMPDIR: join(home, ".cache") });
  only.note(GRANT);
  expect(only.has(GRANT)).toBe(true);
  only.settle(GRANT);
  expect(only.has(GRANT)).toBe(false);
});
