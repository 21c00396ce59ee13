import { tokenOf } from "../../provider/core/definition";
import type { Values } from "../../provider/core/unknown";
import { lookups } from "../../provider/services";
import { parents } from "../../provider/services/parents";
import type { GrantParent } from "../../provider/services/shared/parent";
import type { Lookup } from "../../provider/services/shared/lookups";
import { memberGrant } from "../../provider/services/shared/member-grant/lifecycle";
import { FaultyStack, unequal, type FaultyCloud, type Journey } from "./faults";
import { limits } from "../support/provider";
import { ASSOCIATION } from "../support/tokens";

const ZONE = "us-central1-a";
export const ASSOCIATION_NAME = `projects/p/locations/${ZONE}/firewallEndpointAssociations/a`;
const PLACE = { project: "p", location: "us-central1" };
/** A resource of a kind: each part of its name is the first letter of the variable. */
const nameOf = ({ template }: GrantParent) =>
  template.replaceAll(
    /\{(\w+)\}/g,
    (_, variable: string) => (PLACE as Record<string, string>)[variable] ?? variable.charAt(0),
  );
export const STORE = "projects/p/locations/us-central1/datasets/d/fhirStores/f";
/** The arguments of all lookups, which name the resources of SEED. */
const ARGUMENTS: Values = {
  ...PLACE,
  scopeId: "s",
  triggerId: "t",
  gatewayId: "g",
  resource: `//healthcare.googleapis.com/${STORE}`,
};

export const GRANT = { name: STORE, role: "roles/viewer", member: "user:ada@example.com" };

export const SEED = [
  ...parents.map((parent) => ({ service: parent.service.api, name: nameOf(parent) })),
  { service: "gkehub", name: "projects/p/locations/us-central1/scopes/s" },
];

export const NAMED = {
  firewallEndpoint: `organizations/1/locations/${ZONE}/firewallEndpoints/e`,
  network: "projects/p/global/networks/n",
  location: ZONE,
  firewallEndpointAssociationId: "a",
  labels: { env: "prod" },
};
const { firewallEndpointAssociationId: _, ...UNNAMED } = NAMED;
export { UNNAMED };

export function associations(cloud: FaultyCloud) {
  return cloud.emulator.resources().filter((each) => each.name.includes("/firewallEndpointAssociations/"));
}

/** Exactly one association, as wanted, and the one that the engine knows. */
export function wrongAssociation(cloud: FaultyCloud, stack: FaultyStack, wanted: Values): string | undefined {
  const [only, ...others] = associations(cloud);
  if (!only || others.length > 0) return `there are ${associations(cloud).length} associations`;
  const { labels, network, state } = only.body as Values;
  return (
    unequal(
      "the association",
      { labels, network, state },
      { labels: wanted.labels, network: wanted.network, state: "ACTIVE" },
    ) ??
    unequal("the engine's id", stack.resource?.id, only.name) ??
    unequal("the engine's labels", stack.resource?.state.labels, wanted.labels) ??
    unequal("the engine's inputs", stack.resource?.inputs.labels, wanted.labels) ??
    (stack.resource?.state.__pending ? "an operation is still pending" : undefined)
  );
}

/** Of a create that began in the cloud and was answered, the engine must know. */
function forgottenCreate(cloud: FaultyCloud, stack: FaultyStack): string | undefined {
  const answered = cloud.emulator
    .requests()
    .some((each) => each.method === "POST" && each.status === 200 && (each.fault ?? []).every(isHarmless));
  const there = associations(cloud).length > 0;
  return answered && there && !stack.resource ? "the association is there and the engine was not told" : undefined;
}

const isHarmless = (part: string) => part === "slowBody" || part === "operationError" || part === "staleRead";

function associationJourneys(): Journey[] {
  const changed = { ...NAMED, labels: { env: "test" } };
  const begin = async (cloud: FaultyCloud) => {
    const stack = new FaultyStack(ASSOCIATION);
    await stack.up(cloud.provider(), NAMED);
    return stack;
  };
  const creating = (name: string, subject: string, wanted: Values): Journey => ({
    name,
    subject,
    prepare: () => Promise.resolve(new FaultyStack(ASSOCIATION)),
    wanted,
    run: (stack, provider) => stack.up(provider, wanted),
    wrong: (cloud, stack) => wrongAssociation(cloud, stack, wanted),
    forgotten: forgottenCreate,
  });
  const journeys: Journey[] = [
    creating("create", ASSOCIATION_NAME, NAMED),
    creating("create, named by the server", `projects/p/locations/${ZONE}`, UNNAMED),
    {
      name: "refresh",
      subject: `projects/p/locations/${ZONE}`,
      prepare: begin,
      wanted: NAMED,
      run: (stack, provider) => stack.refresh(provider),
      wrong: (cloud, stack) => wrongAssociation(cloud, stack, NAMED),
    },
    {
      name: "update",
      subject: ASSOCIATION_NAME,
      prepare: begin,
      wanted: changed,
      run: (stack, provider) => stack.up(provider, changed),
      wrong: (cloud, stack) => wrongAssociation(cloud, stack, changed),
      forgotten: (_cloud, stack) => (stack.resource ? undefined : "the engine has forgotten the association"),
    },
    {
      name: "delete",
      subject: ASSOCIATION_NAME,
      prepare: begin,
      run: (stack, provider) => stack.up(provider, undefined),
      wrong: (cloud, stack) =>
        unequal("the number of associations", associations(cloud).length, 0) ??
        (stack.resource ? "the engine still has the association" : undefined),
      forgotten: (_cloud, stack) => (stack.resource ? undefined : "the engine has forgotten the association"),
    },
  ];
  return journeys.map((each) => ({ ...each, name: `association: ${each.name}` }));
}

