import { escapedForRegExp } from "../../provider/core/secrets";
import { getOrCompute } from "../../provider/core/once";
import { isRecord, listOf, UNKNOWN, type Values } from "../../provider/core/unknown";
import { NATIVE, packageOf } from "../result/packages";
import { shortNameOf } from "../result/urn";
import type { PlannedState } from "./planned-state";

/** The operations with which a provider makes up a name. In others, the resource keeps that of the state. */
const MAKES: readonly string[] = ["create", "replace", "create-replacement"];
/** The inputs that name a resource. */
const NAMING = /^name$|(?:Name|Id)$/;
/** Where bridged providers list the inputs that they set: `defaultsKey` of pkg/tfbridge/schema.go of pulumi-terraform-bridge. */
const DEFAULTS = "__defaults";

/** The part of a step of a plan that says which resource gets which inputs. */
interface Step {
  op: string;
  urn: string;
  type: string;
  old?: PlannedState;
  new?: PlannedState;
}

/**
 * Replaces the names that a preview made up for new resources by `UNKNOWN`, also in the inputs of others that come from them: the
 * update makes up another name (https://www.pulumi.com/docs/iac/concepts/resources/names/#autonaming).
 */
export function withoutMadeUpNames<S extends Step>(steps: readonly S[]): S[] {
  const madeUp = new Map<string, Values>();
  for (const step of steps) {
    const names = madeUpIn(step);
    if (Object.keys(names).length > 0)
      Object.assign(
        getOrCompute(madeUp, step.urn, () => ({})),
        names,
      );
  }
  if (madeUp.size === 0) return [...steps];
  return steps.map((step) => {
    if (!step.new) return step;
    const own = MAKES.includes(step.op) ? madeUp.get(step.urn) : undefined;
    const inputs = Object.entries(step.new.inputs).map(([name, value]): [string, unknown] => {
      if (own && Object.hasOwn(own, name)) return [name, UNKNOWN];
      const texts = sourcesOf(step.new, name).flatMap((urn) => Object.values(madeUp.get(urn) ?? {}));
      return [name, texts.length === 0 ? value : withoutTexts(value, texts as string[])];
    });
    return { ...step, new: { ...step.new, inputs: Object.fromEntries(inputs) } };
  });
}

/** The inputs with a name that the preview made up. */
function madeUpIn({ op, urn, type, old, new: planned }: Step): Values {
  if (!planned || !MAKES.includes(op)) return {};
  const name = shortNameOf(urn);
  const defaults = listOf(planned.inputs[DEFAULTS]);
  // google-native marks none. It appends seven hexadecimal digits.
  const isOfNative = new RegExp(`^${escapedForRegExp(name)}-[0-9a-f]{7}$`);
  return Object.fromEntries(
    Object.entries(planned.inputs).filter(([input, value]) => {
      // A name that equals the resource's name in the program is not random: the autonaming mode `verbatim` gives it.
      if (typeof value !== "string" || value === name || value === old?.inputs[input]) return false;
      return NAMING.test(input) && (defaults.includes(input) || (packageOf(type) === NATIVE && isOfNative.test(value)));
    }),
  );
}

/** URNs of the resources that an input comes from. Without a list for each input, it may come from all dependencies. */
function sourcesOf(state: PlannedState | undefined, input: string): readonly string[] {
  return (state?.inputsFrom ? state.inputsFrom[input] : state?.dependencies) ?? [];
}

/** The value, where each text that contains one of these is not known yet. */
function withoutTexts(value: unknown, texts: readonly string[]): unknown {
  if (typeof value === "string") return texts.some((each) => value.includes(each)) ? UNKNOWN : value;
  if (Array.isArray(value)) return value.map((each) => withoutTexts(each, texts));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutTexts(each, texts)]));
}
