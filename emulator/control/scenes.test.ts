import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { parseText, listAsYaml, seedJsonSchema, demoSeed, type EmulatorEvent } from "../index";
import { ASSOCIATIONS, associationBody, startTest, stopAll } from "../testing/client";
import { ROUTES } from "./routes";

afterEach(stopAll);

const DOCS = join(__dirname, "..", "..", "docs");
const scenes = readdirSync(join(DOCS, "scenes")).filter((name) => name.endsWith(".yaml"));
const published = JSON.parse(readFileSync(join(DOCS, "seed.schema.json"), "utf8")) as Parameters<
  typeof z.fromJSONSchema
>[0];

describe("scenes", () => {
  test("are at least three, and the documentation has all of them", () => {
    expect(scenes.length).toBeGreaterThanOrEqual(3);
    const text = readFileSync(join(DOCS, "emulator.md"), "utf8");
    scenes.forEach((scene) => expect(text).toContain(`scenes/${scene}`));
  });

  test.each(scenes)(
    "%s fits the published schema, is taken as a seed, and comes back from an export",
    async (scene) => {
      const text = readFileSync(join(DOCS, "scenes", scene), "utf8");
      expect(text).toMatch(/^# yaml-language-server: \$schema=\.\.\/seed\.schema\.json\n/);
      const seed = parseText(scene, text);
      z.fromJSONSchema(published).parse(seed);
      const client = await startTest({ seed });
      const exported = client.emulator.export();
      expect(exported).toHaveLength((seed as unknown[]).length);
      const again = await startTest({ seed: exported });
      expect(again.emulator.export()).toEqual(exported);
    },
  );
});

describe("the schema", () => {
  test.each([
    [{ service: "gkehub", name: "n" }],
    [[{ service: "translate", name: "n" }]],
    [[{ service: "gkehub" }]],
    [[{ service: "gkehub", name: "n", boddy: {} }]],
    [[{ service: "gkehub", name: "n", policy: { bindings: [{ role: "r", members: [] }] } }]],
  ])("refuses %j", (seed) => {
    expect(z.fromJSONSchema(published).safeParse(seed).success).toBe(false);
  });

  test("is available from a running emulator", async () => {
    const client = await startTest();
    expect((await client.get("/_emulator/seed.schema.json")).body).toEqual(seedJsonSchema());
  });
});

describe("an export", () => {
  test("is the same text regardless of the origin of the resources, with sorted fields", async () => {
    const first = await startTest({ seed: demoSeed });
    const second = await startTest({ seed: [...first.emulator.export()].reverse() });
    const text = (await first.get("/_emulator/export")).text;
    expect((await second.get("/_emulator/export")).text).toBe(text);
    expect(text).toBe(listAsYaml(first.emulator.export()));
    const keys = Object.keys(first.emulator.export()[0]?.body ?? {});
    expect(keys).toEqual([...keys].sort());
  });

  test("is accepted by POST seed in both formats, including policies with etags", async () => {
    const first = await startTest({ seed: demoSeed });
    const resources = first.emulator.resources();
    for (const format of ["json", "yaml"]) {
      const { text, headers } = await first.get(`/_emulator/export?format=${format}`);
      expect(headers.get("content-type")).toContain(`application/${format}`);
      const second = await startTest();
      expect((await second.post("/_emulator/seed", text)).status).toBe(200);
      const byName = (list: typeof resources) => new Map(list.map((each) => [each.name, each]));
      expect(byName(second.emulator.resources())).toEqual(byName(resources));
    }
  });

  test("shows the differences of a change by line", async () => {
    const client = await startTest({ seed: demoSeed });
    const before = (await client.get("/_emulator/export")).text.split("\n");
    const name = demoSeed[0]?.name ?? "";
    client.emulator.mutate(name, { patch: { labels: { added: "yes" } } });
    const after = (await client.get("/_emulator/export")).text.split("\n");
    expect(after.filter((line) => !before.includes(line))).toEqual(["      added: yes"]);
    expect(parse(after.join("\n"))).toEqual(client.emulator.export());
  });

  test("in an unknown format is refused", async () => {
    expect((await (await startTest()).get("/_emulator/export?format=xml")).status).toBe(400);
  });
});

test("events can be followed over HTTP, as server-sent events", async () => {
  const client = await startTest();
  const response = await fetch(`${client.emulator.url}/_emulator/events`);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? "";
  const expected: EmulatorEvent[] = [];
  client.emulator.subscribe((event) => expected.push(event));
  await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
  while (!text.includes("event: request")) {
    text += (await reader?.read())?.value ?? "";
  }
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => JSON.parse(json) as EmulatorEvent);
  expect(data).toEqual(expected);
  expect(data.map(({ type }) => type)).toEqual(["resource", "operation", "request"]);
  await reader?.cancel();
});

/** The methods of `startEmulator` with their equivalent requests; undefined if there is none. */
const ALIKE: Record<string, string | undefined> = {
  reset: "POST reset",
  seed: "POST seed",
  requests: "GET requests",
  clearRequests: "DELETE requests",
  setFaults: "PUT faults",
  addFaults: "POST faults",
  removeFault: "DELETE faults",
  faults: "GET faults",
  config: "GET config",
  configure: "PUT config",
  now: "GET now",
  advance: "POST advance",
  resources: "GET resources",
  resource: "GET resources",
  export: "GET export",
  mutate: "POST mutate",
  remove: "DELETE resources",
  history: "GET history",
  operations: "GET operations",
  permissionsUsed: "GET permissions",
  subscribe: "GET events",
  // Done by Ctrl-C or by ending the process.
  stop: undefined,
};

test("every method of a started emulator has an equivalent request, and vice versa", async () => {
  const { emulator } = await startTest();
  const methods = Object.entries(emulator).filter(([, value]) => typeof value === "function");
  expect(methods.map(([name]) => name).sort()).toEqual(Object.keys(ALIKE).sort());
  const asked = new Set(Object.values(ALIKE));
  const more = ["GET health", "GET seed.schema.json"];
  expect([...Object.keys(ROUTES), "GET events"].filter((route) => !asked.has(route)).sort()).toEqual(more.sort());
});
