import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { stateBackend } from "./state-backend";

let root: string;
beforeEach(() => (root = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-backend-"))));
afterEach(() => fs.rmSync(root, { recursive: true }));

function write(name: string, text: string): void {
  const file = path.join(root, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
const login = (current: string) => write("home/.pulumi/credentials.json", JSON.stringify({ current }));
const environment = (more: Record<string, string> = {}) => ({ HOME: path.join(root, "home"), ...more });
const backend = (more?: Record<string, string>) => stateBackend(environment(more), path.join(root, "project/main"));

test("is found in the CLI's search order", async () => {
  fs.mkdirSync(path.join(root, "project/main"), { recursive: true });
  login("https://login.example/");
  expect(await backend()).toBe("https://login.example");
  write("project/Pulumi.yaml", "name: p\nbackend: { url: s3://of-the-project }\n");
  expect(await backend()).toBe("s3://of-the-project");
  expect(await backend({ PULUMI_BACKEND_URL: "gs://of-the-environment" })).toBe("gs://of-the-environment");
});

test("is read from the first project file in Pulumi's order: JSON, then YAML", async () => {
  fs.mkdirSync(path.join(root, "project/main"), { recursive: true });
  login("https://login.example/");
  write("project/Pulumi.yml", "name: p\nbackend: { url: s3://yml }\n");
  expect(await backend()).toBe("s3://yml");
  write("project/Pulumi.yaml", "name: p\nbackend: { url: s3://yaml }\n");
  expect(await backend()).toBe("s3://yaml");
  write("project/Pulumi.json", JSON.stringify({ name: "p", runtime: "yaml", backend: { url: "s3://json" } }));
  expect(await backend()).toBe("s3://json");
});

test("is the backend of the login if the project names none or cannot be read", async () => {
  login("https://login.example");
  for (const text of ["name: p\n", "backend: text\n", "{", ""]) {
    write("project/Pulumi.yaml", text);
    expect([text, await backend()]).toEqual([text, "https://login.example"]);
  }
});

test("follows PULUMI_HOME and PULUMI_CREDENTIALS_PATH", async () => {
  write("a/credentials.json", '{"current":"https://a"}');
  write("b/credentials.json", '{"current":"https://b"}');
  const at = (name: string) => path.join(root, name);
  expect(await backend({ PULUMI_HOME: at("a") })).toBe("https://a");
  expect(await backend({ PULUMI_HOME: at("a"), PULUMI_CREDENTIALS_PATH: at("b") })).toBe("https://b");
});

test("is a folder of this machine in any spelling", async () => {
  const of = (url: string) => backend({ PULUMI_BACKEND_URL: url });
  const home = `file://${os.hostname()}${path.join(root, "home")}`;
  expect(await of("file://~")).toBe(home);
  expect(await of(`file://${path.join(root, "home")}/`)).toBe(home);
  expect(await of("file://~?no_tmp_dir=true")).toBe(home);
  expect(await of("file://../../home")).toBe(home);
  expect(await of("file://~/state")).toBe(`${home}/state`);
});

test("is undefined if no source names it", async () => {
  expect(await backend()).toBeUndefined();
  write("home/.pulumi/credentials.json", "{");
  expect(await backend()).toBeUndefined();
});
