import { UNKNOWN } from "../../provider/core/unknown";
import { readPlan } from "./plan";

type Inputs = Record<string, unknown>;

interface Shown {
  op?: string;
  type?: string;
  inputs: Inputs;
  old?: Inputs;
  /** Of the grant: the inputs that come from the resource. */
  from?: string[];
}

const TOPIC = "gcp:pubsub/topic:Topic";
const urnOf = (type: string, name: string) => `urn:pulumi:dev::p::${type}::${name}`;

/** The inputs of a new resource named `auto` and of a grant beside it, as a review reads them from a plan. */
function read({ op = "create", type = TOPIC, inputs, old }: Shown, grant: Inputs = {}, from: string[] = ["topic"]) {
  const urn = urnOf(type, "auto");
  const other = { urn: urnOf("x:y:Grant", "g"), type: "x:y:Grant" };
  const propertyDependencies = Object.fromEntries(from.map((input) => [input, [urn]]));
  const steps = [
    { op, urn, ...(old && { oldState: { urn, type, id: "x", inputs: old } }), newState: { urn, type, inputs } },
    { op: "create", urn: other.urn, newState: { ...other, inputs: grant, propertyDependencies } },
  ];
  const [made, granted] = readPlan(JSON.stringify({ steps, changeSummary: {} })).steps;
  return { made: made?.new?.inputs, granted: granted?.new?.inputs };
}

test.each<[string, Shown, string]>([
  ["of @pulumi/gcp", { inputs: { __defaults: ["name"], name: "auto-4ddcd8b" } }, "name"],
  [
    "of a bridged provider",
    { type: "google:index/x:X", inputs: { __defaults: ["name"], name: "auto_4ddcd8b" } },
    "name",
  ],
  ["with another name in the cloud", { inputs: { __defaults: ["accountId"], accountId: "p-auto-99" } }, "accountId"],
  ["of google-native", { type: "google-native:pubsub/v1:Topic", inputs: { topicId: "auto-4ddcd8b" } }, "topicId"],
  [
    "of a replacement",
    {
      op: "replace",
      old: { __defaults: ["name"], name: "auto-66668f3" },
      inputs: { __defaults: ["name"], name: "auto-4ddcd8b" },
    },
    "name",
  ],
])("a name that a preview made up is not known yet: %s", (_what, shown, input) => {
  const name = String(shown.inputs[input]);
  const grant = { topic: name, all: [`projects/p/topics/${name}`], literal: name, role: "roles/x" };
  const { made, granted } = read(shown, grant, ["topic", "all", "role"]);
  expect(made).toMatchObject({ [input]: UNKNOWN });
  expect(granted).toEqual({ topic: UNKNOWN, all: [UNKNOWN], literal: name, role: "roles/x" });
});

test.each<[string, Shown]>([
  ["a name of the program", { inputs: { __defaults: [], name: "auto-4ddcd8b" } }],
  ["the name of the resource in the program (autonaming verbatim)", { inputs: { __defaults: ["name"], name: "auto" } }],
  ["a default that names nothing", { inputs: { __defaults: ["deletionPolicy"], deletionPolicy: "DELETE" } }],
  ["a name that an update keeps", { op: "update", inputs: { __defaults: ["name"], name: "auto-4ddcd8b" } }],
  ["a name that an unchanged resource keeps", { op: "same", inputs: { __defaults: ["name"], name: "auto-4ddcd8b" } }],
  [
    "a name that a replacement keeps",
    { op: "replace", old: { name: "auto-4ddcd8b" }, inputs: { __defaults: ["name"], name: "auto-4ddcd8b" } },
  ],
  ["a name of google-native without digits", { type: "google-native:pubsub/v1:Topic", inputs: { topicId: "auto" } }],
])("%s stays", (_what, shown) => {
  const grant = { topic: "auto-4ddcd8b" };
  expect(read(shown, grant)).toEqual({ made: shown.inputs, granted: grant });
});

test("without a list for each input, an input may come from each dependency", () => {
  const urn = urnOf(TOPIC, "auto");
  const other = { urn: urnOf("x:y:Grant", "g"), type: "x:y:Grant", inputs: { topic: "auto-1f" }, dependencies: [urn] };
  const topic = { urn, type: TOPIC, inputs: { __defaults: ["name"], name: "auto-1f" } };
  const steps = [topic, other].map((newState) => ({ op: "create", urn: newState.urn, newState }));
  expect(readPlan(JSON.stringify({ steps })).steps[1]?.new?.inputs).toEqual({ topic: UNKNOWN });
});
