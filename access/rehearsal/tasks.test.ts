import { HiddenValues } from "../plan/hidden-values";
import { NewResources } from "../plan/new-resources";
import { readPlan } from "../plan/plan";
import { providerSettings } from "../plan/provider-settings";
import { readStackState } from "../plan/state";
import { stepsOf } from "../plan/steps";
import { tasksOf, type Task } from "./tasks";

const DEFAULTS = { project: "today", region: "us-east1", zone: "us-east1-b" };

function tasksIn(plan: object, state: object): Task[] {
  const read = readPlan(JSON.stringify({ changeSummary: {}, ...plan }));
  const { resources } = readStackState(JSON.stringify({ deployment: state }));
  const request = {
    plan: read,
    steps: stepsOf(read, resources),
    created: new NewResources(stepsOf(read)),
    state: resources,
    settings: providerSettings(read, { state: resources }),
    hidden: new HiddenValues(read, resources),
    environment: {},
  };
  return tasksOf(request, () => DEFAULTS).inOrder;
}

/**
 * Grants of other providers: the id and the outputs of the state, the inputs of the program that leave to the provider where the
 * resource is, and where it is. The provider's default project and region have changed since it was made.
 */
const MADE_ELSEWHERE = [
  {
    type: "gcp:pubsub/topicIAMBinding:TopicIAMBinding",
    id: "projects/then/topics/t/roles/pubsub.viewer",
    outputs: { project: "then", topic: "projects/then/topics/t" },
    inputs: { topic: "t" },
    place: "//pubsub.googleapis.com/projects/then/topics/t",
  },
  {
    type: "gcp:pubsub/topicIAMPolicy:TopicIAMPolicy",
    id: "projects/then/topics/t",
    outputs: { project: "then", topic: "projects/then/topics/t" },
    inputs: { topic: "t", policyData: '{"bindings":[]}' },
    place: "//pubsub.googleapis.com/projects/then/topics/t",
  },
  {
    type: "gcp:cloudrunv2/serviceIamBinding:ServiceIamBinding",
    id: "projects/then/locations/europe-west1/services/web/roles/run.invoker",
    outputs: { project: "then", location: "europe-west1", name: "projects/then/locations/europe-west1/services/web" },
    inputs: { name: "web" },
    place: "//run.googleapis.com/projects/then/locations/europe-west1/services/web",
  },
  {
    // The form of this id names nothing: then the outputs do.
    type: "gcp:pubsub/topicIAMBinding:TopicIAMBinding",
    id: "unknown",
    outputs: { project: "then", topic: "projects/then/topics/t" },
    inputs: { topic: "t" },
    place: "//pubsub.googleapis.com/projects/then/topics/t",
  },
  {
    type: "google-native:healthcare/v1beta1:DatasetFhirStoreIamBinding",
    id: "v1beta1/projects/then/locations/us-central1/datasets/d/fhirStores/s:getIamPolicy",
    outputs: {},
    inputs: { project: "today", location: "us-east1", datasetId: "d", fhirStoreId: "s" },
    place: "projects/then/locations/us-central1/datasets/d/fhirStores/s",
  },
];
const GRANTED = { role: "roles/pubsub.viewer", members: ["user:ada@example.com"] };

describe.each(MADE_ELSEWHERE)("$type with the id $id", ({ type, id, outputs, inputs, place }) => {
  const urn = `urn:pulumi:dev::p::${type}::grant`;
  const old = { urn, type, id, inputs: {}, outputs: { ...outputs, ...GRANTED } };
  const wanted = { urn, type, inputs: { ...inputs, ...GRANTED } };

  test.each([
    ["is updated in place", [{ op: "update", urn, oldState: old, newState: wanted }]],
    ["stays", [{ op: "same", urn, oldState: old, newState: wanted }]],
    ["is left out by --target", [{ op: "same", urn, oldState: old, newState: { ...wanted, outputs } }]],
    ["is not in the plan", []],
  ])("is on the resource of the state when it %s", (_how, steps) => {
    expect(tasksIn({ steps }, { resources: [old] }).map(({ wanted }) => wanted?.resource)).toEqual([place]);
  });
});
