import { ConfigurationError, CredentialsError, InputError, RefusedError, TimeoutError } from "../core/errors";
import type { Values } from "../core/unknown";
import type { TokenSource } from "../http/credentials";
import type { Send } from "../http/send";
import { FakeClock } from "../testing/clock";
import { testCredentials } from "../testing/credentials";
import { VERSION } from "../version";
import { Provider } from "./provider";

const SCOPE = "perimeter:fleet/v1beta:getScope";
const ASSOCIATION = "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation";

/** A provider with a cloud that returns an empty object for every request, and the received requests. */
function setUp(configuration: Values, environment: Record<string, string> = {}, tokens: Partial<TokenSource> = {}) {
  const sent: { url: string; headers: Record<string, string> }[] = [];
  const send: Send = ({ url, headers }) => {
    sent.push({ url, headers });
    return Promise.resolve({ status: 200, headers: {}, body: `{"name":"n"}` });
  };
  const source = testCredentials({
    token: () => Promise.resolve("the-token"),
    project: () => Promise.resolve("project-of-credentials"),
    ...tokens,
  });
  const provider = new Provider(configuration, environment, { clock: new FakeClock(), send, tokens: source });
  const lookUp = (args: Values = {}) =>
    provider.invoke(SCOPE, { location: "global", scopeId: "s", ...args }, { timeout: 1000 });
  return { provider, lookUp, sent };
}

describe("the identification of a request's sender", () => {
  test("has the provider and the user's addition", async () => {
    const { lookUp, sent } = setUp({ project: "p", appendUserAgent: "team-a/1", requestReason: "ticket 7" });
    await lookUp();
    expect(sent[0]?.url).toBe("https://gkehub.googleapis.com/v1beta/projects/p/locations/global/scopes/s");
    expect(sent[0]?.headers).toMatchObject({
      authorization: "Bearer the-token",
      "user-agent": expect.stringMatching(/^pulumi-perimeter\/\d+\.\d+\.\d+ \(node .*\) team-a\/1$/),
      "x-goog-api-client": expect.stringContaining("gccl/"),
      "x-goog-request-reason": "ticket 7",
    });
  });

  test.each<[string, Values, string | undefined]>([
    ["is none by itself", {}, undefined],
    ["is not the billing project without the override", { billingProject: "b" }, undefined],
    ["is the billing project with the override", { billingProject: "b", userProjectOverride: true }, "b"],
    ["is the resource's own with the override alone", { userProjectOverride: true }, "of-resource"],
  ])("the quota project %s", async (_what, configuration, project) => {
    const { lookUp, sent } = setUp(configuration);
    await lookUp({ project: "of-resource" });
    expect(sent[0]?.headers["x-goog-user-project"]).toBe(project);
  });

  test("has no token if the endpoint is on this machine", async () => {
    const token = jest.fn(() => Promise.resolve("the-token"));
    const { lookUp, sent } = setUp({ emulatorHost: "127.0.0.1:1", project: "p" }, {}, { token });
    await lookUp();
    expect(sent[0]?.headers).not.toHaveProperty("authorization");
    expect(token).not.toHaveBeenCalled();
  });
});

describe("the default project", () => {
  test.each<[string, Values, Values, Record<string, string>, string]>([
    ["the argument", { project: "a" }, { project: "c" }, { GOOGLE_PROJECT: "e" }, "a"],
    ["the configuration", {}, { project: "c" }, { GOOGLE_PROJECT: "e" }, "c"],
    ["the environment", {}, {}, { GOOGLE_PROJECT: "e" }, "e"],
    ["the credentials", {}, {}, {}, "project-of-credentials"],
  ])("comes from %s", async (_where, args, configuration, environment, project) => {
    const { lookUp, sent } = setUp(configuration, environment);
    await lookUp(args);
    expect(sent[0]?.url).toContain(`/projects/${project}/`);
  });

  test("is requested from the credentials once, and only if it is needed", async () => {
    const project = jest.fn(() => Promise.resolve("p"));
    const { lookUp } = setUp({}, {}, { project });
    await lookUp({ project: "given" });
    expect(project).not.toHaveBeenCalled();
    await Promise.all([lookUp(), lookUp()]);
    expect(project).toHaveBeenCalledTimes(1);
  });

  test("is a problem with the reason where the credentials cannot be used, which are read once", async () => {
    const project = jest.fn(() => Promise.reject(new CredentialsError("No usable credentials: not JSON\n  Sources")));
    const { provider, lookUp } = setUp({ zone: "us-central1-a" }, {}, { project });
    const reason = expect.stringMatching(/^is required: .*, nor in the credentials: No usable credentials: not JSON$/);
    await expect(lookUp()).rejects.toMatchObject({ problems: [{ path: "project", reason }] });
    const { problems } = await provider.check(ASSOCIATION, {
      firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/edge",
      network: "projects/p/global/networks/prod",
      firewallEndpointAssociationId: "prod",
    });
    expect(problems).toEqual([{ path: "project", reason }]);
    expect(project).toHaveBeenCalledTimes(1);
  });
});

test("refuses a wrong configuration at once, with every problem", () => {
  const make = () => setUp({ projekt: "p", zone: 3, accessToken: ["canary"] }, { PERIMETER_GRANT_MODE: "append" });
  expect(make).toThrow(ConfigurationError);
  for (const problem of [
    'perimeter:projekt is not a key of the configuration (did you mean "project"?)',
    "perimeter:zone must be a string, got 3",
    'PERIMETER_GRANT_MODE must be one of replace, merge, got "append"',
  ]) {
    expect(make).toThrow(problem);
  }
  expect(make).toThrow(/perimeter:accessToken must be a string$/m);
});

test("converts strings from the engine to the type of their key", async () => {
  const { lookUp, sent } = setUp({ userProjectOverride: "true", billingProject: "b", retry: '{"maxAttempts": 2}' });
  await lookUp();
  expect(sent[0]?.headers["x-goog-user-project"]).toBe("b");
});

test("the error for an unknown token names the version and suggests a token", async () => {
  const { provider } = setUp({});
  await expect(provider.check("perimeter:fleet/v1beta:Fleet", {})).rejects.toThrow(
    new InputError("perimeter:fleet/v1beta:Fleet", [
      {
        path: "type",
        reason: `is not a resource of version ${VERSION} of the provider; the program's SDK may be of another version`,
      },
    ]),
  );
  await expect(provider.invoke("perimeter:fleet/v1beta:getScop", {}, { timeout: 1 })).rejects.toThrow(
    'did you mean "perimeter:fleet/v1beta:getScope"?',
  );
});

test("does not start a call without remaining time", async () => {
  const { provider, sent } = setUp({ project: "p" });
  const outcome = provider.invoke(SCOPE, { location: "global", scopeId: "s" }, { timeout: 0 });
  await expect(outcome).rejects.toBeInstanceOf(TimeoutError);
  expect(sent).toEqual([]);
});

test("refuses an update with a change that replaces the resource, and sends nothing", async () => {
  const { provider, sent } = setUp({ project: "p" });
  const name = "projects/p/locations/us-central1-a/firewallEndpointAssociations/a";
  const state = {
    firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
    network: "projects/p/global/networks/n",
    firewallEndpointAssociationId: "a",
    location: "us-central1-a",
    project: "p",
  };
  const prior = { id: name, state };
  const update = provider.update(ASSOCIATION, prior, { ...state, project: "q", labels: { a: "b" } }, { timeout: 1000 });
  await expect(update).rejects.toThrow(RefusedError);
  await expect(update).rejects.toThrow("A change of project replaces this FirewallEndpointAssociation");
  expect(sent).toEqual([]);
});
