/**
 * A stack as the CLI keeps it in files: `PULUMI_BACKEND_URL=file://…` and Pulumi.<stack>.yaml. A third of a second of
 * processor time goes into each start of the CLI, so what only makes a stack, reads its state or sets a plain value does it
 * here. tests/engine/tooling/file-backend.test.ts compares all of it with what the CLI does.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { parse, stringify } from "yaml";
import { STACK_KEY } from "./key-service";
import type { StackState } from "./state";

/** What marks a secret in a state, in the place of its value. */
const SECRET_KEY = "4dabf18193072939515e22adb298388d";

interface Checkpoint {
  version: number;
  checkpoint: { stack: string; latest?: StackState["deployment"] | null };
}

/** Keys with the name of the project before them, unless they have a namespace. */
type Settings = Record<string, unknown>;

export class StackFiles {
  private readonly checkpoint: string;
  private readonly settings: string;

  /**
   * @param state the backend's folder
   * @param program the folder with Pulumi.yaml
   */
  constructor(
    private readonly state: string,
    program: string,
    private readonly project: string,
    private readonly stack: string,
  ) {
    this.checkpoint = path.join(state, ".pulumi", "stacks", project, `${stack}.json`);
    this.settings = path.join(program, `Pulumi.${stack}.yaml`);
  }

  /** `pulumi stack init`, with the key of the tests. Every stack may have the same: each is alone in its backend. */
  init(): void {
    fs.mkdirSync(path.dirname(this.checkpoint), { recursive: true });
    fs.writeFileSync(path.join(this.state, ".pulumi", "meta.yaml"), "version: 1\n");
    const stack = `organization/${this.project}/${this.stack}`;
    this.write({ version: 3, checkpoint: { stack, latest: null } });
    this.changeSettings((settings) => ({ ...STACK_KEY, ...settings }));
  }

  /** `pulumi stack export`: secrets stay encrypted. */
  read(): StackState {
    const { version, checkpoint } = JSON.parse(fs.readFileSync(this.checkpoint, "utf8")) as Checkpoint;
    return { version, deployment: checkpoint.latest ?? {} };
  }

  /** `pulumi stack import`, without its checks. */
  replace({ version, deployment }: StackState): void {
    const { checkpoint } = JSON.parse(fs.readFileSync(this.checkpoint, "utf8")) as Checkpoint;
    this.write({ version, checkpoint: { ...checkpoint, latest: deployment } });
  }

  /** `pulumi stack output --json`; undefined where one of them is a secret, which only the CLI can decrypt. */
  outputs(): Record<string, unknown> | undefined {
    const outputs = this.read().deployment.resources?.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs;
    return JSON.stringify(outputs ?? {}).includes(SECRET_KEY) ? undefined : (outputs ?? {});
  }

  /** `pulumi config set --plaintext`. */
  set(key: string, value: string): void {
    this.changeSettings(({ config, ...rest }) => ({
      ...rest,
      config: { ...(config as Settings | undefined), [this.fullKey(key)]: value },
    }));
  }

  /** `pulumi config rm`. */
  remove(key: string): void {
    this.changeSettings(({ config, ...rest }) => {
      const { [this.fullKey(key)]: _removed, ...left } = (config ?? {}) as Settings;
      return Object.keys(left).length > 0 ? { ...rest, config: left } : rest;
    });
  }

  /**
   * Removes what a killed CLI leaves: its lock, as `pulumi cancel` does, and the attributes of the checkpoint. The CLI can work
   * without these attributes, but not with the empty file that is there when it is killed while it writes them ("failed to
   * load checkpoint: EOF").
   */
  clearKilledRun(): void {
    fs.rmSync(path.join(this.state, ".pulumi", "locks"), { recursive: true, force: true });
    fs.rmSync(`${this.checkpoint}.attrs`, { force: true });
  }

  private fullKey(key: string): string {
    return key.includes(":") ? key : `${this.project}:${key}`;
  }

  private changeSettings(change: (settings: Settings) => Settings): void {
    const before = fs.existsSync(this.settings) ? (parse(fs.readFileSync(this.settings, "utf8")) as Settings) : {};
    fs.writeFileSync(this.settings, stringify(change(before ?? {})));
  }

  private write(checkpoint: Checkpoint): void {
    fs.writeFileSync(this.checkpoint, JSON.stringify(checkpoint));
  }
}
