import { escapedForRegExp } from "../../provider/core/secrets";
import { isRecord, listOf, UNKNOWN } from "../../provider/core/unknown";
import { groupedBy } from "../result/order";
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

/** A name that a preview made up, and what stands for it in each preview: the resource and the input. */
interface MadeUp {
  input: string;
  text: string;
  stable: string;
}

/**
 * Replaces the names that a preview made up for new resources by `UNKNOWN`, also in the inputs of others that come from them: the
 * update makes up another name (https://www.pulumi.com/docs/iac/concepts/resources/names/#autonaming).
 */
export function withoutMadeUpNames<S extends Step>(steps: readonly S[]): S[] {
  const madeUp = new Map(
    [...groupedBy(steps, ({ urn }) => urn)].map(([urn, all]) => [urn, all.flatMap(madeUpIn)] as const),
  );
  if ([...madeUp.values()].every((names) => names.length === 0)) return [...steps];
  return steps.map((step) => {
    const { op, urn, new: planned } = step;
    if (!planned) return step;
    const own = MAKES.includes(op) ? (madeUp.get(urn) ?? []) : [];
    const namesAt = (input: string) => [
      ...own.filter((each) => each.input === input),
      ...sourcesOf(planned, input).flatMap((from) => madeUp.get(from) ?? []),
    ];
    const inputsWith = (replaced: typeof unknownIn) =>
      Object.fromEntries(
        Object.entries(planned.inputs).map(([input, value]) => [input, inTexts(value, namesAt(input), replaced)]),
      );
    return { ...step, new: { ...planned, inputs: inputsWith(unknownIn), stableInputs: inputsWith(stableIn) } };
  });
}

/** The inputs with a name that the preview made up. */
function madeUpIn({ op, urn, type, old, new: planned }: Step): MadeUp[] {
  if (!planned || !MAKES.includes(op)) return [];
  const name = shortNameOf(urn);
  const defaults = listOf(planned.inputs[DEFAULTS]);
  // google-native marks none. It appends seven hexadecimal digits.
  const isOfNative = new RegExp(`^${escapedForRegExp(name)}-[0-9a-f]{7}$`);
  return Object.entries(planned.inputs).flatMap(([input, text]) => {
    // A name that equals the resource's name in the program is not random: the autonaming mode `verbatim` gives it.
    if (typeof text !== "string" || text === name || text === old?.inputs[input]) return [];
    const isMadeUp =
      NAMING.test(input) && (defaults.includes(input) || (packageOf(type) === NATIVE && isOfNative.test(text)));
    return isMadeUp ? [{ input, text, stable: `[${input} of ${urn}]` }] : [];
  });
}

/** URNs of the resources that an input comes from. Without a list for each input, it may come from all dependencies. */
function sourcesOf(state: PlannedState | undefined, input: string): readonly string[] {
  return (state?.inputsFrom ? state.inputsFrom[input] : state?.dependencies) ?? [];
}

/** A value with other texts where they contain a name that is made up. */
function inTexts(value: unknown, names: readonly MadeUp[], replaced: typeof unknownIn): unknown {
  if (names.length === 0) return value;
  if (typeof value === "string") return replaced(value, names);
  if (Array.isArray(value)) return value.map((each) => inTexts(each, names, replaced));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inTexts(each, names, replaced)]));
}

function unknownIn(text: string, names: readonly MadeUp[]): unknown {
  return names.some((each) => text.includes(each.text)) ? UNKNOWN : text;
}

function stableIn(text: string, names: readonly MadeUp[]): unknown {
  return names.reduce((rest, each) => rest.replaceAll(each.text, each.stable), text);
}
