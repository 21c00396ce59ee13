import { UNKNOWN } from "../../../core/unknown";
import { parents } from "../../parents";
import { memberForm } from "./forms";
import { notDeletable, recognizeSet, refuseOtherResource, type IncompleteSet } from "./incomplete";

const STORES = parents.find(({ name }) => name === "DatasetFhirStore")!.targets;
const STORE = "projects/p/locations/us-central1/datasets/clinic/fhirStores/records";
const GRANT = { role: "roles/healthcare.fhirResourceReader", member: "user:ada@example.com" };
const OURS = `${STORE}/${GRANT.role}/${GRANT.member}`;
/** The id that google-native gives: the path that it called. */
const PATH = `https://healthcare.googleapis.com/v1beta1/${STORE}:getIamPolicy`;

const recognized = (id: string, state: object) => recognizeSet({ id, state: { ...state } }, STORES, memberForm);

test("a complete state keeps this provider's id; the id of google-native is replaced", () => {
  const state = { ...GRANT, name: STORE };
  expect(recognized("kept", state)).toMatchObject({ kind: "complete", id: "kept", state });
  expect(recognized(PATH, state)).toMatchObject({ kind: "complete", id: OURS, state });
});

test("the id identifies the resource if the state does not", () => {
  expect(recognized(PATH, GRANT)).toMatchObject({ kind: "complete", id: OURS, state: { ...GRANT, name: STORE } });
  expect(recognized(OURS, GRANT)).toMatchObject({ kind: "complete", id: OURS, state: { ...GRANT, name: STORE } });
  expect(recognized(PATH, {})).toMatchObject({ kind: "incomplete", id: PATH, state: { name: STORE } });
  expect(recognized("something else", GRANT)).toMatchObject({ kind: "incomplete", state: GRANT });
});

describe("a state that does not identify its grant", () => {
  const prior: IncompleteSet = { kind: "incomplete", id: PATH, state: { name: STORE } };

  test("cannot become a grant on another resource, because its old grant would stay", () => {
    const refuse = (name: unknown) => () => refuseOtherResource(prior, { name }, STORES);
    expect(refuse(STORE)).not.toThrow();
    expect(refuse(UNKNOWN)).not.toThrow();
    expect(refuse(undefined)).not.toThrow();
    expect(refuse(STORE.replace("records", "other"))).toThrow(
      `granted on ${STORE}, so replacing that grant by one on ${STORE.replace("records", "other")} could not remove it`,
    );
  });

  test.each([
    ["urn:pulumi:dev::p::t::n", "`pulumi state delete 'urn:pulumi:dev::p::t::n'`"],
    [undefined, "`pulumi state delete <urn>`"],
  ])("is not deleted, and the error has the command that removes %s from the state", (identity, command) => {
    const { message } = notDeletable(prior, STORES, { identity } as never);
    expect(message).toContain(`granted on ${STORE}, so nothing was removed`);
    expect(message).toContain(command);
  });
});
