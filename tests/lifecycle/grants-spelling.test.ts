import type { Current } from "../../provider/core/lifecycle";
import { grantOn, GrantCloud, OPTIONS, ROLE, storeName } from "../support/grants";
import { STORE_GRANT } from "../support/tokens";

let cloud: GrantCloud;
const start = async (options: Parameters<typeof GrantCloud.start>[0] = {}) => (cloud = await GrantCloud.start(options));
afterEach(() => cloud.stop());

const CONDITION = { title: "on-call", expression: "true" };

describe("spellings that the cloud treats as equal are no change", () => {
  test.each([
    ["a member in another case", { member: "user:Bob@Example.com" }, { member: "user:bob@example.com" }],
    ["a condition without a description", { condition: CONDITION }, { condition: { ...CONDITION, description: "" } }],
    ["a description that went away", { condition: { ...CONDITION, description: "" } }, { condition: CONDITION }],
    ["the full URL of the name", {}, { name: `https://healthcare.googleapis.com/v1beta1/${storeName()}` }],
    ["the project's number", {}, { name: storeName().replace("demo-project", "123") }],
  ])("%s", async (_what, before, after) => {
    const provider = (await start()).provider();
    const prior = await provider.create(STORE_GRANT, grantOn(0, "user:bob@example.com", before), OPTIONS);
    const { inputs, problems } = await provider.check(STORE_GRANT, grantOn(0, "user:bob@example.com", after));
    expect(problems).toEqual([]);
    expect(provider.compare(STORE_GRANT, prior, inputs).diff).toEqual({ action: "none" });
  });

  test("a different letter case of a federated member, or a different description of a condition, is a change", async () => {
    const provider = (await start()).provider();
    const federated = "principal://iam.googleapis.com/locations/global/workforcePools/pool/subject/";
    const prior = await provider.create(STORE_GRANT, grantOn(0, `${federated}Bob`, { condition: CONDITION }), OPTIONS);
    for (const [member, description] of [
      ["bob", ""],
      ["Bob", "why"],
    ]) {
      const wanted = grantOn(0, `${federated}${member}`, { condition: { ...CONDITION, description } });
      expect(provider.compare(STORE_GRANT, prior, wanted).diff).toMatchObject({ action: "replace" });
    }
  });

  test("the program's spelling is kept as it is", async () => {
    const provider = (await start()).provider();
    const { inputs } = await provider.check(STORE_GRANT, grantOn(0, "user:Bob@Example.com"));
    expect(inputs.member).toBe("user:Bob@Example.com");
  });

  test("an import in the policy's spelling equals a program in another", async () => {
    const provider = (
      await start({ policy: { bindings: [{ role: ROLE, members: ["user:Bob@example.com"] }] } })
    ).provider();
    const id = `${storeName()}/${ROLE}/user:BOB@example.com`;
    const read = await provider.read(STORE_GRANT, id, undefined, OPTIONS);
    const { inputs } = await provider.check(STORE_GRANT, grantOn(0, "user:bob@example.com"));
    expect(read).toBeDefined();
    expect(provider.compare(STORE_GRANT, read as Current, inputs).diff).toEqual({ action: "none" });
  });
});

describe("an import", () => {
  const read = async (id: string) => (await start()).provider().read(STORE_GRANT, id, undefined, OPTIONS);

  test.each([
    ["the resource alone", ""],
    ["no member", ` ${ROLE}`],
    ["no member, with slashes", `/${ROLE}`],
    ["a member without its kind", ` ${ROLE} ada@example.com`],
    ["a member without its kind, with slashes", `/${ROLE}/ada@example.com`],
  ])("of an id with %s fails with the form of an id", async (_what, rest) => {
    await expect(read(`${storeName()}${rest}`)).rejects.toThrow(
      /^Cannot import ".*": id must look like .*\/\{role\}\/\{member\}.*; a member has its kind in front, as in user:name@example\.com$/,
    );
  });

  test.each([
    ["a user", "user:nobody@example.com"],
    ["a federated identity", "principal://iam.googleapis.com/locations/global/workforcePools/pool/subject/Ada"],
    ["everybody", "allUsers"],
  ])("of a grant to %s that is not in the policy finds nothing", async (_what, member) => {
    expect(await read(`${storeName()} ${ROLE} ${member}`)).toBeUndefined();
    expect(await read(`${storeName()}/${ROLE}/${member}`)).toBeUndefined();
  });
});
