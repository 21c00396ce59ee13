import { message, text } from "../base/schema";
import { ASSOCIATIONS, PARENT, startTest, stopAll, type TestClient } from "../testing/client";
import { listPage } from "./page";

afterEach(stopAll);

const KIND = "firewallEndpointAssociations";
const association = (id: string, body: object = {}) => ({
  service: "networksecurity",
  name: `${PARENT}/${KIND}/${id}`,
  body: {
    network: `projects/p/global/networks/${id}`,
    firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
    ...body,
  },
});

const seed = [
  association("a", { labels: { env: "prod" }, createTime: "2026-01-01T00:00:00Z" }),
  association("b", { labels: { env: "test AND more" }, createTime: "2026-01-01T00:00:00.5Z", disabled: true }),
  association("c", { labels: { "my-key": "x", constructor: "y" }, createTime: "2026-01-02T00:00:00Z" }),
  association("d", { state: "ORPHAN", createTime: "2025-12-31T23:59:59.999999999Z" }),
];

interface Answer {
  status: number;
  ids: string;
  message: string;
  token: string | undefined;
}

async function list(client: TestClient, query: Record<string, string>): Promise<Answer> {
  const { status, body } = await client.get(`${ASSOCIATIONS}?${new URLSearchParams(query).toString()}`);
  const found = (body[KIND] ?? []) as Array<{ name: string }>;
  return {
    status,
    ids: found.map(({ name }) => name.split("/").pop()).join(""),
    message: body.error?.message ?? "",
    token: body.nextPageToken,
  };
}

describe("pages", () => {
  test("of 10,000 resources have each of them once, and cost the bodies that they show", () => {
    let made = 0;
    const items = Array.from({ length: 10_000 }, (_, at) => {
      const name = `topics/t${(at * 7919) % 10_000}`;
      const body = () => {
        made += 1;
        return { name };
      };
      return { name, body };
    });
    const found: unknown[] = [];
    let pages = 0;
    let pageToken: string | undefined = "";
    while (pageToken !== undefined) {
      const query = { pageSize: 500, pageToken };
      const page = listPage(
        items,
        { method: { id: "topics.list" }, name: "projects/p", query },
        message("Topic", { name: text }),
      );
      found.push(...page.items.map(({ name }) => name));
      pages += 1;
      expect(made).toBe(pages * 500);
      pageToken = page.nextPageToken;
    }
    expect(pages).toBe(20);
    expect(found).toEqual(items.map(({ name }) => name).sort());
  });

  test("continue after an item that was deleted in the meantime", async () => {
    const client = await startTest({ seed });
    const first = await list(client, { pageSize: "2" });
    expect(first.ids).toBe("ab");
    client.emulator.remove(`${PARENT}/${KIND}/b`);
    expect(await list(client, { pageSize: "2", pageToken: String(first.token) })).toMatchObject({
      status: 200,
      ids: "cd",
    });
  });

  test("continue after a deleted item in another order", async () => {
    const client = await startTest({ seed });
    const query = { pageSize: "2", orderBy: "createTime desc" };
    const first = await list(client, query);
    expect(first.ids).toBe("cb");
    client.emulator.remove(`${PARENT}/${KIND}/b`);
    expect(await list(client, { ...query, pageToken: String(first.token) })).toMatchObject({ ids: "ad" });
  });

  test("refuse the token of another list of the same parent", async () => {
    const client = await startTest({ seed });
    const { token } = await list(client, { pageSize: "1" });
    for (const other of ["operations", "firewallEndpoints"]) {
      const { status } = await client.get(`/v1beta1/${PARENT}/${other}?pageToken=${token}`);
      expect([other, status]).toEqual([other, 400]);
    }
  });

  test("of operations continue after a deleted operation", async () => {
    const client = await startTest({ seed, operationMs: 1000 });
    for (const id of ["a", "b", "c"]) {
      await client.delete(`${ASSOCIATIONS}/${id}`);
    }
    const operations = `/v1beta1/${PARENT}/operations`;
    const { body: all } = await client.get(operations);
    const names = all.operations.map(({ name }: { name: string }) => name);
    const { body: first } = await client.get(`${operations}?pageSize=1`);
    await client.delete(`/v1beta1/${first.operations[0].name}`);
    const { status, body } = await client.get(`${operations}?pageToken=${first.nextPageToken}`);
    expect(status).toBe(200);
    expect(body.operations.map(({ name }: { name: string }) => name)).toEqual(names.slice(1));
  });

  test.each([
    ["another filter", { filter: "disabled = true" }],
    ["another order", { orderBy: "createTime" }],
  ])("refuse the token of %s", async (_, other) => {
    const client = await startTest({ seed });
    const { token } = await list(client, { pageSize: "1" });
    expect(await list(client, { pageToken: String(token), ...other })).toMatchObject({ status: 400 });
  });
});

