/**
 * The jobs that the repository publishes, action.yml for GitHub and ci/access-review.yml for GitLab: their steps run with
 * the packed package, the real engine, and a server in place of the service's API.
 */
import * as fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as path from "node:path";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { reviewResult } from "../../../access/result/result";
import { ENGINE_TIMEOUT_MS, missingHost, repositoryRoot } from "../../support/engine";
import { GitHub, runAction } from "../../support/github";
import { linkPackages } from "../../support/node-modules";
import { Origin } from "../../support/origin";
import { packedPackage } from "../../support/pack";
import { FHIR_STORE } from "../../support/programs";
import { ReviewScene } from "../../support/review-scene";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`action.yml${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  let scene: ReviewScene;
  let gitHub: GitHub;
  let origin: Origin;
  beforeAll(async () => {
    scene = await ReviewScene.create();
    origin = new Origin(scene.project.dir);
    origin.push("main");
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
      values: {
        "github.token": GitHub.token,
        "github.event.number": "7",
        "github.base_ref": "main",
        "runner.temp": fileOf("temp"),
        ...values,
      },
      outputFile: fileOf("outputs"),
      shell: (script, env) =>
        scene.shell(script, {
          // npx of npm, which finds the package in the project.
          PATH: scene.project.env.PATH ?? "",
          GITHUB_ACTION_PATH: repositoryRoot,
          GITHUB_API_URL: gitHub.url,
          GITHUB_REPOSITORY: GitHub.repository,
          GITHUB_SERVER_URL: "https://github.com",
          GITHUB_RUN_ID: "42",
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
    // The answer about another stack, and what only begins like an answer.
    for (const about of ["access: clinic/dev -->", "review: clinic/dev2 -->", "review: clinic/dev --> quoted"])
      many.push(gitHub.post({ parent: "7", body: `<!-- perimeter-${about}\nanother` }));
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

  test("a review is compared with the approved one", async () => {
    const approved = await act({ report: "none" });
    expect(approved.code).toBe(2);
    const kept = fileOf("approved.json");
    fs.copyFileSync(approved.outputs.json ?? "", kept);
    expect(await act({ expect: kept, report: "none" })).toMatchObject({ code: 0, outputs: { "exit-code": "0" } });
    const { resources, ...review } = reviewResult.parse(JSON.parse(fs.readFileSync(kept, "utf8")));
    const others = resources.map((each) => ({
      ...each,
      changes: each.changes.filter(({ principal }) => !principal.startsWith("group:analysts@")),
    }));
    fs.writeFileSync(kept, JSON.stringify({ ...review, resources: others }));
    expect((await act({ expect: kept })).code).toBe(2);
    expect(gitHub.posts).toEqual([
      expect.objectContaining({ body: expect.stringContaining("The approved review does not have this change.") }),
    ]);
  });

  const FAILED =
    "<!-- perimeter-review: clinic/dev -->\n### Access review failed\n\nThere is no answer about `clinic/dev`: [the log of " +
    "the run](https://github.com/team/clinic/actions/runs/42) says why. An earlier answer does not count any more.\n";

  test("a run without an answer replaces the comment of an earlier one, and the next answer replaces it", async () => {
    expect((await act({})).code).toBe(2);
    const [comment] = gitHub.posts;
    expect(comment?.body).toContain("Exit code 2");
    for (const file of ["Pulumi.yaml", "in YAML"]) {
      const program = fs.readFileSync(path.join(scene.project.dir, "Pulumi.yaml"), "utf8");
      const broken = file === "in YAML" ? 'name: "clinic" # ours\nruntime: yaml\nresources: 7\n' : program;
      fs.writeFileSync(path.join(scene.project.dir, "Pulumi.yaml"), broken);
      try {
        const failed = await act({ stack: "organization/clinic/dev", arguments: "--policy\nabsent.yaml" });
        expect(failed).toMatchObject({ code: 1, steps: ["Answer", "Report"], outputs: { "exit-code": "" } });
      } finally {
        fs.writeFileSync(path.join(scene.project.dir, "Pulumi.yaml"), program);
      }
      expect(gitHub.posts).toEqual([comment]);
      expect(comment?.body).toBe(FAILED);
      expect(fs.readFileSync(fileOf("summary.md"), "utf8")).toContain("### Access review failed");
    }
    expect((await act({})).code).toBe(2);
    expect(gitHub.posts).toEqual([comment]);
    expect(comment?.body).toContain("Exit code 2");
  });

  test("the policy files are those of the target branch, and the comment says what the pull request changes", async () => {
    const file = path.join(scene.project.dir, ".perimeter-review.yaml");
    fs.writeFileSync(file, "version: 1\nallowLoss: [{ principals: ['*'], reason: mine }]\n");
    try {
      expect((await act({})).code).toBe(2);
      expect(gitHub.posts[0]?.body).toContain("no rules file in origin/main; the rules of this folder differ.");
      expect(gitHub.posts[0]?.body).toContain(
        "- `rules`: .perimeter-review.yaml is not in origin/main: it was not used.",
      );
      origin.push("rules", ".perimeter-review.yaml");
      expect((await act({}, { "github.base_ref": "rules" })).code).toBe(0);
      expect((await act({}, { "github.base_ref": "" })).code).toBe(0);
      expect((await act({}, { "github.base_ref": "gone" })).stderr).toContain(
        "the branch gone, whose policy files apply",
      );
    } finally {
      fs.rmSync(file);
    }
  });

  test("without a package in the project, the version is that of the action", async () => {
    const installed = path.join(scene.project.dir, "node_modules");
    const [away, shims] = [fileOf("away"), fileOf("npx-of-test")];
    fs.mkdirSync(shims);
    fs.writeFileSync(path.join(shims, "npx"), '#!/bin/sh\necho "asked for $2" >&2\nexit 1\n', { mode: 0o755 });
    fs.renameSync(installed, away);
    const own = scene.project.env.PATH ?? "";
    try {
      scene.project.env.PATH = `${shims}:${own}`;
      const { version } = JSON.parse(fs.readFileSync(path.join(repositoryRoot, "package.json"), "utf8"));
      expect((await act({ report: "none" })).stderr).toContain(`asked for pulumi-perimeter@${version}\n`);
      expect((await act({ report: "none", version: "7.0.0" })).stderr).toContain("asked for pulumi-perimeter@7.0.0\n");
      const text = fs.readFileSync(path.join(repositoryRoot, "ci/access-review.yml"), "utf8");
      expect(parseAllDocuments(text)[0]?.toJS()).toMatchObject({ spec: { inputs: { version: { default: version } } } });
    } finally {
      scene.project.env.PATH = own;
      fs.renameSync(away, installed);
    }
  });

  test.each<[Record<string, string>, Record<string, string>, string, string[]]>([
    [{ command: "destroy" }, {}, "the command is review or access, and not destroy", ["destroy: clinic/dev"]],
    [{ expect: "absent.json" }, {}, "absent.json", ["review: clinic/dev"]],
    [{ command: "access", expect: "absent.json" }, {}, "absent.json", ["access: clinic/dev"]],
    [{ stack: "`touch pwned`-->" }, {}, "`touch pwned`", ["review: clinic/%60touch%20pwned%60--%3E"]],
    [{ report: "none", arguments: "--polcy\nrules.yaml" }, {}, "unknown option '--polcy'", []],
    [{ token: "expired" }, {}, "401", []],
    [{}, { "github.event.number": "" }, "there is no pull request to comment on", []],
  ])("the inputs %j with %j end with a message", async (inputs, values, message, markers) => {
    const { code, stderr } = await act(inputs, values);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
    expect(gitHub.posts.map(({ body }) => body.split("\n")[0])).toEqual(
      markers.map((marker) => `<!-- perimeter-${marker} -->`),
    );
    expect(fs.existsSync(path.join(scene.project.dir, "pwned"))).toBe(false);
  });

  test("ci/access-review.yml: a review becomes one note on the merge request, and the exit code of the gate", async () => {
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
      const file = path.join(repositoryRoot, "ci/access-review.yml");
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
      const scripts = z.array(z.string());
      const job = z.object({
        variables: z.record(z.string(), z.string()),
        before_script: scripts,
        script: scripts,
        after_script: scripts,
      });
      const { variables, script, ...around } = z.object({ job }).parse(parseAllDocuments(text)[1]?.toJS()).job;
      const env = {
        ...variables,
        PERIMETER_ARGUMENTS: "--no-inherited\n--mask-principals",
        PATH: scene.project.env.PATH ?? "",
        REVIEW_TOKEN: token,
        CI_API_V4_URL: `http://127.0.0.1:${(gitLab.address() as AddressInfo).port}`,
        CI_PROJECT_ID: "5",
        CI_MERGE_REQUEST_IID: "7",
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
        CI_JOB_URL: "https://gitlab.example/jobs/42",
      };
      /** As the runner does: what is after the script runs in any case, in another shell. */
      const run = async (install: string, more: Record<string, string> = {}) => {
        const before = around.before_script.map((line) => (line === "install" ? install : line));
        const ended = await scene.shell([...before, ...script].join("\n"), { ...env, ...more });
        return { ...ended, after: await scene.shell(around.after_script.join("\n"), { ...env, ...more }) };
      };
      for (let at = 0; at < 2; at++) {
        const { code, stderr, after } = await run("true");
        expect([code, stderr, after.code]).toEqual([2, "", 0]);
      }
      expect(notes.slice(130)).toEqual([
        forged,
        { id: 1000, author: { id: 1 }, body: expect.stringMatching(/^<!-- perimeter-review: clinic\/dev -->\n/) },
      ]);
      expect(notes.at(-1)?.body).toMatch(/`group:a…\d+@example\.com`/);
      expect(notes.at(-1)?.body).not.toContain("analysts@");
      expect(notes.at(-1)?.body).toContain("no rules file in origin/main");
      // Each of these leaves no answer, and the note says so: a failed installation, a failed command, no target branch.
      for (const [install, more] of [
        ["false", {}],
        ["true", { PERIMETER_ARGUMENTS: "--policy\nabsent.yaml" }],
        ["true", { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "gone" }],
      ] as const) {
        const { code, after } = await run(install, more);
        expect([code, after.code]).toEqual([1, 0]);
        expect(notes.at(-1)).toMatchObject({
          id: 1000,
          body: expect.stringMatching(
            /^<!-- perimeter-review: clinic\/dev -->\n### Access review failed\n.*\(https:\/\/gitlab\.example\/jobs\/42\)/s,
          ),
        });
        expect((await run("true")).code).toBe(2);
        expect(notes.at(-1)).toMatchObject({ id: 1000, body: expect.stringContaining("Exit code 2") });
      }
      expect(notes).toHaveLength(132);
      const refused = await run("true", { REVIEW_TOKEN: "expired" });
      expect([refused.code, refused.stderr]).not.toEqual([2, ""]);
      expect(refused.stderr).toContain("401");
    } finally {
      gitLab.closeAllConnections();
      gitLab.close();
    }
  });
});
