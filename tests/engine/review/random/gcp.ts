/** Random grants of `@pulumi/gcp` in the programs, beside those of this provider and on the same policies. */
import type { Random } from "../../../support/grants-random";
import { condition, MEMBERS, ROLES } from "./policies";
import type { Declared, Program, Variety } from "./programs";

const NAMES = ["gcp-a", "gcp-b", "gcp-c"];
type Form = NonNullable<Declared["gcp"]>;

/** Adds, changes and removes grants from one update to the next. */
export class RandomGcpGrants {
  private grants: Record<string, Declared> = {};

  constructor(
    private readonly random: Random,
    private readonly variety: Pick<Variety, "stores">,
  ) {}

  beside(program: Program): Program {
    const { random, grants } = this;
    for (const name of NAMES) {
      const chance = random.next();
      const old = grants[name];
      if (!old && chance < 0.4) grants[name] = this.declared();
      else if (old && chance < 0.2) delete grants[name];
      else if (old && chance < 0.5)
        grants[name] = { ...this.declared(old.gcp), ...(chance < 0.25 && { retainOnDelete: true }) };
    }
    return { ...program, grants: { ...program.grants, ...grants } };
  }

  private declared(form?: Form): Declared {
    const { random } = this;
    const gcp = form ?? random.pick<Form>(["Member", "Member", "Binding", "Binding", "Policy"]);
    const name = random.pick(this.variety.stores);
    const members = MEMBERS.filter(() => random.next() < 0.3);
    const some = members.length > 0 ? members : [random.pick(MEMBERS)];
    const conditional = condition(random);
    const role = random.pick(ROLES);
    const inputs = { name, role, ...conditional };
    if (gcp === "Member") return { gcp, inputs: { ...inputs, member: some[0] } };
    return { gcp, inputs: { ...inputs, members: some } };
  }
}
