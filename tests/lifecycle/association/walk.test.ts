/** The whole life of an association, its defaults, and the two names of a project. */
import { UNKNOWN } from "../../../provider/core/unknown";
import { limits } from "../../support/provider";
import { ASSOCIATION } from "../../support/tokens";
import {
  useBench,
  ENDPOINT,
  NAME,
  POLICY,
  network,
  basic,
  inZone,
  bench,
  provider,
  nextRun,
  live,
  check,
  make,
} from "./scene";

useBench();

describe("an association", () => {
  const given = { ...basic, labels: { env: "prod" }, tlsInspectionPolicy: POLICY };

  test("is planned without a request: a plan knows what the API does not decide", async () => {
    const inputs = await check(given);
    expect(inputs).toEqual({ ...given, project: "p" });
    expect(provider.plan(ASSOCIATION, inputs)).toEqual({
      ...inputs,
      name: NAME,
      createTime: UNKNOWN,
      updateTime: UNKNOWN,
      state: UNKNOWN,
      reconciling: UNKNOWN,
    });
    expect(bench.requests()).toEqual([]);
  });

  test("is created by one request, and has every value that its plan knew", async () => {
    const { id, inputs, state } = await make(given);
    expect(id).toBe(NAME);
    expect(state).toEqual({
      ...inputs,
      name: NAME,
      createTime: expect.stringMatching(/^2026-/),
      updateTime: expect.stringMatching(/^2026-/),
      state: "ACTIVE",
      reconciling: false,
    });
    const planned = Object.entries(provider.plan(ASSOCIATION, inputs)).filter(([, value]) => value !== UNKNOWN);
    expect(state).toMatchObject(Object.fromEntries(planned));
    const [post, ...reads] = bench.requests();
    expect(post).toMatchObject({ method: "POST", query: { firewallEndpointAssociationId: "a" } });
    expect(post?.query.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(reads.map((each) => `${each.method} ${each.path}`)).toEqual([`GET /v1beta1/${NAME}`]);
  });

  test("does not differ after its create, and a read finds it as it was made", async () => {
    const { id, inputs, state } = await make(given);
    expect(provider.compare(ASSOCIATION, { id, inputs, state }, inputs).diff).toEqual({ action: "none" });
    expect(await provider.read(ASSOCIATION, id, { inputs, state }, limits())).toEqual({ id, inputs, state });
  });

  test("is gone after its delete: a read says so, and another delete succeeds", async () => {
    const { id, inputs, state } = await make(given);
    for (const _ of [1, 2]) {
      await nextRun().delete(ASSOCIATION, { id, inputs, state }, limits());
      expect(live()).toBeUndefined();
      expect(await provider.read(ASSOCIATION, id, { inputs, state }, limits())).toBeUndefined();
    }
  });

  test("with a URL for every reference manages the same association", async () => {
    const { inputs, state } = await make({
      ...basic,
      network: `https://www.googleapis.com/compute/v1/${network("n")}`,
      firewallEndpoint: `//networksecurity.googleapis.com/${ENDPOINT}`,
      tlsInspectionPolicy: `https://networksecurity.googleapis.com/v1/${POLICY}`,
    });
    expect(live()).toMatchObject({ network: network("n"), firewallEndpoint: ENDPOINT, tlsInspectionPolicy: POLICY });
    const relative = await check({ ...basic, tlsInspectionPolicy: POLICY });
    expect(inputs).toEqual(relative);
    expect(provider.compare(ASSOCIATION, { id: NAME, inputs, state }, relative).diff).toEqual({ action: "none" });
  });

  test("without an id: the server names it, nothing is derived from the Pulumi name, and no run finds a difference", async () => {
    const { firewallEndpointAssociationId: _, ...given } = basic;
    const inputs = await check(given);
    expect(provider.plan(ASSOCIATION, inputs)).toMatchObject({ name: UNKNOWN, firewallEndpointAssociationId: UNKNOWN });
    const { id, state } = await provider.create(ASSOCIATION, inputs, limits());
    expect(bench.requests()[0]?.query).not.toHaveProperty("firewallEndpointAssociationId");
    expect(id).toMatch(/firewallEndpointAssociations\/[0-9a-f-]{36}$/);
    expect(state).toMatchObject({ name: id, firewallEndpointAssociationId: id.split("/").at(-1) });
    expect(provider.compare(ASSOCIATION, { id, inputs, state }, inputs).diff).toEqual({ action: "none" });
    const read = await provider.read(ASSOCIATION, id, { inputs, state }, limits());
    expect(read?.inputs).toEqual(inputs);
  });
});

describe("defaults", () => {
  test("of project and location come from the configuration, and are inputs like any other", async () => {
    const own = bench.provider({ project: "q", zone: "europe-west1-b" });
    const { location: _, ...given } = inZone("europe-west1-b");
    expect(await check(given, own)).toEqual({ ...given, project: "q", location: "europe-west1-b" });
    expect(await check({ ...basic, project: "given" }, own)).toEqual({ ...basic, project: "given" });
  });

  test("come from the environment in the order of the other providers", async () => {
    const environment = { GOOGLE_CLOUD_PROJECT: "second", GOOGLE_PROJECT: "first", CLOUDSDK_COMPUTE_ZONE: "z" };
    const own = bench.provider({ project: undefined }, environment);
    const { location: _, ...given } = inZone("z");
    expect(await check(given, own)).toMatchObject({ project: "first", location: "z" });
  });

  test("that are not set anywhere cause problems that list the sources tried", async () => {
    const own = bench.provider({ project: undefined });
    const { location: _, ...given } = basic;
    const { problems } = await own.check(ASSOCIATION, given);
    expect(problems).toEqual([
      {
        path: "location",
        reason: expect.stringMatching(/perimeter:zone <zone>.*GOOGLE_ZONE, GCLOUD_ZONE, CLOUDSDK_COMPUTE_ZONE/),
      },
      {
        path: "project",
        reason: expect.stringMatching(
          /perimeter:project <project>.*GOOGLE_PROJECT, GOOGLE_CLOUD_PROJECT, .*nor in the credentials/,
        ),
      },
    ]);
  });

  test("that are not valid parts of a name cause problems and no requests", async () => {
    const { problems } = await bench.provider({ project: "a/b" }).check(ASSOCIATION, basic);
    expect(problems).toEqual([
      { path: "project", reason: expect.stringContaining("must be one part of a resource name") },
    ]);
  });

  test("replace the association when they change; an omitted project equal to the default makes no difference", async () => {
    const { id, inputs, state } = await make({ ...basic, project: "p" });
    const prior = { id, inputs, state };
    expect(provider.compare(ASSOCIATION, prior, await check(basic)).diff).toEqual({ action: "none" });
    const changed = await check(basic, bench.provider({ project: "q" }));
    expect(provider.compare(ASSOCIATION, prior, changed).diff).toMatchObject({
      action: "replace",
      changes: [{ path: ["project"], replaces: true }],
    });
  });
});

describe("a project's id and its number", () => {
  const NUMBER = "123456789";

  test("are one project: nothing is replaced, and nothing in the state changes its spelling", async () => {
    const { id, inputs, state } = await make();
    const prior = { id, inputs, state };
    const respelled = await check({ ...basic, network: `projects/${NUMBER}/global/networks/n` }, numbered());
    expect(respelled.project).toBe(NUMBER);
    expect(provider.compare(ASSOCIATION, prior, respelled).diff).toEqual({ action: "none" });
    const labelled = { ...respelled, labels: { a: "b" } };
    expect(provider.compare(ASSOCIATION, prior, labelled).diff).toMatchObject({ action: "update" });
    expect(provider.plan(ASSOCIATION, labelled, prior)).toMatchObject({ name: NAME, project: "p" });
    const updated = await provider.update(ASSOCIATION, prior, labelled, limits());
    expect(updated).toMatchObject({ name: NAME, project: "p", labels: { a: "b" } });
  });

  test("keep the program's spelling in a refresh", async () => {
    const { id, inputs, state } = await make();
    const respelled = { ...inputs, project: NUMBER };
    const read = await provider.read(ASSOCIATION, id, { inputs: respelled, state }, limits());
    expect([read?.inputs.project, read?.state.project]).toEqual([NUMBER, "p"]);
  });

  test("are another project after a change of the number or of the id", async () => {
    const { id, inputs, state } = await make();
    const prior = { id, inputs: { ...inputs, project: NUMBER }, state };
    const to = (project: string) => provider.compare(ASSOCIATION, prior, { ...inputs, project }).diff.action;
    expect([to(NUMBER), to("p"), to("987654321"), to("q")]).toEqual(["none", "none", "replace", "replace"]);
  });

  const numbered = () => bench.provider({ project: NUMBER });
});
