import * as z from "zod";
import type { Values } from "../../provider/core/unknown";
import { readValue } from "./plan-values";

/** A resource as a plan or a state has it. Secret values are `SECRET`, values that are not known yet `UNKNOWN`. */
export interface PlannedState {
  urn: string;
  type: string;
  id?: string;
  inputs: Values;
  outputs: Values;
  /** `URN::ID`. */
  provider?: string;
  /** URN. The engine gives every resource of a program a parent, the stack at least, and its own default providers none. */
  parent?: string;
  /**
   * In a state: replaced by an earlier update that did not get to its delete, which the next update will do, and no plan
   * shows. In a plan: the old resource of a replacement that is deleted after the new one is created.
   */
  delete?: boolean;
  /** URNs of the resources that the engine makes before this one and deletes after it. */
  dependencies?: string[];
  /** URNs of the resources whose outputs are in the input `name`. */
  nameFrom?: string[];
  /** In a plan, without `delete`: deleted before the new one is created. With it, and in a state: deleted already. */
  pendingReplacement?: boolean;
  /** The delete does not ask the provider: the grant stays. */
  retainOnDelete?: boolean;
  /** URN. Where that resource is deleted too, the delete does not ask the provider. */
  deletedWith?: string;
  /** The stack reads it, and does not manage it. */
  external?: boolean;
  /** The id that the program's option `import` names, also long after the import.. */
  importId?: string;
  /**
   * The top-level properties that are secret, and that the state shows all the same (`--show-secrets`): used, and never
   * shown to anybody.
   */
  secrets?: string[];
}

/**
 * `ResourceV3` of sdk/go/common/apitype/core.go, as far as it matters here. Others may have more.
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
});

/** @internal */
export function plannedState(raw: z.infer<typeof resourceShape>): PlannedState {
  const secrets = new Set<string>();
  const read = (values: Values | null | undefined) =>
    Object.fromEntries(
      Object.entries(values ?? {}).map(([name, value]) => [name, readValue(value, () => secrets.add(name))]),
    );
  const { urn, type, id, provider, parent, deletedWith } = raw;
  const dependencies = raw.dependencies ?? [];
  const nameFrom = raw.propertyDependencies?.name ?? [];
  const [inputs, outputs] = [read(raw.inputs), read(raw.outputs)];
  return {
    urn,
    type,
    inputs,
    outputs,
    ...(id ? { id } : {}),
    ...(provider ? { provider } : {}),
    ...(parent ? { parent } : {}),
    ...(raw.delete ? { delete: true } : {}),
    ...(dependencies.length > 0 ? { dependencies } : {}),
    ...(nameFrom.length > 0 ? { nameFrom } : {}),
    ...(raw.pendingReplacement ? { pendingReplacement: true } : {}),
    ...(raw.retainOnDelete ? { retainOnDelete: true } : {}),
    ...(deletedWith ? { deletedWith } : {}),
    ...(raw.external ? { external: true } : {}),
    ...(raw.importID ? { importId: raw.importID } : {}),
    ...(secrets.size > 0 ? { secrets: [...secrets] } : {}),
  };
}
