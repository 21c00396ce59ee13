/** Recordings of the real cloud, sent to the emulator request by request: it has to answer what the cloud has answered. */
import { startEmulator, type Emulator, type EmulatorOptions } from "../../emulator";
import { PROJECT, PROJECT_NUMBER, recording, RECORDINGS, type Recorded } from "../support/recordings";

const OPERATION_MS = 1000;

let emulator: Emulator | undefined;
afterEach(() => emulator?.stop());

interface Answer {
  status: number;
  body: unknown;
}

/** Sends recorded requests, with the operations of this run in place of the recorded ones. */
class Replay {
  private readonly operations = new Map<string, string>();
  private now = Date.parse("2026-03-01T12:00:00Z");

  private constructor(readonly emulator: Emulator) {}

  static async start(options: EmulatorOptions = {}): Promise<Replay> {
    let replay: Replay | undefined = undefined;
    emulator = await startEmulator({
      operationMs: OPERATION_MS,
      projectNumbers: { [PROJECT_NUMBER]: PROJECT },
      numbersInNames: true,
      clock: () => replay?.now ?? 0,
      ...options,
    });
    replay = new Replay(emulator);
    return replay;
  }

  async send({ method, path, requestBody, host, responseBody }: Recorded): Promise<Answer> {
    const [name = "", query] = path.split("?");
    const recordedName = /\/v\w+\/(.*\/operations\/.*)$/.exec(name)?.[1];
    const isPoll = recordedName !== undefined;
    // The recorder left out polls of operations that ran: time passes where the cloud says that one has ended, and before
    // each further write.
    if (isPoll ? (responseBody as { done?: boolean }).done : method !== "GET") {
      this.now += OPERATION_MS;
    }
    const own = isPoll ? name.replace(recordedName, () => this.operations.get(recordedName) ?? "unknown") : name;
    const service = host.split(".")[0] ?? "";
    const response = await fetch(`${this.emulator.url}/${service}${own}${query === undefined ? "" : `?${query}`}`, {
      method,
      headers: { "content-type": "application/json" },
      body: requestBody && JSON.stringify(requestBody),
    });
    const text = await response.text();
    const body = (response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text) as {
      name?: string;
      done?: boolean;
    };
    const begun = responseBody as { name?: string; done?: boolean };
    if (begun.done === false && begun.name !== undefined && body.name !== undefined && !isPoll) {
      this.operations.set(begun.name, body.name);
    }
    return { status: response.status, body };
  }
}

