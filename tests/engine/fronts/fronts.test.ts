/**
 * The same program through both fronts: dynamic resources, and the plugin over gRPC. What the engine plans, what is said to
 * the cloud and what is in the outputs must be the same; a state through the plugin is smaller.
 */
import { changesAmong } from "../../support/changes";
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import { nodeSdk, pluginFolder } from "../../support/plugin";
import {
  association,
  ASSOCIATIONS,
  fhirGrant,
  GATEWAY,
  migrationGrant,
  PROJECT,
  type Declared,
} from "../../support/programs";
import { casesHere } from "../../support/test-all";
import { PackedStack } from "../dynamic/packed-stack";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

/** One package name for both, so that the program is the same to the letter. */
const FRONTS = {
  dynamic: () => ({}),
  plugin: () => ({ packages: { "pulumi-perimeter": nodeSdk() }, path: [pluginFolder()] }),
};

type Front = keyof typeof FRONTS;

interface Step {
  /** What the program declares from here on; absent to leave it. */
  declares?: Record<string, Declared>;
  /** What happens in the cloud before the program runs. */
  drift?(stack: PackedStack): void;
  does: "up" | "preview" | "destroy";
  args?: string[];
  /** The operations that both fronts must plan, by resource. */
  plans?: Record<string, string[]>;
  /** The one reason that both must refuse it for. */
  says?: RegExp;
}

const REQUEST_IDS = ["3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11", "5b1f0c7e-2a44-4a4f-8f0e-7c1d2e3f4a5b"];
const CONDITION = { title: "office-hours", expression: "request.time.getHours() < 19" };

function edge(name: string, zone: string, requestId?: string): Declared {
  return association({
    labels: { team: "network" },
    requestId,
    firewallEndpointAssociationId: name,
    network: `projects/${PROJECT}/global/networks/edge`,
    location: zone,
    firewallEndpoint: `organizations/123456789/locations/${zone}/firewallEndpoints/inspection`,
  });
}

/** An association that is to be relabelled, one that is to move with a grant, and others that the program leaves as they are. */
const base = ({ labels = "network", member = "group:database@example.com", zone = "us-central1-a" } = {}) => ({
  prod: association({ labels: { team: labels }, requestId: REQUEST_IDS[0] }),
  edge: edge("edge", zone, REQUEST_IDS[1]),
  migration: migrationGrant({ member }),
  records: fhirGrant({ condition: CONDITION }),
  drifting: edge("drifting", "us-central1-c"),
  lost: {
    type: "apigateway.v1beta.GatewayIamMember",
    args: { name: GATEWAY, role: "roles/apigateway.admin", member: "group:audit@example.com" },
  },
});

const ALL = ["prod", "edge", "migration", "records", "drifting", "lost"];
const each = (op: string) => Object.fromEntries(ALL.map((name) => [name, [op]]));
const REPLACED = ["create-replacement", "delete-replaced", "replace"];
const CHANGED = base({ labels: "security", member: "group:dba@example.com", zone: "us-central1-b" });
const CHANGES = { prod: ["update"], edge: REPLACED, migration: REPLACED, drifting: ["update"], lost: ["create"] };

const MADE = "made, changed outside, refreshed, relabelled, moved and repaired, and destroyed";
const SCENARIOS: Record<string, Step[]> = {
  "refused, and made": [
    { declares: base({ labels: "The Network" }), does: "preview", says: /^labels\.team must be a label value/ },
    { declares: base(), does: "up", plans: each("create") },
  ],
  [MADE]: [
    { declares: base(), does: "up", plans: each("create") },
    {
      drift: ({ emulator }) => {
        emulator.mutate(`${ASSOCIATIONS.replace("us-central1-a", "us-central1-c")}/drifting`, {
          patch: { labels: { team: "security", audited: "yes" } },
        });
        emulator.mutate(GATEWAY, { policy: { bindings: [] } });
      },
      declares: CHANGED,
      does: "up",
      args: ["--refresh"],
      plans: CHANGES,
    },
    { does: "destroy", plans: each("delete") },
  ],
};

