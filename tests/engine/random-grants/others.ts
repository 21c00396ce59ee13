/** What others do to the policies: people and tools that no stack of the test knows. */
import type { Random } from "../../support/grants-random";
import type { GrantCloud } from "./cloud";
import { MEMBERS } from "./draft";
import { CONDITION_NAMES, keyOf, targetOf, type GrantText } from "./grant-text";
import { allGrants, grantEntries, type Program } from "./program";

/** Members that no program declares. */
const STRANGERS = ["user:x@example.com", "group:y@example.com"];

export class Others {
  /** @param targets the short names of the targets whose policies they write */
  constructor(
    private readonly cloud: GrantCloud,
    private readonly targets: readonly string[],
  ) {}

  /** They have made grants before the first program, some of which the programs declare later. @returns what they did */
  begin(random: Random): string {
    const added = Array.from({ length: 1 + random.below(5) }, () => this.anyGrant(random));
    this.cloud.change({ added });
    return `others grant ${added.join(", ")}`;
  }

  /** They add grants, and perhaps take a grant of the programs away. @returns what they did */
  write(random: Random, programs: readonly Program[]): string {
    const added = Array.from({ length: 1 + random.below(2) }, () => this.anyGrant(random, STRANGERS));
    // A member that somebody adds to a role of a binding is what the next change of the binding removes.
    const declared = programs.flatMap((program) => grantEntries(program).map(([, each]) => each));
    if (declared.length > 0 && random.next() < 0.6) {
      const secretive = declared.filter(({ secret }) => secret !== undefined);
      const chosen = random.pick(secretive.length > 0 && random.next() < 0.5 ? secretive : declared);
      added.push(`${keyOf(chosen)} ${random.pick(STRANGERS)}`);
    }
    const grants = [...new Set(programs.flatMap((program) => [...allGrants(program)]))];
    const removed = grants.length > 0 && random.next() < 0.25 ? [random.pick(grants)] : [];
    this.cloud.change({ added, removed });
    if (random.next() < 0.3) this.cloud.audit(random.pick(this.targets), random.pick(MEMBERS));
    return `others grant ${added.join(", ")}${removed.length > 0 ? ` and take away ${removed.join()}` : ""}`;
  }

  anyGrant(random: Random, members: readonly string[] = [...STRANGERS, ...MEMBERS], target?: string): GrantText {
    const on = target ?? random.pick(this.targets);
    const role = random.pick(targetOf(on).roles);
    const condition = random.next() < 0.2 ? random.pick(CONDITION_NAMES) : undefined;
    return `${keyOf({ on, role, condition })} ${random.pick(members)}`;
  }
}
