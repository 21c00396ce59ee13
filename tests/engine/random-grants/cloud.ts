/** The policies of a seed's targets, and what others do to them. */
import { startEmulator, type Emulator, type RequestRecord } from "../../../emulator";
import { PROJECT } from "../../support/programs";
import {
  bindingsOf,
  grantsInPolicy,
  keyOfGrant,
  NUMBER,
  seedOf,
  targetOf,
  type Binding,
  type GrantText,
} from "./program";

interface Policy {
  bindings?: Binding[];
  auditConfigs?: unknown[];
}

export class Cloud {
  /** Called when the answer to a request was sent. */
  onRequest: (request: RequestRecord) => void = () => undefined;
  /** Called when a request got no answer, as a fault wants it. */
  onStall: () => void = () => undefined;
  emulator!: Emulator;
  private audits: Record<string, unknown> = {};

  private constructor(private readonly targets: readonly string[]) {}

  /** @param targets the short names of its resources */
  static async start(targets: readonly string[]): Promise<Cloud> {
    const cloud = new Cloud(targets);
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

  /** Others add grants and take some away. */
  change({ added = [], removed = [] }: { added?: readonly GrantText[]; removed?: readonly GrantText[] }): void {
    const grants = this.grants();
    for (const grant of added) grants.add(grant);
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
