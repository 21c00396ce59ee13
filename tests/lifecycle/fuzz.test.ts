/**
 * Anything at all, at every door: answers at the transport, inputs at check and diff, calls at the plugin. No crash,
 * no hang, and none of the planted secrets in what comes out.
 */
import fc from "fast-check";
import { tokenOf } from "../../provider/core/definition";
import { BugError, PerimeterError } from "../../provider/core/errors";
import { isRecord, type Values } from "../../provider/core/unknown";
import type { Send } from "../../provider/http/send";
import type { TraceSink } from "../../provider/http/trace";
import { Provider } from "../../provider/runtime/provider";
import { lookups, resources } from "../../provider/services";
import { FakeClock } from "../../provider/testing/clock";
import { anyCharacter } from "../support/random-text";
import { emulator, engine, useCloudAndEngine } from "../support/cloud-and-engine";
import { argumentsOf, SEED, NAMED, GRANT } from "./faults-journeys";
import { ASSOCIATION, STORE_GRANT } from "../support/tokens";
import { countHere } from "../support/test-all";
import { CallError, PluginClient, secret } from "./plugin-client";

jest.setTimeout(60_000);

const CANARY = "canary-5e0c9d41";

/** Random cases of each test. */
const RUNS = {
  answers: countHere("answers at the transport", 30, 250),
  inputs: countHere("inputs of a resource", 30, 500),
  arguments: countHere("arguments of a lookup", 40, 350),
  calls: countHere("calls of the plugin", 75, 400),
};
const RESOURCES = resources.map(({ definition }) => tokenOf(definition));
const LOOKUPS = lookups.map(({ definition }) => tokenOf(definition));
/** What the check of each grant and binding can have accepted: each has some of these inputs. */
const GRANTED = { ...GRANT, members: [GRANT.member], resource: `//healthcare.googleapis.com/${GRANT.name}` };

/** Names that have a meaning in JavaScript, in Pulumi or in URLs. */
const NAMES = [
  ...[
    "name",
    "done",
    "error",
    "code",
    "message",
    "status",
    "details",
    "@type",
    "metadata",
    "target",
    "response",
    "state",
  ],
  ...["endTime", "bindings", "etag", "role", "members", "condition", "labels", "conditions", "network", "createTime"],
  ...["location", "project", "member", "reason", "retryDelay", "__proto__", "constructor", "toString", "length", ""],
];
const TEXTS = [
  ...["a", "projects/p", GRANT.name, "user:ada@example.com", "2026-03-01T12:00:00Z", "PERMISSION_DENIED", "ABORTED"],
  ...["type.googleapis.com/google.rpc.ErrorInfo", "type.googleapis.com/google.rpc.RetryInfo", "1e999s", "3s", "\u0000"],
];
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: anyCharacter, maxLength: 12 }), fc.double(), fc.boolean()),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 5 })), tie("value"), { maxKeys: 6 }),
  ),
})).value;
const objects = fc.dictionary(fc.constantFrom(...NAMES), json, {
  maxKeys: 8,
  noNullPrototype: true,
}) as fc.Arbitrary<Values>;

/** An object that has most of what is expected, and some of it wrong. */
function nearly(right: Values): fc.Arbitrary<Values> {
  return fc.tuple(objects, fc.subarray(Object.keys(right))).map(([wrong, kept]) => ({
    ...wrong,
    ...Object.fromEntries(kept.map((key) => [key, right[key]])),
  }));
}

/** Values that cannot be turned into text, where text is expected. */
const TEXTLESS = '{"error":{"code":503,"details":[{"@type":{"toString":0},"retryDelay":{"toString":0}}]}}';

