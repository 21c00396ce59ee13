/**
 * What the pages docs/review-*.md tell people to paste, as far as it runs without the platform: the shell of
 * each job, with the variables that the platform documents, and stand-ins for its API. The engine makes one plan for all jobs.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { ENGINE_UNKNOWN } from "../../../provider/runtime/unknowns";
import { emptyAnswer } from "../../support/answers";
import { AzureRepos } from "./azure-repos";
import { Bitbucket } from "../../support/bitbucket";
import type { CommandEnd } from "../../support/command";
import { runPackage, type Asked } from "../../support/command-service";
import { ENGINE_TIMEOUT_MS, missingHost, repositoryRoot } from "../../support/engine";
import { ImagePath, Releases } from "../../support/image-path";
import { Origin } from "../../support/origin";
import { FHIR_STORE } from "../../support/programs";
import { DocumentedStack } from "../../support/documented-stack";
import { skipped } from "../../support/skipped";
import { casesHere } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const textOf = (file: string) => fs.readFileSync(path.join(repositoryRoot, file), "utf8");

/** The first snippet of a language below a heading of a page, or without one at its top. */
function pasted(page: string, heading: string, language: string): string {
  const [top = "", below = ""] = textOf(`docs/${page}`).split(`\n## ${heading}\n`);
  const section = heading === "" ? top : below;
  const [, text] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(section.split(/^## /m)[0] ?? "") ?? [];
  if (text === undefined) throw new Error(`${page} has no ${language} below ${heading}`);
  return text;
}

/** How a platform runs a part of a job. */
interface Step {
  script: string;
  shell: readonly [string, ...string[]];
  env?: Record<string, string>;
  /** Whether it also runs after a step that failed. */
  always?: boolean;
}

interface Platform {
  name: string;
  steps: () => Step[];
  /** The variables of the platform. */
  env?: () => Record<string, string>;
  /** The files that the job leaves for the platform. */
  files: string[];
  /** The identity token that the platform gives to the job, unless the platform writes the credentials itself. */
  token?: string;
}

const SH = ["sh", "-xe"] as const;
/** The task `Bash@3` and `AzureCLI@2` set no options. */
const AZURE = ["bash"] as const;
const BASH = ["bash", "-e"] as const;

const azureSteps = z.array(
  z.looseObject({
    bash: z.string().optional(),
    task: z.string().optional(),
    inputs: z.looseObject({ inlineScript: z.string().optional() }).optional(),
    condition: z.literal("succeededOrFailed()").optional(),
    env: z.record(z.string(), z.string()).optional(),
  }),
);
const azureJob = z.looseObject({ trigger: z.literal("none"), steps: azureSteps });
const bitbucketStep = z.strictObject({
  name: z.string(),
  oidc: z.literal(true),
  script: z.array(z.string()),
  artifacts: z.array(z.string()),
});
const bitbucketFile = z.strictObject({
  image: z.string(),
  pipelines: z.strictObject({
    "pull-requests": z.strictObject({ "**": z.tuple([z.strictObject({ step: bitbucketStep })]) }),
  }),
});
const deployments = z.looseObject({
  resources: z.looseObject({
    clinic: z.looseObject({
      type: z.literal("pulumiservice:DeploymentSettings"),
      properties: z.looseObject({ operationContext: z.looseObject({ preRunCommands: z.array(z.string()) }) }),
    }),
  }),
});

const missing = missingHost("yaml") ?? (spawnSync("jq", ["--version"]).status === 0 ? undefined : "no jq");

(missing === undefined ? describe : describe.skip)(`the pasted job${skipped(missing)}`, () => {
  let scene: DocumentedStack;
  let bitbucket: Bitbucket;
  let azure: AzureRepos;
  let releases: Releases;
  let image: ImagePath;
  let ofPlan: Awaited<ReturnType<DocumentedStack["plan"]>>;
  const fileOf = (name: string) => path.join(scene.project.dir, "..", name);
  const inProject = (name: string) => path.join(scene.project.dir, name);

  const PLATFORMS: Platform[] = [
    {
      name: "a shell",
      steps: () => [{ script: pasted("review-ci.md", "A shell", "sh"), shell: BASH }],
      files: ["review.md", "review.json", "review.html"],
    },
    {
      name: "Bitbucket Pipelines",
      token: "bitbucket-token",
      steps: () => {
        const { pipelines } = bitbucketFile.parse(parse(pasted("review-ci-others.md", "Bitbucket Pipelines", "yaml")));
        return [{ script: pipelines["pull-requests"]["**"][0].step.script.join("\n"), shell: BASH }];
      },
      env: () => ({
        BITBUCKET_STEP_OIDC_TOKEN: "bitbucket-token",
        BITBUCKET_CLONE_DIR: scene.project.dir,
        BITBUCKET_PR_DESTINATION_BRANCH: "main",
        BITBUCKET_REPO_FULL_NAME: "example/clinic",
        BITBUCKET_COMMIT: "cafe42",
        BITBUCKET_BUILD_NUMBER: "9",
        PERIMETER_BITBUCKET_PROXY: bitbucket.url,
      }),
      files: ["test-results/review.xml", "review.json", "review.html"],
    },
    {
      name: "Azure Pipelines",
      token: "azure-token",
      steps: () => {
        const secrets: Record<string, string> = {
          "$(PULUMI_ACCESS_TOKEN)": "pul-not-a-token",
          "$(System.AccessToken)": AzureRepos.token,
        };
        const { steps } = azureJob.parse(parse(pasted("review-ci-others.md", "Azure Pipelines", "yaml")));
        return steps.flatMap(({ bash, inputs, condition, env = {} }) => {
          const script = bash ?? inputs?.inlineScript;
          if (script === undefined) return [];
          const given = Object.entries(env).map(([name, value]) => [name, secrets[value] ?? ""]);
          return [
            {
              script,
              shell: AZURE,
              always: condition !== undefined,
              env: {
                ...(Object.fromEntries(given) as Record<string, string>),
                ...(bash === undefined && { idToken: "azure-token" }),
              },
            },
          ];
        });
      },
      env: () => ({
        BUILD_SOURCESDIRECTORY: scene.project.dir,
        TF_BUILD: "True",
        BUILD_BUILDID: "42",
        BUILD_REPOSITORY_ID: "repository-id",
        SYSTEM_COLLECTIONURI: azure.url,
        SYSTEM_TEAMPROJECTID: "project-id",
        SYSTEM_PULLREQUEST_PULLREQUESTID: "7",
        SYSTEM_PULLREQUEST_TARGETBRANCH: "refs/heads/main",
        SYSTEM_PULLREQUEST_SOURCECOMMITID: "cafe42",
        SYSTEM_PULLREQUEST_ISFORK: "False",
      }),
      files: ["review.json", "review.html", "review.xml"],
    },
    {
      name: "Jenkins",
      token: "jenkins-token",
      steps: () => {
        const [, script = ""] = /^ *sh '''\n(.*?)'''$/ms.exec(pasted("review-ci-others.md", "Jenkins", "groovy")) ?? [];
        return [{ script, shell: SH }];
      },
      env: () => {
        fs.writeFileSync(fileOf("jenkins-id-token"), "jenkins-token");
        fs.mkdirSync(fileOf("workspace-tmp"), { recursive: true });
        return {
          ID_TOKEN_FILE: fileOf("jenkins-id-token"),
          WORKSPACE_TMP: fileOf("workspace-tmp"),
          CHANGE_TARGET: "main",
        };
      },
      files: ["review.html", "review.xml", "review.sarif"],
    },
    {
      name: "Pulumi Deployments",
      steps: () => {
        const program = deployments.parse(parse(pasted("review-ci-others.md", "Pulumi Deployments", "yaml")));
        const { preRunCommands } = program.resources.clinic.properties.operationContext;
        return preRunCommands.map((script) => ({ script, shell: ["sh"] }));
      },
      env: () => ({
        GITHUB_TOKEN: "ghs-not-a-token",
        PULUMI_CI_ORGANIZATION: "organization",
        PULUMI_CI_PROJECT: "clinic",
        PULUMI_CI_STACK: "dev",
        PULUMI_CI_OPERATION: "preview",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: `url.${scene.project.dir}-origin.git.insteadOf`,
        GIT_CONFIG_VALUE_0: "https://github.com/example/clinic",
      }),
      files: [],
    },
  ];
  const platform = (name: string) => {
    const found = PLATFORMS.find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };

  beforeAll(async () => {
    scene = await DocumentedStack.create();
    [bitbucket, azure] = [await Bitbucket.start(), await AzureRepos.start()];
    new Origin(scene.project.dir).push("main");
    ofPlan = await scene.plan();
    addPrograms();
    fs.mkdirSync(fileOf("job-tmp"));
    const { version } = JSON.parse(textOf("package.json")) as { version: string };
    releases = new Releases(fileOf("releases"), version, `exec '${scene.bin}/npx' pulumi-perimeter "$@"`);
    image = new ImagePath(fileOf("image"), ["pulumi"], scene.project.env.PATH ?? "", scene.bin);
    const identity = await shell(pasted("review-ci.md", "The identity", "sh"), {}, BASH);
    expect(identity).toMatchObject({ code: 0, stderr: "" });
    expect(identity.stdout).toBe(`${POOL}/providers/github\n`);
  });
  afterAll(async () => {
    await Promise.all([scene?.dispose(), bitbucket?.stop(), azure?.stop()]);
  });

  const POOL = "projects/123456789012/locations/global/workloadIdentityPools/pipelines";

  /** Programs in place of those that use the network. */
  function addPrograms(): void {
    const program = (name: string, ...lines: string[]) =>
      fs.writeFileSync(path.join(scene.bin, name), ["#!/bin/bash", ...lines, ""].join("\n"), { mode: 0o755 });
    program("npm", '[ "$*" = ci ] || exit 64');
    const curl = spawnSync("which", ["curl"], { encoding: "utf8" }).stdout.trim();
    program(
      "curl",
      'case "$*" in',
      `  *https://github.com/*/ci/install.sh) exec cp '${repositoryRoot}/ci/install.sh' "$3" ;;`,
      "  *https://*) echo true; exit ;;",
      "esac",
      `exec '${curl}' "$@"`,
    );
    // As gcloud writes the file: https://google.aip.dev/auth/4117.
    program(
      "gcloud",
      `printf '%s\\n' "$*" >>'${fileOf("gcloud-calls")}'`,
      'if [ "$1 $2" = "projects describe" ]; then echo 123456789012; fi',
      'if [ "$3" != create-cred-config ]; then exit; fi',
      `jq --null-input --arg provider "$4" --arg file "$8" '{type: "external_account",`,
      `  audience: "//iam.googleapis.com/\\($provider)", subject_token_type: "urn:ietf:params:oauth:token-type:jwt",`,
      `  token_url: "https://sts.googleapis.com/v1/token", credential_source: {$file}}' >"\${10}"`,
    );
  }

  function shell(script: string, env: Record<string, string>, by: Step["shell"]): Promise<CommandEnd> {
    return scene.shell(script.replaceAll(/\/tmp\b/g, fileOf("job-tmp")), env, by);
  }

  const unknown = (plan: string) => plan.replaceAll(/serviceAccount:export-v2@[\w.-]+/g, ENGINE_UNKNOWN);
  /** What a review of the plan ends with, and how the plan or the options differ for that. */
  const OUTCOMES: Record<number, { args: string[]; change?: typeof unknown }> = {
    0: { args: ["--allow-loss", FHIR_STORE] },
    1: { args: ["--no-such-option"] },
    2: { args: [] },
    3: { args: ["--allow-loss", FHIR_STORE], change: unknown },
  };

  /** What the command was given, with the content of the file of the credentials; undefined if it did not run. */
  let given: (Asked & { credentials: string }) | undefined;

  /** Has `npx` review the plan that was made before, with an outcome. */
  function setOutcome(outcome: number): void {
    const { args = [], change } = OUTCOMES[outcome] ?? {};
    given = undefined;
    scene.npx = (asked) => {
      if (asked.args.includes("publish")) return runPackage(asked);
      const { GOOGLE_APPLICATION_CREDENTIALS: file = "/dev/null" } = asked.env;
      given = { ...asked, credentials: fs.readFileSync(path.resolve(asked.cwd, file), "utf8") };
      return ofPlan(change)({ ...asked, args: [...asked.args, ...args] });
    };
  }

  async function run({ steps, env = () => ({}), files }: Platform, outcome: number): Promise<CommandEnd> {
    // A commit has the good answer of another run: a run without an answer must not publish it.
    for (const file of files) {
      fs.mkdirSync(path.dirname(inProject(file)), { recursive: true });
      fs.writeFileSync(inProject(file), JSON.stringify(emptyAnswer("committed", { exitCode: 0 })));
    }
    fs.rmSync(path.join(fileOf("job-tmp"), "oidc-token"), { force: true });
    setOutcome(outcome);
    const end: CommandEnd = { code: 0, stdout: "", stderr: "" };
    for (const step of steps()) {
      if (end.code !== 0 && !step.always) continue;
      const { code, stdout, stderr } = await shell(
        step.script,
        // A job finds what its image has, and no jq.
        { PATH: image.folder, ...releases.env, ...env(), ...step.env },
        step.shell,
      );
      end.stdout += stdout;
      end.stderr += stderr;
      if (end.code === 0) end.code = code;
    }
    return end;
  }

  /** Runs the job of a plan with losses. Its review has the rules of the target branch and the identity of the job. */
  async function failsForLosses(each: Platform): Promise<void> {
    const { code, stdout, stderr } = await run(each, 2);
    expect({ code, stderr: each.name === "Jenkins" ? "" : stderr }).toEqual({ code: 2, stderr: "" });
    for (const file of each.files) expect([file, fs.statSync(inProject(file)).size > 100]).toEqual([file, true]);
    const { args = [], credentials = "" } = given ?? {};
    expect(args[args.indexOf("--policy-from") + 1]).toBe("refs/remotes/origin/main");
    // The log has the answer, where no comment has it.
    if (each.name !== "a shell") expect(stdout).toMatch(/^2 principals lose access[^]*Exit code 2: /m);
    if (each.token === undefined) return;
    const { audience, credential_source } = JSON.parse(credentials);
    expect(audience).toBe(`//iam.googleapis.com/${POOL}/providers/github`);
    expect(fs.readFileSync(credential_source.file, "utf8")).toBe(each.token);
  }

  const withoutApi = PLATFORMS.filter(({ name }) => !/^(?:Bitbucket|Azure)/.test(name));
  test.each(withoutApi)("for $name fails for losses, with the rules of the target branch", failsForLosses);

  const ENDS = PLATFORMS.flatMap(({ name }) => [0, 3, 1].map((code): [string, number] => [name, code]));
  test.each(
    casesHere(
      ENDS,
      // The tests below have 0 for the others.
      ([name, code]) => code === { "a shell": 3, "Bitbucket Pipelines": 1, "Azure Pipelines": 3, Jenkins: 0 }[name],
      ([name, code]) => `the pasted job for ${name} ends with ${code}`,
    ),
  )("for %s ends with %d", async (name, code) => {
    expect((await run(platform(name), code)).code).toBe(code);
    if (code === 1) expect(platform(name).files.filter((file) => fs.existsSync(inProject(file)))).toEqual([]);
  });

  test("for Bitbucket writes a report with the result and annotations at the lines", async () => {
    const name = "example/clinic/commit/cafe42/reports/access-review-clinic-dev";
    await failsForLosses(platform("Bitbucket Pipelines"));
    expect(bitbucket.reports.get(name)).toMatchObject({
      report: { report_type: "SECURITY", result: "FAILED", data: [{ title: "lost", value: 2 }, {}, {}, {}] },
      annotations: [
        { severity: "CRITICAL", path: "Pulumi.yaml", line: 13, summary: expect.stringContaining("export-v1@") },
        { severity: "CRITICAL", path: "Pulumi.yaml", line: 1, summary: expect.stringContaining("analysts@") },
        { severity: "CRITICAL", path: "Pulumi.yaml", line: 4, summary: expect.stringContaining("bob@") },
      ],
    });
    expect((await run(platform("Bitbucket Pipelines"), 0)).code).toBe(0);
    expect(bitbucket.reports.get(name)).toMatchObject({ report: { result: "PASSED" }, annotations: [] });
    expect((await run(platform("Bitbucket Pipelines"), 1)).code).toBe(1);
    expect(bitbucket.reports.get(name)).toMatchObject({
      report: { result: "FAILED", details: "There is no answer: the log of the step says why." },
      annotations: [],
    });
  });

  describe("for Azure", () => {
    const job = platform("Azure Pipelines");
    const comments = () => azure.threads.slice(3).map(({ status, comments: [first] }) => [status, first?.content]);
    const ANSWER = ["closed", expect.stringMatching(/^<!-- perimeter-review: clinic\/dev -->\n[^]*Exit code 0/)];
    const FAILED = [
      "closed",
      expect.stringMatching(/^<!-- perimeter-review: clinic\/dev -->\n### Access review failed\n/),
    ];
    /** Each run, and the comments after it. */
    let losses: unknown[];
    let failed: CommandEnd & { comments: unknown[] };
    let next: typeof failed;
    let ofOldCommit: typeof failed;
    let ofFork: typeof failed & { given: typeof given };
    let others: { before: unknown[]; after: unknown[] };

    beforeAll(async () => {
      const before = structuredClone(azure.threads.slice(0, 3));
      azure.threads.splice(3);
      const noted = async (code: number, each = job) => ({ ...(await run(each, code)), comments: comments() });
      await failsForLosses(job);
      losses = comments();
      failed = await noted(1);
      next = await noted(0);
      azure.head.commit = "beef";
      ofOldCommit = await noted(2);
      azure.head.commit = "cafe42";
      const fork = () => ({ ...job.env?.(), SYSTEM_PULLREQUEST_ISFORK: "True" });
      ofFork = { ...(await noted(0, { ...job, env: fork })), given };
      others = { before, after: azure.threads.slice(0, 3) };
    });

    test("a job with losses fails, and leaves one comment with the commit", () => {
      expect(losses).toEqual([
        ["closed", expect.stringMatching(/^<!-- perimeter-review: clinic\/dev -->\n[^]*\nAbout commit cafe42, by/)],
      ]);
    });

    test("a job without an answer replaces the comment, and says why", () => {
      expect(failed).toMatchObject({ code: 1, comments: [FAILED] });
      expect(failed.stderr).toContain("error: unknown option '--no-such-option'");
    });

    test("the next answer replaces the comment of a job without one", () => {
      expect(next).toMatchObject({ code: 0, comments: [ANSWER] });
    });

    test("a job of an older commit keeps the comment", () => {
      expect(ofOldCommit).toMatchObject({ code: 2, comments: [ANSWER] });
    });

    test("a job of a fork reviews nothing, and its comment says that there is no answer", () => {
      expect(ofFork).toMatchObject({ code: 3, stderr: expect.stringContaining("a fork is not reviewed") });
      expect(ofFork.given).toBeUndefined();
      expect(ofFork.comments).toEqual([["closed", expect.stringContaining("### Access review failed")]]);
    });

    test("the comments of others stay as they are", () => {
      expect(others.after).toEqual(others.before);
    });

    test("no step but the one that comments gets the token", () => {
      const withToken = job.steps().filter(({ env }) => env?.SYSTEM_ACCESSTOKEN !== undefined);
      expect(withToken.map(({ script }) => script.includes("review --stack"))).toEqual([false]);
    });
  });

  test("for Pulumi Deployments reviews only previews", async () => {
    const each = platform("Pulumi Deployments");
    const env = () => ({ ...each.env?.(), PULUMI_CI_OPERATION: "update" });
    expect(await run({ ...each, env }, 2)).toMatchObject({ code: 0, stdout: "" });
    expect(given).toBeUndefined();
    expect((await run(each, 0)).code).toBe(0);
    expect(given?.args).toContain("organization/clinic/dev");
  });

  test("for GitLab has the job of the template, and writes the token to the file of the credentials", async () => {
    const { include, "access-review": job } = z
      .strictObject({
        include: z.tuple([z.looseObject({ inputs: z.record(z.string(), z.string()) })]),
        "access-review": z.strictObject({
          id_tokens: z.strictObject({ REVIEW_ID_TOKEN: z.strictObject({ aud: z.string() }) }),
          variables: z.strictObject({ GOOGLE_APPLICATION_CREDENTIALS: z.string() }),
        }),
      })
      .parse(parse(pasted("review-gitlab.md", "", "yaml")));
    const template = parseAllDocuments(textOf("ci/access-review.yml"))[0]?.toJS();
    expect(template.spec.inputs.job.default).toBe("access-review");
    expect(job.id_tokens.REVIEW_ID_TOKEN.aud).toBe(`https://iam.googleapis.com/${POOL}/providers/gitlab`);
    expect(job.variables.GOOGLE_APPLICATION_CREDENTIALS).toBe("$CI_PROJECT_DIR/reviewer-credentials.json");
    const { code } = await shell(include[0].inputs.install ?? "", { REVIEW_ID_TOKEN: "gitlab-token" }, BASH);
    expect(code).toBe(0);
    expect(fs.readFileSync(path.join(fileOf("job-tmp"), "oidc-token"), "utf8")).toBe("gitlab-token");
  });

  test("for GitHub uses outputs that the action has", () => {
    const { outputs } = z.object({ outputs: z.record(z.string(), z.unknown()) }).parse(parse(textOf("action.yml")));
    const used = [...textOf("docs/review-github.md").matchAll(/steps\.review\.outputs\.([\w-]+)/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(used)].sort()).toEqual(
      Object.keys(outputs)
        .filter((name) => name !== "exit-code")
        .sort(),
    );
  });

  test("the commands for the identity limit the audience only where the platform has its own", async () => {
    const script = pasted("review-ci.md", "The identity", "sh");
    const providers = () =>
      fs
        .readFileSync(fileOf("gcloud-calls"), "utf8")
        .split("\n")
        .filter((call) => call.includes("create-oidc"));
    expect(providers()).toEqual([
      expect.stringMatching(/create-oidc github .* --attribute-condition assertion\.repository == 'example\/clinic'$/),
    ]);
    expect(providers()[0]).not.toContain("audiences");
    const audience = "AUDIENCE=ari:cloud:bitbucket::workspace/WORKSPACE-ID";
    expect(script).toContain(" AUDIENCE=\n");
    expect(textOf("docs/review-ci.md")).toContain(audience);
    await shell(script.replace("AUDIENCE=\n", `${audience}\n`), {}, BASH);
    // One word, because zsh does not split what a variable has.
    expect(providers()[1]).toContain(" --allowed-audiences=ari:cloud:bitbucket::workspace/WORKSPACE-ID --attribute");
  });
});
