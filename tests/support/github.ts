/** GitHub as far as a job needs it: the REST API of comments and issues, and the steps of a composite action. */
import * as fs from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { StandIn, type ServedAnswer, type ServedRequest } from "./scripted-server";

/** A comment or an issue. Comments of pull request 7 have the parent 7; issues have none. */
export interface Post {
  id: number;
  number: number;
  parent?: string;
  title?: string;
  body: string;
  state: string;
  user: { type: string; id?: number };
  author_association?: string;
}

const posted = z.object({ title: z.string().optional(), body: z.string().optional(), state: z.string().optional() });

/**
 * The documented behaviour of https://docs.github.com/rest/issues: lists have pages, and a request without the token is
 * refused.
 */
export class GitHub extends StandIn {
  static readonly repository = "team/clinic";
  static readonly token = "ghs_not-a-real-token";
  readonly posts: Post[] = [];
  /** The person whose token it is; undefined for the token of a job. */
  user: number | undefined;
  /** The pull request 7. */
  readonly head = { commit: "cafe42".padEnd(40, "0"), target: "main" };

  /** Adds a post of a person or a bot. */
  post(post: Partial<Post>): Post {
    const id = this.posts.length + 1;
    const made: Post = { id: 1000 + id, number: id, body: "", state: "open", user: { type: "Bot" }, ...post };
    this.posts.push(made);
    return made;
  }

  protected serve(request: ServedRequest): ServedAnswer {
    if (request.headers.authorization !== `Bearer ${GitHub.token}`)
      return { status: 401, body: { message: "Bad credentials" } };
    const route = request.route.replace(`/repos/${GitHub.repository}`, "");
    const read = () => posted.parse(request.json());
    if (route === "GET /user")
      return this.user === undefined
        ? { status: 403, body: { message: "Resource not accessible by integration" } }
        : { status: 200, body: { id: this.user } };
    if (route === "GET /pulls/7")
      return { status: 200, body: { head: { sha: this.head.commit }, base: { ref: this.head.target } } };
    const list = /^GET \/issues(?:\/(\d+)\/comments)?$/.exec(route);
    if (list)
      return {
        status: 200,
        body: page(
          this.posts.filter(({ parent, state }) => parent === list[1] && state === "open"),
          request.parameters,
        ),
      };
    const create = /^POST \/issues(?:\/(\d+)\/comments)?$/.exec(route);
    if (create)
      return { status: 201, body: this.post({ ...defined(read()), ...(create[1] && { parent: create[1] }) }) };
    const [, comment, issue] = /^PATCH \/issues\/(?:comments\/(\d+)|(\d+))$/.exec(route) ?? [];
    const changed = this.posts.find(({ id, number, parent }) =>
      comment === undefined
        ? parent === undefined && `${number}` === issue
        : parent !== undefined && `${id}` === comment,
    );
    if (changed) return { status: 200, body: Object.assign(changed, defined(read())) };
    return { status: 404, body: { message: "Not Found" } };
  }
}

function page(posts: readonly Post[], parameters: URLSearchParams): readonly Post[] {
  const size = Number(parameters.get("per_page") ?? 30);
  const first = (Number(parameters.get("page") ?? 1) - 1) * size;
  return posts.slice(first, first + size);
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

const action = z.object({
  inputs: z.record(z.string(), z.object({ required: z.boolean().optional(), default: z.string().optional() })),
  outputs: z.record(z.string(), z.object({ value: z.string() })),
  runs: z.object({
    using: z.literal("composite"),
    steps: z.array(
      z.strictObject({
        name: z.string(),
        id: z.string().optional(),
        if: z.string().optional(),
        shell: z.literal("bash"),
        "working-directory": z.string().optional(),
        env: z.record(z.string(), z.string()).optional(),
        run: z.string(),
      }),
    ),
  }),
});

export interface ActionRun {
  /** The exit code of the first step that failed; otherwise 0. */
  code: number | null;
  /** The names of the steps that ran. */
  steps: string[];
  outputs: Record<string, string>;
  stdout: string;
  stderr: string;
}

interface ActionOptions {
  /** The path of action.yml. */
  file: string;
  inputs: Record<string, string>;
  /** Values of other expressions: `github.event.number`. */
  values: Record<string, string>;
  /** A file for the outputs of each step, which GITHUB_OUTPUT names. */
  outputFile: string;
  /** Runs a step's script as `bash -e -o pipefail`. */
  shell(script: string, env: Record<string, string>): Promise<Pick<ActionRun, "code" | "stdout" | "stderr">>;
}

/** Runs the steps of a composite action one after the other, as GitHub's runner does; after a failure, those with `always()`. */
export async function runAction({ file, inputs, values, outputFile, shell }: ActionOptions): Promise<ActionRun> {
  const { inputs: declared, outputs, runs } = action.parse(parse(fs.readFileSync(file, "utf8")));
  const known = new Map(Object.entries(values));
  // The runner makes it before a job.
  fs.mkdirSync(values["runner.temp"] ?? "temp", { recursive: true });
  const evaluate = (text: string) =>
    text.replaceAll(/\$\{\{ (\S+) \}\}/g, (_all, name: string) => {
      // A step that failed has no outputs.
      const value = known.get(name) ?? (name.startsWith("steps.") ? "" : undefined);
      if (value === undefined) throw new Error(`${file} uses ${name}, which has no value here`);
      return value;
    });
  for (const [name, { required, default: byDefault }] of Object.entries(declared)) {
    const value = inputs[name] ?? byDefault;
    if (value === undefined && required) throw new Error(`the input ${name} is missing`);
    known.set(`inputs.${name}`, evaluate(value ?? ""));
  }
  const run: ActionRun = { code: 0, steps: [], outputs: {}, stdout: "", stderr: "" };
  for (const step of runs.steps) {
    const conditions = step.if?.split(" && ") ?? [];
    const always = conditions[0] === "always()";
    const holds = conditions.slice(always ? 1 : 0).every((condition) => {
      const [, name = "", text] = /^((?:inputs|steps)\.\S+) != '(.*)'$/.exec(condition) ?? [];
      if (text === undefined) throw new Error(`${file} has the condition ${condition}, which is not known here`);
      return evaluate(`\${{ ${name} }}`) !== text;
    });
    if (!holds || (run.code !== 0 && !always)) continue;
    fs.writeFileSync(outputFile, "");
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value)]));
    const folder = step["working-directory"] === undefined ? "" : `cd '${evaluate(step["working-directory"])}'\n`;
    const { code, stdout, stderr } = await shell(folder + step.run, { ...env, GITHUB_OUTPUT: outputFile });
    run.steps.push(step.name);
    run.stdout += stdout;
    run.stderr += stderr;
    if (run.code === 0) run.code = code;
    for (const line of fs.readFileSync(outputFile, "utf8").split("\n").filter(Boolean)) {
      const equals = line.indexOf("=");
      known.set(`steps.${step.id}.outputs.${line.slice(0, equals)}`, line.slice(equals + 1));
    }
  }
  for (const [name, { value }] of Object.entries(outputs)) {
    run.outputs[name] = value.replaceAll(
      /\$\{\{ (\S+) \}\}/g,
      (_all, expression: string) => known.get(expression) ?? "",
    );
  }
  return run;
}