interface Seen {
  plans: Record<string, string[]>;
  /** Requests that change something, with what they say. */
  wire: unknown[];
  outputs: Record<string, unknown>;
  errors: string[];
}

async function run(front: Front, steps: Step[]): Promise<{ seen: Seen[]; bytes: Record<string, number> }> {
  const stack = await PackedStack.create(FRONTS[front]());
  const seen: Seen[] = [];
  let bytes: Record<string, number> = {};
  try {
    for (const { declares, drift, does, args } of steps) {
      if (declares) stack.declare(declares);
      drift?.(stack);
      stack.heard();
      const result = await stack.project[does]({ fail: "maybe", args });
      const resources = (await stack.project.exportState()).deployment.resources ?? [];
      const ours = resources.filter(({ type }) => /v1beta1?:/.test(type));
      if (does === "up" && ours.length > 0) {
        bytes = Object.fromEntries(ours.map((each) => [nameOf(each.urn), JSON.stringify(each).length]));
      }
      seen.push({
        // It is chance what else a refused program planned before the refusal.
        plans: result.code === 0 ? plans(result) : {},
        // It is also chance whether a preview asks for the roles of a grant before a refusal.
        wire: changesAmong(stack.heard())
          .map(({ method, path, query, body }) => ({ method, path, query, body }))
          .map(withoutChance)
          .sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)),
        outputs: Object.fromEntries(ours.map((each) => [nameOf(each.urn), ownOutputs(each.outputs)])),
        errors: errorsOf(result),
      });
    }
  } finally {
    await stack.dispose();
  }
  return { seen, bytes };
}

/** Operations by resource. A provider is a resource of its own, and each front has another. */
function plans(result: OperationResult): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { name, op, type } of result.steps) {
    if (op !== "same" && op !== "refresh" && /v1beta1?:/.test(type)) (found[name] ??= []).push(op);
  }
  for (const ops of Object.values(found)) ops.sort();
  return found;
}

/** The clock is not part of what is compared, nor is the etag, which counts the policy's versions. */
function ownOutputs(outputs: Record<string, unknown> = {}): Record<string, unknown> {
  const other = ["createTime", "updateTime", "etag", "id"];
  return Object.fromEntries(
    Object.entries(outputs).filter(([name]) => !name.startsWith("__") && !other.includes(name)),
  );
}

/** Without etags, and without the request ids that the provider makes up. */
function withoutChance(request: unknown): unknown {
  return JSON.parse(
    JSON.stringify(request, (key, value: unknown) => {
      if (key === "etag") return undefined;
      return key === "requestId" && !REQUEST_IDS.includes(String(value)) ? "made up" : value;
    }),
  );
}

/** The reasons: `{path} {reason}`. Only the plugin knows which values are no secrets and can be repeated. */
function errorsOf(result: OperationResult): string[] {
  const text = result.messages("error").join("\n");
  return [...text.matchAll(/labels\.team must.*?(?=, got|$)/gm)].map(([reason]) => reason).sort();
}

function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

/** Of refusals, tests/engine/dynamic/input.test.ts and tests/support/firewall.ts have those of each front. */
const here = casesHere(
  Object.entries(SCENARIOS),
  ([name]) => name === MADE,
  ([name]) => `${name}: both fronts give the same result`,
);

test.each(here)("%s: both fronts give the same result", async (_name, steps) => {
  const dynamic = await run("dynamic", steps);
  const plugin = await run("plugin", steps);
  expect(plugin.seen).toEqual(dynamic.seen);
  // They agree on what is right, and not on doing nothing.
  for (const [at, { plans: planned, says }] of steps.entries()) {
    const errors = says ? [expect.stringMatching(says) as string] : [];
    expect(plugin.seen[at]?.errors).toEqual(errors);
    if (planned) expect(plugin.seen[at]?.plans).toEqual(planned);
  }
  expect(Object.keys(plugin.bytes).sort()).toEqual([...ALL].sort());
  for (const [name, size] of Object.entries(plugin.bytes)) {
    process.stderr.write(`state bytes of ${name}: dynamic ${dynamic.bytes[name]}, plugin ${size}\n`);
    expect(size).toBeLessThan(dynamic.bytes[name] ?? 0);
  }
});
