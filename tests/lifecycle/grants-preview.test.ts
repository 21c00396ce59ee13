import { UNKNOWN } from "../../provider/core/unknown";
import { CredentialsError } from "../../provider/core/errors";
import { pooledSend } from "../../provider/http/pool";
import type { Send } from "../../provider/http/send";
import { testCredentials } from "../../provider/testing/credentials";
import { ADMIN_ROLE, FOREIGN, grantOn, GrantCloud, listener, OPTIONS, ROLE, storeName, users } from "../support/grants";
import { STORE_BINDING, STORE_GRANT } from "../support/tokens";

const ADA = "user:ada@example.com";
const STRANGER = "user:stranger@example.com";

let cloud: GrantCloud;
const start = async (options: Parameters<typeof GrantCloud.start>[0] = {}) => (cloud = await GrantCloud.start(options));
afterEach(() => cloud.stop());

/** What a preview of this grant says; it changes nothing. */
async function preview(
  provider: ReturnType<GrantCloud["provider"]>,
  inputs = grantOn(0, ADA),
  secret: string[] = [],
  options: { stateIsUnknown?: boolean; hasOtherResources?: () => boolean } = {},
) {
  const { said, reporter } = listener();
  const checked = await provider.check(STORE_GRANT, inputs);
  expect(checked.problems).toEqual([]);
  await provider.previewCreate(STORE_GRANT, checked.inputs, { secret, ...OPTIONS, ...options, reporter });
  expect(cloud.writes).toEqual([]);
  return said;
}