describe("filters", () => {
  test.each([
    // has
    ["labels:env", "ab"],
    ["labels:*", "abc"],
    ["NOT labels:*", "d"],
    ["labels.env:*", "ab"],
    ["labels.constructor:*", "c"],
    ["labels.toString:*", ""],
    ["labels.my-key=x", "c"],
    ['labels."my-key"=x', "c"],
    ["network:networks/a", "a"],
    // quotes
    ['labels.env="test AND more"', "b"],
    ["labels.env='prod'", "a"],
    ['labels.env = "pr\\"od"', ""],
    // equality, wildcards
    ["labels.env=prod", "a"],
    ["labels.env!=prod", "b"],
    ['labels.env="p*"', "a"],
    ['labels.env="*more"', "b"],
    ["state=ORPHAN", "d"],
    ["state!=ORPHAN", "abc"],
    ["disabled=true", "b"],
    ["disabled=false", "acd"],
    ["-disabled=true", "acd"],
    // times of any precision and zone
    ["createTime>2026-01-01T00:00:00Z", "bc"],
    ["create_time >= 2026-01-01T00:00:00.000Z", "abc"],
    ['createTime<"2026-01-01T01:00:00+01:00"', "d"],
    ["createTime=2026-01-01T00:00:00.500Z", "b"],
    // OR binds tighter than AND; a sequence without an operator is a conjunction
    ["labels.env=prod OR disabled=true AND createTime>2026-01-01T00:00:00Z", "b"],
    ["(labels.env=prod AND state=ACTIVE) OR state=ORPHAN", "ad"],
    ["labels:env disabled=true", "b"],
    ["", "abcd"],
  ])("%s finds %s", async (filter, ids) => {
    const client = await startTest({ seed });
    expect(await list(client, { filter })).toMatchObject({ status: 200, ids });
  });

  test.each([
    ["constructor=x", "constructor"],
    ["color=red", "color"],
    ["labels.env.deeper=x", "labels.env"],
    ["name.first=x", "name"],
    ["prod", "prod"],
    ["labels.env=", "labels.env="],
    ["labels.env=a AND", "AND"],
    ["(disabled=true", ")"],
    ['labels.env="open', "quote"],
    ["labels=env", "labels"],
    ["createTime>yesterday", "yesterday"],
    ["disabled=maybe", "maybe"],
    ["disabled>false", ">"],
    ["state=SLEEPING", "SLEEPING"],
    ["state>ACTIVE", ">"],
    ["regex(name, a)", "function"],
  ])("%s is refused", async (filter, words) => {
    const client = await startTest({ seed });
    const answer = await list(client, { filter });
    expect(answer.status).toBe(400);
    expect(answer.message).toContain(words);
  });

  test.each([
    ["parentheses", `${"(".repeat(1000)}disabled=true${")".repeat(1000)}`],
    ["negations", `${"-".repeat(6000)}disabled=true`],
  ])("of thousands of %s are refused", async (_, filter) => {
    const client = await startTest({ seed });
    const answer = await list(client, { filter });
    expect(answer.status).toBe(400);
    expect(answer.message).toContain("nested");
  });

  test("find operations by the fields of their metadata", async () => {
    const client = await startTest({ seed, operationMs: 1000 });
    await client.delete(`${ASSOCIATIONS}/a`);
    await client.patch(`${ASSOCIATIONS}/c?updateMask=labels`, {});
    const operations = async (filter: string) =>
      (await client.get(`/v1beta1/${PARENT}/operations?filter=${encodeURIComponent(filter)}`)).body;
    const { operations: found } = await operations('metadata.verb="delete" AND done=false');
    expect(found).toMatchObject([{ metadata: { verb: "delete" } }]);
    expect((await operations("metadata.colour=red")).error.status).toBe("INVALID_ARGUMENT");
  });
});

describe("order", () => {
  test.each([
    ["", "abcd"],
    ["name desc", "dcba"],
    ["createTime", "dabc"],
    ["create_time desc", "cbad"],
    ["disabled desc, name desc", "bdca"],
    ["labels.env desc,name", "bacd"],
  ])("%s is %s", async (orderBy, ids) => {
    const client = await startTest({ seed });
    expect(await list(client, { orderBy })).toMatchObject({ status: 200, ids });
  });

  test.each(["labels", "colour", "name sideways", "name,,state", "constructor", "desc desc"])(
    "%s is refused",
    async (orderBy) => {
      const client = await startTest({ seed });
      expect(await list(client, { orderBy })).toMatchObject({ status: 400 });
    },
  );
});