const bodies = fc.oneof(
  json.map((value) => JSON.stringify(value) ?? ""),
  nearly({ name: `projects/p/locations/us-central1-a/operations/o`, done: true }).map((value) => JSON.stringify(value)),
  nearly({ ...NAMED, name: "n", state: "ACTIVE" }).map((value) => JSON.stringify(value)),
  nearly({ etag: "ACAB", bindings: [{ role: "r", members: ["user:a@b.c"] }] }).map((value) => JSON.stringify(value)),
  objects.map((error) => JSON.stringify({ error })),
  fc.tuple(objects, fc.nat(60)).map(([value, cut]) => JSON.stringify(value).slice(0, cut)),
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(TEXTLESS, "", "<html>", "null", "[]", "{", '"', "[".repeat(5_000)),
);
const statuses = fc.oneof(
  { weight: 3, arbitrary: fc.constant(200) },
  { weight: 2, arbitrary: fc.constantFrom(201, 204, 301, 400, 401, 403, 404, 409, 412, 429, 500, 502, 503, 504) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) },
);
const headers = fc.dictionary(
  fc.constantFrom("retry-after", "content-type", "x-request-id", "location", "x-goog-request-id"),
  fc.oneof(fc.constantFrom("3", "-1", "Sun, 01 Mar 2026 12:00:07 GMT", "soon", "99999999999999999999"), fc.string()),
  { maxKeys: 3 },
);
const answers = fc.array(fc.record({ status: statuses, headers, body: bodies }), { minLength: 1, maxLength: 3 });

/** Where the call fails, the error is a PerimeterError, and it shows no secret. */
async function behaves(work: () => unknown): Promise<void> {
  try {
    const result = await work();
    expect(JSON.stringify(result ?? null)).not.toContain(CANARY);
  } catch (error) {
    if (!(error instanceof PerimeterError)) throw error;
    expect(error).not.toBeInstanceOf(BugError);
    expect(error.message).not.toContain(CANARY);
    expect(error.message).not.toMatch(/\n\s+at .*:\d+:\d+/);
  }
}

describe("answers at the transport", () => {
  const lines: string[] = [];
  const trace: TraceSink = { level: "trace", showMembers: false, write: (line) => void lines.push(line) };
  let script: { status: number; headers: Record<string, string>; body: string }[] = [];
  let asked = 0;
  const send: Send = (request) => {
    expect(request.headers.authorization).toBe(`Bearer ${CANARY}`);
    return Promise.resolve(script[asked++ % script.length] as (typeof script)[number]);
  };
  const clock = new FakeClock();
  const given = { project: "p", accessToken: CANARY, allowLockout: true, retry: { maxAttempts: 3 } };
  const call = { timeout: 5_000, identity: "urn" };
  const provider = () => new Provider(given, {}, { clock, send, trace });
  const prior = {
    id: "projects/p/locations/us-central1-a/firewallEndpointAssociations/a",
    inputs: NAMED,
    state: NAMED,
  };
  const held = { id: "x", inputs: GRANT, state: GRANT };
  const inputs = { ...NAMED, project: "p" };
  const calls: Record<string, () => Promise<unknown>> = {
    ...Object.fromEntries(
      lookups.map((lookup) => {
        const token = tokenOf(lookup.definition);
        return [token, () => provider().invoke(token, argumentsOf(lookup), call)];
      }),
    ),
    create: () => provider().create(ASSOCIATION, inputs, call),
    update: () => provider().update(ASSOCIATION, prior, { ...inputs, labels: { a: "b" } }, call),
    read: () => provider().read(ASSOCIATION, prior.id, prior, call),
    delete: () => provider().delete(ASSOCIATION, prior, call),
    "grant's create": () => provider().create(STORE_GRANT, GRANT, call),
    "grant's read": () => provider().read(STORE_GRANT, "x", held, call),
    "grant's delete": () => provider().delete(STORE_GRANT, held, call),
  };

  test.each(Object.keys(calls))("of any kind: %s", async (name) => {
    const work = calls[name] as () => Promise<unknown>;
    const property = fc.asyncProperty(answers, async (all) => {
      [script, asked, lines.length] = [all, 0, 0];
      await behaves(work);
      expect(lines.join("\n")).not.toContain(CANARY);
    });
    await fc.assert(property, { numRuns: RUNS.answers, seed: 6 });
  });
});