describe("who gains and who loses", () => {
  test("replace: a warning names everybody who loses a role, with the condition of the lost grant", async () => {
    const provider = (await start({ policy: FOREIGN })).provider();
    expect(await preview(provider)).toMatchInlineSnapshot(`
     [
       "warning: This replaces the access policy of projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/store-0: 5 principals will lose and 1 principal gain a role
     - user:Zoe@Example.com roles/healthcare.fhirStoreViewer
     - user:adam@example.com roles/healthcare.fhirStoreViewer
     - deleted:user:gone@example.com?uid=123456789 roles/healthcare.fhirResourceReader
     - group:Clinicians@example.com roles/healthcare.fhirResourceReader
     - user:temp@example.com roles/healthcare.fhirResourceReader if until-july
     + user:ada@example.com roles/healthcare.fhirResourceReader
     Set perimeter:grantMode to merge to keep the other grants. An explicit provider takes the mode from its argument grantMode.",
     ]
    `);
  });

  test("merge: a message names who gains, and nobody loses", async () => {
    const provider = (await start({ policy: FOREIGN })).merging();
    expect(await preview(provider)).toMatchInlineSnapshot(`
     [
       "info: Access to projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/store-0: 1 principal will gain a role
     + user:ada@example.com roles/healthcare.fhirResourceReader",
     ]
    `);
  });

  describe("a replacement whose old grant is deleted", () => {
    const OLD = "- user:stranger@example.com roles/healthcare.fhirResourceReader";

    /** What the preview of a replacement says, in the order of the engine's calls. */
    async function previewReplacement(provider: ReturnType<GrantCloud["provider"]>, old: object, inputs: object) {
      const { said, reporter } = listener();
      const state = { ...old, etag: "e", project: "demo-project" };
      await provider.check(STORE_GRANT, { ...inputs }, { identity: "u" });
      const diff = provider.compare(STORE_GRANT, { id: "x", state }, { ...inputs }, { identity: "u" }).diff;
      expect(diff).toMatchObject({ action: "replace" });
      await provider.previewCreate(STORE_GRANT, { ...inputs }, { ...OPTIONS, identity: "u", reporter });
      return said;
    }

    test("merge: a warning names the principal of the old grant, and a message names the principal of the new grant", async () => {
      await start({ policy: { bindings: [{ role: ROLE, members: [STRANGER] }] } });
      const said = await previewReplacement(cloud.merging(), grantOn(0, STRANGER), grantOn(0, ADA));
      expect(said).toEqual([
        expect.stringMatching(
          /^warning: This replacement deletes the old grant on .*store-0, .* 1 principal will lose/,
        ),
        expect.stringMatching(/^info: .* 1 principal will gain a role/),
      ]);
      expect(said[0]).toContain(OLD);
    });

    test("replace: the loss is named once if the resource stays, and also if the grant moves to another resource", async () => {
      await start({ stores: 2, policy: { bindings: [{ role: ROLE, members: [STRANGER] }] } });
      const here = await previewReplacement(cloud.provider(), grantOn(0, STRANGER), grantOn(0, ADA));
      expect(here.join().split(OLD)).toHaveLength(2);
      cloud.setPolicy({}, 1);
      const moved = await previewReplacement(cloud.provider(), grantOn(0, STRANGER), grantOn(1, STRANGER));
      expect(moved.join()).toContain(`deletes the old grant on ${String(grantOn(0, ADA).name)}`);
    });

    test("the loss is named if an input of the new grant is unknown", async () => {
      await start({ policy: { bindings: [{ role: ROLE, members: [STRANGER] }] } });
      const unknown = { ...grantOn(0, ADA), name: UNKNOWN };
      const said = await previewReplacement(cloud.merging(), grantOn(0, STRANGER), unknown);
      expect(said).toEqual([expect.stringContaining(OLD)]);
    });

    test("nobody loses a grant that the policy does not have any more", async () => {
      await start();
      const said = await previewReplacement(cloud.merging(), grantOn(0, STRANGER), grantOn(0, ADA));
      expect(said.join()).not.toContain(OLD);
    });

    test("nobody loses a grant that another resource of the program declares", async () => {
      await start({ policy: { bindings: [{ role: ROLE, members: [STRANGER] }] } });
      const provider = cloud.merging();
      await provider.check(STORE_GRANT, grantOn(0, STRANGER), { identity: "other" });
      const said = await previewReplacement(provider, grantOn(0, STRANGER), grantOn(0, ADA));
      expect(said).toEqual([expect.stringContaining("will gain")]);
    });
  });

  test.each(["merge", "replace"])("%s: a grant that the policy already has is not reported", async (grantMode) => {
    await start({ policy: { bindings: [{ role: ROLE, members: ["user:Ada@example.com"] }] } });
    expect(await preview(cloud.provider({ grantMode }))).toEqual([]);
  });

  test.each(["name", "role", "condition"])(
    "a secret %s is not shown, and neither are values that would reveal it",
    async (input) => {
      await start({});
      const said = (await preview(cloud.provider(), grantOn(0, ADA), [input])).join();
      expect(said).toContain("it would reveal a secret");
      expect(said).not.toMatch(/ada|roles\//);
    },
  );

  test("a secret member is not shown, in whatever role the policy has it", async () => {
    const policy = { bindings: [{ role: "roles/viewer", members: [ADA, "user:b@example.com"] }] };
    await start({ policy });
    for (const provider of [cloud.provider(), cloud.merging()]) {
      const said = (await preview(provider, grantOn(0, ADA), ["member"])).join("\n");
      expect(said).toContain(`+ [secret] ${ROLE}`);
      expect(said).not.toContain(ADA);
    }
  });

  test("other members are not shown if the state is unknown, because the replaced member may be secret", async () => {
    await start({ policy: { bindings: [{ role: "roles/viewer", members: ["user:b@example.com"] }] } });
    const [replacing] = await preview(cloud.provider(), grantOn(0, ADA), ["member"]);
    expect(replacing).toContain("- user:b@example.com roles/viewer");
    const [hiding] = await preview(cloud.provider(), grantOn(0, ADA), ["member"], { stateIsUnknown: true });
    expect(hiding).toContain(`- user:[secret] roles/viewer\n+ [secret] ${ROLE}`);
  });
});

describe("a policy that cannot be read is reported as unknown, and the preview continues", () => {
  test.each([
    ["no permission to read the policy", { deny: ["healthcare.fhirStores.getIamPolicy"] }, /PERMISSION_DENIED/],
    ["an API that is not enabled", { disabledServices: ["healthcare" as const] }, /PERMISSION_DENIED|SERVICE_DISABLED/],
  ])("%s", async (_name, options, why) => {
    const provider = (await start(options)).provider();
    const said = await preview(provider);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^info: It is unknown who gains and who loses access: /);
    expect(said[0]).toMatch(why);
  });

  test("a response that is not a policy", async () => {
    await start({ faults: [{ match: { method: "GET" }, times: 0, fault: { body: "[]" } }] });
    const said = await preview(cloud.provider({ retry: { maxAttempts: 1 } }));
    expect(said[0]).toMatch(/^info: It is unknown who gains and who loses access: /);
  });

  const store = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/store-0";

  test.each<[string, { hasOtherResources?: () => boolean }]>([
    ["it is not known what else the program has", {}],
    ["the program has resources that may create the store", { hasOtherResources: () => true }],
  ])("a store that does not exist is information where %s", async (_name, options) => {
    const provider = (await start({ stores: 0 })).provider();
    expect(await preview(provider, grantOn(0, ADA), [], options)).toEqual([
      `info: ${store} does not exist (NOT_FOUND), so nobody has access to it. The update fails unless another resource of ` +
        "this program creates it first: if none does, correct the input `name`",
    ]);
  });

  test("a store that does not exist fails the preview if the program has no resource that could create it", async () => {
    const provider = (await start({ stores: 0 })).provider();
    await expect(preview(provider, grantOn(0, ADA), [], { hasOtherResources: () => false })).rejects.toThrow(
      new RegExp(
        `${store}: NOT_FOUND: .*\\n {2}No other resource of this program can create it: correct the input .name.\\n`,
      ),
    );
  });

  test("no request is sent while an input is unknown", async () => {
    const provider = (await start()).provider();
    await provider.previewCreate(STORE_GRANT, { ...grantOn(0, ADA), member: UNKNOWN }, OPTIONS);
    expect(cloud.sent).toEqual([]);
  });
});

