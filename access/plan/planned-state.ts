import * as z from "zod";
import { isRecord, type Values } from "../../provider/core/unknown";
import { isView } from "../result/packages";
import { readValue } from "./plan-values";
import { ownLine, type SourceLine } from "./source-line";

/** The type of the root of each stack, which is the first resource that a program registers. */
export const STACK_TYPE = "pulumi:pulumi:Stack";

/** The beginning of the types of providers. The package is behind it. */
export const PROVIDER_TYPE = "pulumi:providers:";

/** A resource of a plan or a state. Secret values are `SECRET`, values that are not known yet are `UNKNOWN`. */
export interface PlannedState {
  urn: string;
  type: string;
  id?: string;
  inputs: Values;
  outputs: Values;
  /**
   * In a plan that makes up names: the inputs with the resources that have these names in their place. They are the same in each preview
   * of a program.
   */
  stableInputs?: Values;
  /** `URN::ID`. */
  provider?: string;
  /** URN. Every resource of a program has a parent, which may be the stack. The engine's default providers have none. */
  parent?: string;
  /**
   * In a state: an earlier update replaced it and did not delete it; the next update deletes it, which no plan shows. In a
   * plan: the old resource of a replacement that is deleted after the new one is created.
   */
  delete?: boolean;
  /** URNs of the resources that the engine makes before this one and deletes after it. */
  dependencies?: string[];
  /** For each input: the URNs of the resources whose outputs it contains. */
  inputsFrom?: Readonly<Record<string, readonly string[]>>;
  /**
   * In a plan, without `delete`: it is deleted before the new one is created. With `delete`, and in a state: it is already
   * deleted.
   */
  pendingReplacement?: boolean;
  /** The delete does not ask the provider: the grant stays. */
  retainOnDelete?: boolean;
  /** URN. Where that resource is deleted too, the delete does not ask the provider. */
  deletedWith?: string;
  /** The stack reads it, and does not manage it. */
  external?: boolean;
  /** The id in the program's option `import`, which may stay there after the import. */
  importId?: string;
  /**
   * The secret top-level properties that the state shows (`--show-secrets`). The review uses their values and never shows
   * them.
   */
  secrets?: string[];
  /** A resource of the program that only groups others. */
  isComponent?: true;
  /** The line of the program that declares it. */
  line?: SourceLine;
}

/**
 * The relevant part of `ResourceV3` of sdk/go/common/apitype/core.go.
 *
 * @internal
 */
export const resourceShape = z.looseObject({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).nullish(),
  outputs: z.record(z.string(), z.unknown()).nullish(),
  provider: z.string().optional(),
  parent: z.string().optional(),
  delete: z.boolean().optional(),
  pendingReplacement: z.boolean().optional(),
  retainOnDelete: z.boolean().optional(),
  deletedWith: z.string().optional(),
  dependencies: z.array(z.string()).nullish(),
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullish()).nullish(),
  external: z.boolean().optional(),
  importID: z.string().optional(),
  custom: z.boolean().optional(),
  // Not checked here, because a review without lines is better than none. `ownLine` reads as many frames as it needs.
  sourcePosition: z.unknown().optional(),
  stackTrace: z.unknown().optional(),
});

/** @internal */
export function plannedState(raw: z.infer<typeof resourceShape>): PlannedState {
  const secrets = new Set<string>();
  const [nameOf, valueOf] = isView(raw.type) ? [inCamelCase, namesInCamelCase] : [same, same];
  const read = (values: Values | null | undefined) =>
    Object.fromEntries(
      Object.entries(values ?? {}).map(([given, value]) => {
        const name = nameOf(given);
        return [name, valueOf(readValue(value, () => secrets.add(name)))];
      }),
    );
  const { urn, type, id, provider, parent, deletedWith } = raw;
  const dependencies = raw.dependencies ?? [];
  const inputsFrom = Object.fromEntries(
    Object.entries(raw.propertyDependencies ?? {}).flatMap(([name, from]) => (from?.length ? [[name, from]] : [])),
  );
  const [inputs, outputs] = [read(raw.inputs), read(raw.outputs)];
  const line = ownLine(raw);
  return {
    urn,
    type,
    inputs,
    outputs,
    ...(id && { id }),
    ...(provider && { provider }),
    ...(parent && { parent }),
    ...(raw.delete && { delete: true }),
    ...(dependencies.length > 0 && { dependencies }),
    ...(Object.keys(inputsFrom).length > 0 && { inputsFrom }),
    ...(raw.pendingReplacement && { pendingReplacement: true }),
    ...(raw.retainOnDelete && { retainOnDelete: true }),
    ...(deletedWith && { deletedWith }),
    ...(raw.external && { external: true }),
    ...(raw.importID && { importId: raw.importID }),
    ...(secrets.size > 0 && { secrets: [...secrets] }),
    ...(raw.custom === false && type !== STACK_TYPE && { isComponent: true }),
    ...(line && { line }),
  };
}

function same<T>(value: T): T {
  return value;
}

/**
 * Views of Terraform modules have its names: `policy_data` is `policyData` in all other packages. A key of a map that is
 * not a name in this form stays as it is: `ada_b@example.com`.
 */
export function inCamelCase(name: string): string {
  if (!/^\w+$/.test(name)) return name;
  return name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** The same for the names in blocks. */
function namesInCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(namesInCamelCase);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [inCamelCase(name), namesInCamelCase(each)]));
}
