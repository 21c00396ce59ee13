/** The policies of a seed's targets and the associations, and what others do to the policies. */
import { startEmulator, type Emulator, type RequestRecord } from "../../../emulator";
import { PROJECT } from "../../support/programs";
import { associationText } from "./associations";
import {
  bindingsOf,
  deletedForm,
  grantsInPolicy,
  keyOfGrant,
  plainForm,
  seedOf,
  targetOf,
  type Binding,
  type GrantText,
} from "./grant-text";
import { networkName, NUMBER } from "./program";

interface Policy {
  bindings?: Binding[];
  auditConfigs?: unknown[];
}

export class GrantCloud {
  /** Called when the answer to a request was sent. */
  onRequest: (request: RequestRecord) => void = () => undefined;
  /** Called when a request got no answer, as a fault wants it. */
  onStall: () => void = () => undefined;
  emulator!: Emulator;
  /** How long the answer to a request about a policy or a project takes, in milliseconds. */
  latencyMs = 0;
  private audits: Record<string, unknown> = {};

  private constructor(private readonly targets: readonly string[]) {}

  /** @param targets the short names of its resources */
  static async start(targets: readonly string[]): Promise<GrantCloud> {
    const cloud = new GrantCloud(targets);
    cloud.emulator = await startEmulator({
      seed: seedOf(targets),
      projectNumbers: { [NUMBER]: PROJECT },
      onRequest: (request) => cloud.onRequest(request),
      onStall: () => cloud.onStall(),
    });
    return cloud;
  }

  /** All grants in the policies. */
  grants(): Set<GrantText> {
    return new Set(this.targets.flatMap((short) => grantsInPolicy(short, this.policy(short).bindings ?? [])));
  }

  /** The policies as text, to see whether anything in them changes. */
  policies(): string {
    return JSON.stringify(this.targets.map((short) => this.emulator.resource(targetOf(short).name)?.policy));
  }

  /** All associations, sorted. */
  associations(): string[] {
    const own = this.emulator.resources().filter(({ name }) => name.includes("/firewallEndpointAssociations/"));
    return own
      .map(({ name, body }) => {
        const { network = "", labels = {} } = body as { network?: string; labels?: { team?: string } };
        const short = network.replace(networkName(""), "");
        return associationText({ id: name.split("/").at(-1) ?? "", network: short, label: labels.team ?? "" });
      })
      .sort();
  }

  /** Requests get these faults, and the latency. */
  setFaults(rules: readonly object[]): void {
    const isSlow = this.latencyMs > 0;
    const slow = ["**:*etIamPolicy", "/v3/projects/*"].map((path) => ({
      match: { path },
      times: 0,
      fault: { delayMs: this.latencyMs },
    }));
    this.emulator.setFaults([...rules, ...(isSlow ? slow : [])]);
  }

  /** The requests that changed something, or tried to, while this ran. */
  async writesDuring(work: () => Promise<void>): Promise<string[]> {
    this.emulator.clearRequests();
    await work();
    const writes = this.emulator
      .requests()
      .filter(({ method, path }) => method !== "GET" && !/:(getIamPolicy|testIamPermissions)$/.test(path));
    return writes.map(({ method, path }) => `${method} ${path}`);
  }

  /** An identity is deleted, or is recovered: its grants get their other form. */
  setDeleted(member: string, isDeleted: boolean): void {
    const form = isDeleted ? deletedForm(member) : member;
    for (const short of this.targets) {
      const policy = this.policy(short);
      const bindings = (policy.bindings ?? []).map(({ members, ...rest }) => ({
        ...rest,
        members: members.map((each) => (plainForm(each) === plainForm(member) ? form : each)),
      }));
      this.emulator.mutate(targetOf(short).name, { policy: { ...policy, bindings } });
    }
  }

  /** Others add grants and take some away. Their grants come first, so that the other members of a list move. */
  change({ added = [], removed = [] }: { added?: readonly GrantText[]; removed?: readonly GrantText[] }): void {
    const grants = new Set([...added, ...this.grants()]);
    for (const grant of removed) grants.delete(grant);
    for (const short of this.targets) {
      const isHere = (grant: GrantText) => keyOfGrant(grant).startsWith(`${short} `);
      if (![...added, ...removed].some(isHere)) continue;
      const policy = { ...this.policy(short), bindings: bindingsOf([...grants].filter(isHere)) };
      this.emulator.mutate(targetOf(short).name, { policy });
    }
  }

  /** Others change the audit configuration of a target. */
  audit(short: string, exempted: string): void {
    const auditConfigs = [
      { service: "allServices", auditLogConfigs: [{ logType: "DATA_READ", exemptedMembers: [exempted] }] },
    ];
    this.audits[short] = auditConfigs;
    this.emulator.mutate(targetOf(short).name, { policy: { ...this.policy(short), auditConfigs } });
  }

  /** The targets whose audit configuration is not what others made it. */
  wrongAudits(): string[] {
    const isWrong = (short: string) =>
      JSON.stringify(this.policy(short).auditConfigs) !== JSON.stringify(this.audits[short]);
    return this.targets.filter(isWrong).map((short) => `WRONG audit configuration of ${short}`);
  }

  private policy(short: string): Policy {
    const stored = this.emulator.resource(targetOf(short).name)?.policy ?? {};
    const { etag: _etag, ...policy } = stored as Policy & { etag?: string };
    return policy;
  }
}