describe("inputs", () => {
  const ids = fc.constantFrom("i", "", "projects/p/locations/l/firewallEndpointAssociations/a", GRANT.name);
  const provider = new Provider({ project: "p", accessToken: CANARY }, {}, { clock: new FakeClock() });
  const right = { ...NAMED, ...GRANTED, condition: { title: "t", expression: "e" }, project: "p" };

  test.each(RESOURCES)("of any kind are handled by check and diff of %s", async (token) => {
    const property = fc.asyncProperty(nearly(right), nearly(right), ids, async (news, olds, id) => {
      const withSecret = { ...news, labels: { ...(isRecord(news.labels) ? news.labels : {}), secret: CANARY } };
      const { inputs, problems } = await provider.check(token, withSecret, { isSecret: () => true });
      expect(JSON.stringify(problems)).not.toContain(CANARY);
      expect(problems.length > 0 || JSON.stringify(inputs).includes(CANARY)).toBe(true);
      // What passed the check meets whatever older providers may have left in the state.
      const wanted = token === ASSOCIATION ? { ...NAMED, project: "p" } : GRANTED;
      await behaves(() => provider.compare(token, { id, inputs: olds, state: olds }, wanted).diff);
      await behaves(() => provider.plan(token, wanted, { id, state: olds }));
    });
    await fc.assert(property, { numRuns: RUNS.inputs, seed: 7 });
  });

  test.each(lookups.map((lookup) => [tokenOf(lookup.definition), lookup] as const))(
    "of any kind, at %s",
    async (token, lookup) => {
      const args = nearly({ ...argumentsOf(lookup), optionsRequestedPolicyVersion: 3 });
      const property = fc.asyncProperty(args, async (values) => {
        const { problems } = await provider.checkArguments(token, values, () => true);
        expect(Array.isArray(problems)).toBe(true);
      });
      await fc.assert(property, { numRuns: RUNS.arguments, seed: 8 });
    },
  );
});

describe("calls of the plugin", () => {
  useCloudAndEngine({ seed: SEED });
  let plugin: PluginClient;
  beforeAll(async () => {
    plugin = await PluginClient.inProcess(engine.address, emulator.env);
    await plugin.configure({ project: "p", accessToken: secret(CANARY), allowLockout: true });
  });
  afterAll(() => plugin.close());

  test("of any kind get a response or an error message", async () => {
    const label = secret(CANARY);
    const properties = nearly({ ...NAMED, ...GRANTED, project: "p", labels: { a: label }, member: label });
    const verbs = ["check", "diff", "create", "preview", "read", "update", "delete", "invoke", "config"] as const;
    const property = fc.asyncProperty(
      fc.constantFrom(...verbs),
      fc.constantFrom(...RESOURCES, ...LOOKUPS, "perimeter:x:Y", ""),
      properties,
      properties,
      fc.oneof(fc.constantFrom("i", "projects/p/locations/l/firewallEndpointAssociations/a"), fc.string()),
      async (verb, token, news, olds, id) => {
        const prior = { inputs: olds, outputs: olds };
        const run = {
          check: () => plugin.check(token, news),
          diff: () => plugin.diff(token, id, prior, news),
          create: () => plugin.create(token, news, { timeout: 1 }),
          preview: () => plugin.create(token, news, { preview: true }),
          read: () => plugin.read(token, id, prior),
          update: () => plugin.update(token, id, prior, news, { timeout: 1 }),
          delete: () => plugin.delete(token, id, prior, 1),
          invoke: () => plugin.invoke(token, news),
          config: () => plugin.checkConfig(news),
        }[verb];
        await Promise.resolve(run()).catch((error: unknown) => {
          if (!(error instanceof CallError)) throw error;
          expect(error.message).not.toContain(CANARY);
          expect(error.message.length).toBeGreaterThan(0);
        });
      },
    );
    await fc.assert(property, { numRuns: RUNS.calls, seed: 11 });
    expect(engine.lines.map((each) => each.message).join("\n")).not.toContain(CANARY);
    // It still works.
    expect((await plugin.check(STORE_GRANT, GRANT)).failures).toEqual([]);
  });
});