interface Held {
  bindings?: { role: string; members: string[] }[];
  auditConfigs?: unknown[];
}

/** The bindings of others. They must outlive whatever the grants do. */
const FOREIGN: Held = {
  bindings: [{ role: "roles/editor", members: ["user:grace@example.com", "group:team@example.com"] }],
  auditConfigs: [{ service: "allServices", auditLogConfigs: [{ logType: "DATA_READ" }] }],
};

function grantJourneys(token: string, name: string, kind: string): Journey[] {
  const wanted = { name, role: "roles/viewer", member: "user:ada@example.com" };
  const mine = { role: "roles/viewer", members: ["user:ada@example.com"] };
  const held = (cloud: FaultyCloud): Held => {
    const { bindings, auditConfigs } = (cloud.emulator.resource(name)?.policy ?? {}) as Held;
    const plain = (bindings ?? []).map(({ role, members }) => ({ role, members }));
    return { bindings: plain, auditConfigs };
  };
  return (["merge", "replace"] as const).flatMap((grantMode): Journey[] => {
    const configuration = { grantMode, allowLockout: true };
    const others = grantMode === "merge" ? (FOREIGN.bindings ?? []) : [];
    const is = (cloud: FaultyCloud, bindings: Held["bindings"]) =>
      unequal("the policy", held(cloud), { bindings, auditConfigs: FOREIGN.auditConfigs });
    const prepare = async (cloud: FaultyCloud, first: (stack: FaultyStack) => Promise<void>) => {
      cloud.emulator.mutate(name, { policy: FOREIGN });
      const stack = new FaultyStack(token);
      await first(stack);
      return stack;
    };
    const made = (cloud: FaultyCloud) => prepare(cloud, (stack) => stack.up(cloud.provider(configuration), wanted));
    const journeys: Journey[] = [
      {
        name: "create",
        subject: name,
        prepare: (cloud) => prepare(cloud, () => Promise.resolve()),
        wanted,
        run: (stack, provider) => stack.up(provider, wanted),
        wrong: (cloud, stack) =>
          is(cloud, [...others, mine]) ?? (stack.resource ? undefined : "the engine does not have the grant"),
      },
      {
        name: "refresh",
        subject: name,
        prepare: made,
        wanted,
        run: (stack, provider) => stack.refresh(provider),
        wrong: (cloud, stack) =>
          is(cloud, [...others, mine]) ?? (stack.resource ? undefined : "the engine has lost the grant"),
      },
      {
        name: "delete",
        subject: name,
        prepare: made,
        run: (stack, provider) => stack.up(provider, undefined),
        wrong: (cloud, stack) => is(cloud, others) ?? (stack.resource ? "the engine still has the grant" : undefined),
      },
    ];
    return journeys.map((each) => ({ ...each, configuration, name: `${kind}, ${grantMode}: ${each.name}` }));
  });
}

/** Those that a lookup takes. */
export function argumentsOf({ definition }: Lookup): Values {
  return Object.fromEntries(Object.entries(ARGUMENTS).filter(([name]) => name in definition.args.shape));
}

function lookupJourneys(): Journey[] {
  return lookups.map((lookup) => {
    let result: Values = {};
    const { definition } = lookup;
    const name = definition.resource.format(ARGUMENTS as Record<string, string>);
    // A message may have the relative name only, which is also in a full name.
    const [token, subject] = [tokenOf(definition), name.replace(/^\/\/[^/]+\//, "")];
    const policy = token.endsWith("IamPolicy");
    return {
      name: definition.name,
      subject,
      prepare: (cloud) => {
        result = {};
        if (policy) cloud.emulator.mutate(subject, { policy: FOREIGN });
        return Promise.resolve(new FaultyStack(token));
      },
      run: async (_stack, provider) => {
        result = await provider.invoke(token, argumentsOf(lookup), limits());
      },
      wrong: () => {
        if (policy) return unequal("the bindings", (result.bindings as unknown[])?.length, 1);
        return unequal("the name", result.name, subject);
      },
    };
  });
}

export const JOURNEYS: readonly Journey[] = [
  ...associationJourneys(),
  ...parents.flatMap((parent) =>
    grantJourneys(tokenOf(memberGrant(parent).definition), nameOf(parent), `${parent.name} grant`),
  ),
  ...lookupJourneys(),
];