describe("limits at plan time", () => {
  test("the program's grants count together: the grant that exceeds the limit fails, with counts and the largest bindings", async () => {
    await start({ policy: { bindings: [{ role: ROLE, members: users(1_497, "old") }] } });
    const provider = cloud.merging();
    for (const member of users(3)) await preview(provider, grantOn(0, member, { role: "roles/viewer" }));
    const fourth = grantOn(0, ADA, { role: "roles/viewer" });
    await expect(preview(provider, fourth)).rejects.toThrow(
      /1501 principals, 0 of them groups; the limits are 1500 and 250.*fhirResourceReader: 1497, roles\/viewer: 4/s,
    );
    expect(cloud.writes).toEqual([]);
  });

  test("groups have a separate limit", async () => {
    const members = Array.from({ length: 250 }, (_, at) => `group:g${at}@example.com`);
    const provider = (await start({ policy: { bindings: [{ role: ROLE, members }] } })).merging();
    await preview(provider, grantOn(0, ADA));
    await expect(preview(provider, grantOn(0, "group:more@example.com"))).rejects.toThrow(/251 of them groups/);
  });

  test("at the create, the grant that exceeds the limit fails, and the others succeed", async () => {
    await start({ policy: { bindings: [{ role: ROLE, members: users(1_498, "old") }] } });
    const provider = cloud.merging();
    const settled = await Promise.allSettled(
      users(4).map((member) => provider.create(STORE_GRANT, grantOn(0, member), OPTIONS)),
    );
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
    expect(cloud.members()).toHaveLength(1_500);
    expect(cloud.answered(400)).toBe(0);
  });
});

test.each([
  ["a grant in merge mode", STORE_GRANT, { grantMode: "merge" }, grantOn(0, ADA)],
  ["a grant in replace mode", STORE_GRANT, {}, grantOn(0, ADA)],
  ["a binding", STORE_BINDING, {}, { name: storeName(), role: ROLE, members: [ADA] }],
])(
  "the preview of %s refuses a policy whose conditions the API hides, as the update does",
  async (_, token, of, inputs) => {
    await start({ policy: { bindings: [{ role: "roles/viewer", members: [STRANGER] }] } });
    const send: Send = async (request) => {
      const answer = await pooledSend(request);
      return { ...answer, body: answer.body.replace("roles/viewer", "roles/viewer_withcond_0123456789abcdef0123") };
    };
    const provider = () => cloud.provider(of, { send });
    const refused = /lacks the conditions of 1 binding/;
    await expect(provider().previewCreate(token, inputs, OPTIONS)).rejects.toThrow(refused);
    await expect(provider().create(token, inputs, OPTIONS)).rejects.toThrow(refused);
  },
);

test.each([
  ["a grant in merge mode", STORE_GRANT, { grantMode: "merge" }, grantOn(0, ADA)],
  ["a grant in replace mode", STORE_GRANT, {}, grantOn(0, ADA)],
  ["a binding", STORE_BINDING, {}, { name: storeName(), role: ROLE, members: [ADA] }],
])(
  "without credentials, the preview of %s continues, and says that it is unknown who gains access",
  async (_, token, of, inputs) => {
    await start();
    const none = () => Promise.reject(new CredentialsError("No usable credentials"));
    const tokens = testCredentials({ token: none, quotaProject: none, project: none, serviceAccount: none });
    const settings = { healthcareCustomEndpoint: `${cloud.emulator.url}/v1beta1/`, sendCredentialsToLoopback: true };
    const provider = cloud.provider({ ...of, ...settings }, { tokens });
    const { said, reporter } = listener();
    await provider.previewCreate(token, inputs, { ...OPTIONS, reporter });
    await provider.previewUpdate(token, { id: "x", state: inputs }, inputs, { ...OPTIONS, reporter });
    expect(said).toEqual([
      expect.stringMatching(/^info: It is unknown who gains and who loses access: .*No usable credentials/),
      expect.stringMatching(/^info: It is unknown who gains and who loses access: .*No usable credentials/),
    ]);
    await expect(provider.create(token, inputs, OPTIONS)).rejects.toThrow("No usable credentials");
  },
);

describe("lock-outs at plan time", () => {
  const policy = { bindings: [{ role: ADMIN_ROLE, members: ["user:grace@example.com"] }] };

  test("a preview fails if nobody could change the policy any more, after it has shown who loses access", async () => {
    const provider = (await start({ policy })).provider();
    const { said, reporter } = listener();
    const previewing = provider.previewCreate(STORE_GRANT, grantOn(0, ADA), { ...OPTIONS, reporter });
    await expect(previewing).rejects.toThrow(/no identity would keep/);
    expect(said[0]).toContain("- user:grace@example.com");
  });

  test("allowLockout allows it, and merge mode never locks anybody out", async () => {
    await start({ policy });
    expect((await preview(cloud.provider({ allowLockout: true })))[0]).toMatch(/^warning/);
    expect((await preview(cloud.merging()))[0]).toMatch(/^info/);
  });
});