/** What differs in every run, masked. */
function masked(value: unknown): unknown {
  const text = JSON.stringify(value, (key, inner: unknown) =>
    (key === "uid" || key === "etag" || key === "requestId") && typeof inner === "string" ? `<${key}>` : inner,
  );
  return JSON.parse(
    text
      .replace(/"\d{4}-\d\d-\d\dT[\d:]+(\.\d+)?Z"/g, '"<time>"')
      .replace(/operations\/[^"/]+"/g, 'operations/<operation>"')
      .replace(/-(\{generatedId\}|[0-9a-f]{8})\.apigateway\./g, "-<generated>.apigateway.")
      .replace(/-sub-\d{3}"/g, '-sub-<3 digits>"'),
  ) as unknown;
}

/** The recordings of APIs that the emulator serves, and how many of the exchanges have a body to compare. */
const SERVED = [
  "apigateway-api",
  "datamigration-connection-profile",
  "eventarc-trigger",
  "eventarc-trigger-retries",
  "gkehub-scope",
  "networksecurity-association",
].map((name) => [name, recording(name).length] as const);

test.each(SERVED)("%s: the emulator responds to all %d requests as the cloud did", async (name) => {
  const replay = await Replay.start();
  const differing: unknown[] = [];
  for (const [index, exchange] of recording(name).entries()) {
    // The identity of a trigger lacked a grant until that had spread.
    const refused = exchange.method === "POST" && exchange.status === 400;
    replay.emulator.setFaults(refused ? [{ fault: { status: "INVALID_ARGUMENT" } }] : []);
    const answer = await replay.send(exchange);
    const isBlanked = typeof exchange.responseBody === "string";
    const wanted = masked([exchange.status, isBlanked ? "blanked" : exchange.responseBody]);
    const got = masked([answer.status, isBlanked ? "blanked" : answer.body]);
    try {
      expect(got).toEqual(wanted);
    } catch (error) {
      differing.push(`${index}: ${exchange.method} ${exchange.path}\n${(error as Error).message}`);
    }
  }
  expect(differing).toEqual([]);
});

test("every recording is replayed in this file", () => {
  const below = ["errors-quoted-in-reports", "iam-policies", "networksecurity-v1beta1-policy"];
  expect([...SERVED.map(([name]) => name), ...below].sort()).toEqual([...RECORDINGS].sort());
});

test("times have nine digits, zeros kept; a read's updateTime is 11 to 22 ms after the operation's end, as recorded", async () => {
  const replay = await Replay.start();
  const lags: number[][] = [[], []];
  const ends: string[] = ["", ""];
  for (const exchange of recording("eventarc-trigger-retries").filter(({ status }) => status === 200)) {
    const { body } = await replay.send(exchange);
    [exchange.responseBody, body].forEach((each, side) => {
      const { metadata, updateTime } = each as { metadata?: { endTime?: string }; updateTime?: string };
      ends[side] = metadata?.endTime ?? ends[side] ?? "";
      if (updateTime !== undefined) lags[side]?.push(Date.parse(updateTime) - Date.parse(ends[side]));
      for (const [, time] of JSON.stringify(each).matchAll(/"\w+Time":"([^"]*)"/g)) {
        expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
      }
    });
  }
  const [recorded = [], own = []] = lags;
  expect(own).toHaveLength(recorded.length);
  for (const lag of [...recorded, ...own]) {
    expect(lag).toBeGreaterThanOrEqual(11);
    expect(lag).toBeLessThanOrEqual(22);
  }
});

test("networksecurity-v1beta1-policy: operations of v1beta1 look as the cloud's, on an association in place of a policy", async () => {
  const ZONE = `projects/${PROJECT}/locations/us-central1-a`;
  const body = {
    network: `projects/${PROJECT}/global/networks/n`,
    firewallEndpoint: `${ZONE.replace("projects", "organizations")}/firewallEndpoints/e`,
  };
  const replay = await Replay.start();
  const asAssociation = (text: string) =>
    text
      .replaceAll("authorizationPolicies", "firewallEndpointAssociations")
      .replaceAll("authorizationPolicyId", "firewallEndpointAssociationId")
      .replaceAll("networksecurityauthorizationpolicy-u1", "a")
      .replaceAll("locations/global", "locations/us-central1-a");
  /** Without what is a resource's own, which differs between the two types. */
  const envelope = ({ status, body: answer }: Answer) => {
    const { response, ...rest } = answer as { response?: { "@type": string } };
    const isOperation = JSON.stringify(rest).includes("/operations/");
    const type = response?.["@type"].replace("AuthorizationPolicy", "FirewallEndpointAssociation");
    return masked([status, isOperation ? rest : "error" in rest ? rest : "a resource", type]);
  };
  for (const recorded of recording("networksecurity-v1beta1-policy")) {
    const exchange = JSON.parse(asAssociation(JSON.stringify(recorded))) as Recorded;
    const answer = await replay.send({ ...exchange, requestBody: exchange.requestBody && body });
    expect(envelope(answer)).toEqual(envelope({ status: exchange.status, body: exchange.responseBody }));
  }
});

test("iam-policies: a policy of a key reads and is stored as the cloud's", async () => {
  const names = recording("iam-policies").map(({ path }) => /projects\/[^:]+/.exec(path)?.[0] ?? "");
  const replay = await Replay.start({
    seed: [...new Set(names)].map((name) => ({ service: "cloudkms", name })),
  });
  const etags = new Map<string, string>();
  for (const recorded of recording("iam-policies")) {
    const key = /cryptoKeys\/([^:]+)/.exec(recorded.path)?.[1] ?? "";
    const policy = (recorded.requestBody as { policy?: object } | undefined)?.policy;
    const exchange: Recorded = {
      ...recorded,
      ...(policy && { requestBody: { policy: { ...policy, etag: etags.get(key) } } }),
    };
    const answer = await replay.send(exchange);
    etags.set(key, (answer.body as { etag: string }).etag);
    expect(masked([answer.status, answer.body])).toEqual(masked([recorded.status, recorded.responseBody]));
  }
});

describe("errors-quoted-in-reports", () => {
  const quoted = recording("errors-quoted-in-reports").map(({ responseBody, status }) => ({
    status,
    error: (responseBody as { error: Record<string, unknown> }).error,
  }));
  const GATEWAY = "projects/xxxxx/locations/asia-northeast1/gateways/xxxxx";
  const DATASET = "projects/{p}/locations/us-central1/datasets/{d}";
  const trigger = {
    eventFilters: [{ attribute: "type", value: "t" }],
    destination: { workflow: "w" },
  };
  const TRIGGERS = "/v1/projects/p/locations/us-central1/triggers?triggerId=t";

  const answers: Array<[what: string, index: number, options: EmulatorOptions, request: Partial<Recorded>]> = [
    [
      "a parameter that the method does not have",
      0,
      {},
      {
        host: "networksecurity",
        path: "/v1/projects/p/locations/l/firewallEndpointAssociations?firewallEndpointId=e",
        requestBody: {},
      },
    ],
    [
      "a denial of apigateway",
      2,
      { deny: ["apigateway.gateways.get"] },
      { host: "apigateway", method: "GET", path: `/v1/${GATEWAY}?alt=json` },
    ],
    [
      "a denial of healthcare",
      3,
      { deny: ["healthcare.fhirStores.create"] },
      {
        host: "healthcare",
        path: `/v1beta1/${encodeURI(DATASET)}/fhirStores?fhirStoreId=f&alt=json`,
        requestBody: { version: "R4" },
      },
    ],
    [
      "a destination of a trigger that only the server sets",
      4,
      {},
      { host: "eventarc", path: TRIGGERS, requestBody: { ...trigger, destination: { cloudFunction: "f" } } },
    ],
    [
      "an identity of a trigger that may not receive events",
      5,
      { deny: ["eventarc.events.receiveEvent"] },
      { host: "eventarc", path: TRIGGERS, requestBody: { ...trigger, serviceAccount: "{email}" } },
    ],
  ];

  test.each(answers)("%s", async (_what, index, options, request) => {
    const wanted = quoted[index] as (typeof quoted)[number];
    const replay = await Replay.start(options);
    const { status, body } = await replay.send({ method: "POST", responseBody: {}, ...request } as Recorded);
    const { details = [], ...error } = (body as { error: { details?: Array<{ "@type": string }> } }).error;
    // Users quote a part: whatever they quote is there.
    const { details: quotedDetails = [], ...quotedError } = wanted.error as { details?: unknown[] };
    expect([status, error]).toEqual([wanted.status, expect.objectContaining(quotedError)]);
    const ofAnyRequest = (each: unknown) => masked(each) as { "@type": string };
    for (const detail of quotedDetails.map(ofAnyRequest)) {
      if (detail["@type"].endsWith("RequestInfo") && index === 5) continue;
      expect(details.map(ofAnyRequest)).toContainEqual(detail);
    }
  });

  test("a conflict of policies shows both etags as bytes with the escapes of C", async () => {
    const name = "projects/p/locations/us/datasets/d/fhirStores/f";
    const seed = [
      {
        service: "healthcare",
        name,
        policy: { etag: Buffer.from("\u0007\u0005\u00e8(x\u000e6\u008c", "latin1").toString("base64") },
      },
    ];
    const replay = await Replay.start({ seed });
    const etag = Buffer.from("\u0007\u0005\u00e8',\u00bbP\u0011", "latin1").toString("base64");
    const { status, body } = await replay.send({
      method: "POST",
      host: "healthcare",
      path: `/v1/${name}:setIamPolicy`,
      requestBody: { policy: { etag } },
      status: 409,
      responseBody: {},
    });
    const { message, errors } = (body as { error: { message: string; errors: unknown } }).error;
    expect([status, message]).toEqual([quoted[1]?.status, quoted[1]?.error.message]);
    expect(errors).toEqual([{ message, domain: "global", reason: "aborted" }]);
  });
});
