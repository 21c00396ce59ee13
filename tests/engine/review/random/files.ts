/** Random programs as the YAML of one stack: each program has resources, a dataset and stores of its own in it. */
import type { Values } from "../../../../provider/core/unknown";
import { grantId } from "../../../../provider/iam/grant-id";
import { OTHER_TYPES } from "../../../support/other-provider";
import { STORE_BINDING, STORE_GRANT } from "../../../support/tokens";
import { MEMBERS } from "./policies";
import type { Declared, Parent, Program } from "./programs";

export const STORES = 3;

/** The dataset of a program. */
export const datasetOf = (number: number) => `projects/demo-project/locations/us-central1/datasets/clinic-${number}`;
/** The name of a dataset in a review: names of its kind are of several APIs. */
export const fullNameOf = (dataset: string) => `//healthcare.googleapis.com/${dataset}`;
export const storesOf = (number: number) =>
  Array.from({ length: STORES }, (_, at) => `${datasetOf(number)}/fhirStores/store-${at}`);
/** The dataset and two of its stores by the names of the resources that another provider may manage. */
export function parentsOf(number: number): Record<string, string> {
  const [first = "", second = ""] = storesOf(number);
  return { dataset: datasetOf(number), "store-0": first, "store-1": second };
}

export function typeOf({ inputs, gcp }: Declared): string {
  if (gcp !== undefined) return `gcp:healthcare/fhirStoreIam${gcp}:FhirStoreIam${gcp}`;
  return "members" in inputs ? STORE_BINDING : STORE_GRANT;
}

/** The inputs of a grant of `@pulumi/gcp`. */
function inputsOfGcp({ inputs: { name, role, ...rest }, gcp }: Declared): Values {
  if (gcp !== "Policy") return { fhirStoreId: name, role, ...rest };
  return { fhirStoreId: name, policyData: JSON.stringify({ bindings: [{ role, ...rest }] }) };
}

/** The name of a program's resource in the stack. */
export const named = (name: string, number: number) => `${name}-${number}`;
/** The program that a resource of the stack is of. */
export const numberOf = (urn: string) => Number(/-(\d+)$/.exec(urn)?.[1] ?? -1);
/** A part of each secret member. */
export const CANARY = "canary-51c2";

export interface StackOptions {
  /** Settings of the explicit providers by name. */
  providers: Readonly<Record<string, Values>>;
  hasOutputs: boolean;
}

export function filesOf(programs: readonly Program[], { providers, hasOutputs }: StackOptions): Record<string, string> {
  const used = new Set(
    programs.flatMap(({ grants }) => Object.values(grants).flatMap(({ provider }) => provider ?? [])),
  );
  const explicit = [...used].map((name) => [
    name,
    { type: "pulumi:providers:perimeter", properties: providers[name] ?? {} },
  ]);
  const declared = programs.flatMap(({ grants, parents }, number) => [
    ...Object.entries(parents).map(([name, parent]) => [named(name, number), parentOf(name, parent)]),
    ...Object.entries(grants).map(([name, grant]) => [named(name, number), grantOf(grant, number, parents)]),
  ]);
  const resources: unknown = Object.fromEntries([...explicit, ...declared]);
  const outputs = hasOutputs ? { outputs: { shown: 1 } } : {};
  // JSON is YAML too.
  return { "Pulumi.yaml": JSON.stringify({ name: "p", runtime: "yaml", resources, ...outputs }) };
}

function parentOf(name: string, { id, version, retainOnDelete }: Parent): object {
  const [store, dataset] = OTHER_TYPES;
  return {
    type: name.startsWith("store") ? store : dataset,
    properties: { resource: id, version },
    options: { retainOnDelete },
  };
}

/** A grant comes after the resource that it is on. */
function grantOf(declared: Declared, number: number, parents: Program["parents"]): object {
  const { inputs, isRead, isImported, isSecret, dependsOn, deletedWith, provider, alias, ...options } = declared;
  const reference = (name: string) => `\${${named(name, number)}}`;
  const type = typeOf(declared);
  const id = isRead || isImported ? idOf(inputs) : undefined;
  const above = Object.keys(parents).filter((name) => `${String(inputs.name)}/`.startsWith(`${parents[name]?.id}/`));
  const common = {
    ...(provider === undefined ? {} : { provider: `\${${provider}}` }),
    dependsOn: [...above, ...(dependsOn ?? [])].map(reference),
  };
  if (isRead) return { type, get: { id }, options: common };
  const { deleteBeforeReplace, retainOnDelete } = options;
  return {
    type,
    properties:
      declared.gcp !== undefined
        ? inputsOfGcp(declared)
        : isSecret
          ? { ...inputs, member: { "fn::secret": secretOf(inputs.member) } }
          : inputs,
    options: {
      ...common,
      deleteBeforeReplace,
      retainOnDelete,
      import: id,
      ...(deletedWith === undefined ? {} : { deletedWith: reference(deletedWith) }),
      ...(alias === undefined ? {} : { aliases: [`urn:pulumi:test::p::${type}::${named(alias, number)}`] }),
    },
  };
}

function secretOf(member: unknown): string {
  return `user:${CANARY}-${MEMBERS.indexOf(String(member))}@example.com`;
}

function idOf({ name, role, member, condition }: Values): string {
  const conditional = condition as { title: string; description?: string; expression: string } | undefined;
  return grantId(String(name), {
    role: String(role),
    member: String(member),
    ...(conditional ? { condition: conditional } : {}),
  });
}
