/**
 * The jobs that the repository publishes, action.yml for GitHub and templates/access-review.yml for GitLab: their steps run with
 * the packed package, the real engine, and a server in place of the service's API.
 */
import * as fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as path from "node:path";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { reviewResult } from "../../../access/result";
import { ENGINE_TIMEOUT_MS, missingHost, repositoryRoot } from "../../support/engine";
import { GitHub, runAction } from "../../support/github";
import { linkPackages } from "../../support/node-modules";
import { packedPackage } from "../../support/pack";
import { FHIR_STORE } from "../../support/programs";
import { ReviewScene } from "../../support/review-scene";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`action.yml${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  let scene: ReviewScene;
  let gitHub: GitHub;
  beforeAll(async () => {
    scene = await ReviewScene.create();
    linkPackages(path.join(scene.project.dir, "node_modules"), packedPackage().nodeModules);
  });
  beforeEach(async () => {
    gitHub = await GitHub.start();
  });
  afterEach(() => gitHub.stop());
  afterAll(() => scene?.dispose());

  const fileOf = (name: string) => path.join(scene.project.dir, "..", name);
  const act = (inputs: Record<string, string>, values: Record<string, string> = {}) =>
    runAction({
      file: path.join(repositoryRoot, "action.yml"),
      inputs: { stack: "dev", ...inputs },
      values: { "github.token": GitHub.token, "github.event.number": "7", "runner.temp": fileOf("temp"), ...values },
      outputFile: fileOf("outputs"),
      shell: (script, env) =>
        scene.shell(script, {
          // npx of npm, which finds the package in the project.
          PATH: scene.project.env.PATH ?? "",
          GITHUB_ACTION_PATH: repositoryRoot,
          GITHUB_API_URL: gitHub.url,
          GITHUB_REPOSITORY: GitHub.repository,
          GITHUB_STEP_SUMMARY: fileOf("summary.md"),
          ...env,
        }),
    });

  test("a review becomes one comment on the pull request, the job summary, and the exit code of the gate", async () => {
    const person = gitHub.post({
      parent: "7",
      body: "<!-- perimeter-review: clinic/dev -->\nmine",
      user: { type: "User" },
    });
    const many = Array.from({ length: 120 }, () => gitHub.post({ parent: "7", body: "built" }));
    const first = await act({});
    expect(first).toMatchObject({ code: 2, steps: ["Answer", "Report", "Gate"], outputs: { "exit-code": "2" } });
    const result = reviewResult.parse(JSON.parse(fs.readFileSync(first.outputs.json ?? "", "utf8")));
    expect(result.verdict.exitCode).toBe(2);
    expect(fs.readFileSync(first.outputs.html ?? "", "utf8")).toMatch(/^<!doctype html>/i);
    const [comment, ...others] = gitHub.posts.slice(1 + many.length);
    expect([comment?.parent, others]).toEqual(["7", []]);
    expect(comment?.body).toMatch(/^<!-- perimeter-review: clinic\/dev -->\n### Access review: .*bob@example\.com/s);
    expect(fs.readFileSync(fileOf("summary.md"), "utf8")).toBe(comment?.body);

    const before = comment?.body;
    const second = await act({ arguments: "--allow-loss\nuser:bob@example.com" });
    expect(second.code).toBe(2);
    expect(gitHub.posts).toHaveLength(2 + many.length);
    expect(comment?.body).not.toBe(before);
    expect(person.body).toMatch(/mine$/);
    expect(first.stderr + second.stderr).not.toContain(GitHub.token);
  });

  test("access is an issue that is open while something is wrong", async () => {
    const access = { command: "access", report: "issue" };
    expect(await act(access, { "github.event.number": "" })).toMatchObject({ code: 0, outputs: { "exit-code": "0" } });
    expect(gitHub.posts).toEqual([]);
    scene.emulator.configure({ deny: ["healthcare.fhirStores.getIamPolicy"] });
    try {
      expect((await act(access)).code).toBe(3);
      expect((await act(access)).code).toBe(3);
    } finally {
      scene.emulator.configure({ deny: [] });
    }
    expect(gitHub.posts).toEqual([
      expect.objectContaining({
        state: "open",
        title: expect.stringMatching(/^Access/),
        body: expect.stringContaining(FHIR_STORE),
      }),
    ]);
    expect((await act(access)).code).toBe(0);
    expect(gitHub.posts).toEqual([expect.objectContaining({ state: "closed" })]);
  });

  test("access after an update fails for what a review by the action did not expect", async () => {
    const review = await act({ arguments: "--all", report: "none" });
    expect(review).toMatchObject({ code: 2, steps: ["Answer", "Gate"] });
    // The update is not carried out, so the losses that the review expected did not happen.
    const after = await act({ command: "access", expect: review.outputs.json ?? "", report: "none" });
    expect(after).toMatchObject({ code: 2, steps: ["Answer", "Gate"], stderr: "" });
    const result = reviewResult.parse(JSON.parse(fs.readFileSync(after.outputs.json ?? "", "utf8")));
    expect(result.verdict.violations.map(({ rule }) => rule)).toContain("expected");
    expect(fs.readFileSync(fileOf("summary.md"), "utf8")).toContain("Not as the review expected");
  });

  test.each([
    [{ command: "destroy" }, {}, "the command is review or access, and not destroy"],
    [{ expect: "review.json" }, {}, "the input expect needs the command access"],
    [{ command: "access", expect: "absent.json" }, {}, "absent.json"],
    [{ stack: "$(touch pwned)" }, {}, "$(touch pwned)"],
    [{ report: "none", arguments: "--polcy\nrules.yaml" }, {}, "unknown option '--polcy'"],
    [{ token: "expired" }, {}, "401"],
    [{}, { "github.event.number": "" }, "there is no pull request to comment on"],
  ])("the inputs %j with %j end with a message", async (inputs, values, message) => {
    const { code, stderr } = await act(inputs, values);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
    expect(gitHub.posts).toEqual([]);
    expect(fs.existsSync(path.join(scene.project.dir, "pwned"))).toBe(false);
  });

  test("templates/access-review.yml: a review becomes one note on the merge request, and the exit code of the gate", async () => {
    const token = "glpat-not-a-real-token";
    const notes = Array.from({ length: 130 }, (_, at) => ({ id: at, author: { id: 1 }, body: "built" }));
    const forged = { id: 500, author: { id: 2 }, body: "<!-- perimeter-review: clinic/dev -->\nmine" };
    notes.push(forged);
    const gitLab = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://gitlab");
      let text = "";
      request.on("data", (chunk: Buffer) => (text += chunk.toString()));
      request.on("end", () => {
        if (request.headers["private-token"] !== token) return response.writeHead(401).end("{}");
        const [, id] = /^\/projects\/5\/merge_requests\/7\/notes(?:\/(\d+))?$/.exec(pathname) ?? [];
        const body = new URLSearchParams(text).get("body") ?? "";
        const first = (Number(searchParams.get("page")) - 1) * Number(searchParams.get("per_page"));
        if (pathname === "/user") return response.end(JSON.stringify({ id: 1 }));
        if (request.method === "POST") notes.push({ id: 1000, author: { id: 1 }, body });
        if (request.method === "PUT") notes.find((each) => `${each.id}` === id)!.body = body;
        return response.end(JSON.stringify(notes.slice(first, first + Number(searchParams.get("per_page")))));
      });
    });
    await new Promise<void>((resolve) => gitLab.listen(0, "127.0.0.1", resolve));
    try {
      const file = path.join(repositoryRoot, "templates/access-review.yml");
      const inputs: Record<string, string> = {
        job: "job",
        stack: "dev",
        version: "latest",
        "working-directory": ".",
        arguments: "",
      };
      const text = fs
        .readFileSync(file, "utf8")
        .replaceAll(/\$\[\[ inputs\.(\S+) \]\]/g, (_all, name: string) => inputs[name] ?? name);
      const job = z.object({ variables: z.record(z.string(), z.string()), script: z.array(z.string()) });
      const { variables, script } = z.object({ job }).parse(parseAllDocuments(text)[1]?.toJS()).job;
      const env = {
        ...variables,
        PERIMETER_ARGUMENTS: "--no-inherited\n--mask-principals",
        PATH: scene.project.env.PATH ?? "",
        REVIEW_TOKEN: token,
        CI_API_V4_URL: `http://127.0.0.1:${(gitLab.address() as AddressInfo).port}`,
        CI_PROJECT_ID: "5",
        CI_MERGE_REQUEST_IID: "7",
      };
      for (let run = 0; run < 2; run++) {
        const { code, stderr } = await scene.shell(script.join("\n"), env);
        expect([code, stderr]).toEqual([2, ""]);
      }
      expect(notes.slice(130)).toEqual([
        forged,
        { id: 1000, author: { id: 1 }, body: expect.stringMatching(/^<!-- perimeter-review: clinic\/dev -->\n/) },
      ]);
      expect(notes.at(-1)?.body).toMatch(/`group:a…\d+@example\.com`/);
      expect(notes.at(-1)?.body).not.toContain("analysts@");
      const refused = await scene.shell(script.join("\n"), { ...env, REVIEW_TOKEN: "expired" });
      expect([refused.code, refused.stderr]).not.toEqual([2, ""]);
      expect(refused.stderr).toContain("401");
    } finally {
      gitLab.closeAllConnections();
      gitLab.close();
    }
  });
});
