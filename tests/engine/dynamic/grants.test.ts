/** Grants of the npm front on the real engine: what it says of a grant that may be made, and how long a preview waits. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { fhirGrant, FHIR_STORE } from "../../support/programs";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let stack: PackedStack;
afterEach(() => stack?.dispose());

test("a grant whose write nobody knows the end of is said once and stays in the state, and the next update settles it", async () => {
  stack = await PackedStack.create({ resources: { unsure: fhirGrant() }, config: { "perimeter:grantMode": "merge" } });
  const { project, emulator } = stack;
  const state = async () => {
    const { resources = [], pending_operations: pending = [] } = (await project.exportState()).deployment;
    expect(pending).toEqual([]);
    return resources.find(({ urn }) => urn.endsWith("::unsure"));
  };
  // The answer to the write is lost, and the policy cannot be read afterwards.
  emulator.setFaults([
    { match: { path: `/**/${FHIR_STORE}:setIamPolicy` }, fault: { reset: "after" } },
    { match: { path: `/**/${FHIR_STORE}:getIamPolicy` }, skip: 1, times: 0, fault: { status: "PERMISSION_DENIED" } },
  ]);
  const failed = await project.up({ fail: "yes" });
  // Once, and without a stack trace.
  expect(failed.messages("error", "unsure")).toEqual([
    expect.stringContaining("The grant may be in the access policy"),
  ]);
  expect(failed.stdout + failed.stderr).not.toMatch(/^.* at .*[\\/]pulumi-perimeter[\\/]/m);
  const kept = await state();
  expect(kept).toMatchObject({ initErrors: [expect.stringContaining("the next pulumi up reads the policy")] });
  expect(kept?.outputs).toMatchObject({ __provider: kept?.inputs?.__provider, __identity: kept?.inputs?.__identity });

  emulator.setFaults([]);
  expect((await project.up()).step("unsure").op).toBe("update");
  const settled = await state();
  expect(settled).not.toHaveProperty("initErrors");
  expect(settled?.outputs).toMatchObject({ __identity: kept?.inputs?.__identity, etag: stack.policy(FHIR_STORE).etag });
  expect(JSON.stringify(stack.policy(FHIR_STORE))).toContain("group:nurses@example.com");
});

test("a preview waits at most a minute for an API that is busy, and then says what it does not know", async () => {
  // The API asks to wait for more than the preview's limit. After that wait, it would have answered.
  const busy = { match: { path: `/**/${FHIR_STORE}:getIamPolicy` }, fault: { status: 503, retryAfter: 61 } };
  stack = await PackedStack.create({ resources: { records: fhirGrant() }, emulator: { faults: [busy] } });
  const preview = await stack.project.preview();
  expect(preview.messages("info", "records").join("\n")).toMatch(
    /It is unknown who gains and who loses access: .*UNAVAILABLE/,
  );
});
