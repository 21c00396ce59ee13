import fc from "fast-check";
import { z } from "zod";
import { lookups, resources } from "../services";
import { firewallEndpointAssociation as association } from "../services/networksecurity/firewall-endpoint-association/definition";
import { valuesOf } from "../testing/arbitrary";
import { field, isOptional, metaOf, objectType, propertiesOf, shapeOf } from "./field";
import type { Values } from "./unknown";
import { fromWire, toWire, WireShapeError, wireNameOf } from "./wire";

/** Every object schema that is read from answers or sent in bodies. */
const schemas: [string, z.ZodObject][] = [
  ...resources.flatMap(({ definition }): [string, z.ZodObject][] => [
    [`${definition.name} inputs`, definition.inputs],
    [`${definition.name} outputs`, definition.outputs],
  ]),
  ...lookups.map(({ definition }): [string, z.ZodObject] => [`${definition.name} result`, definition.result]),
];
const resultOf = (name: string) => {
  const found = lookups.find((each) => each.definition.name === name);
  if (!found) throw new Error(`no lookup ${name}`);
  return found.definition.result;
};

describe.each(schemas)("%s", (_name, schema) => {
  test("come back from the wire as they went there, but for what travels outside the body", () => {
    fc.assert(
      fc.property(valuesOf(schema), (values) => {
        const wire = JSON.parse(JSON.stringify(toWire(schema, values))) as Values;
        const outside = outsideBody(schema);
        const inBody = <T>(entries: [string, T][]) =>
          Object.fromEntries(entries.filter(([key]) => !outside.includes(key)));
        expect(fromWire(z.object(inBody(propertiesOf(schema))), wire)).toEqual(inBody(Object.entries(values)));
      }),
    );
  });

  test("go there under the definition's wire names only", () => {
    fc.assert(
      fc.property(valuesOf(schema), (values) => {
        const known = propertiesOf(schema).map(([name, property]) => wireNameOf(name, property));
        expect(known).toEqual(expect.arrayContaining(Object.keys(toWire(schema, values))));
      }),
    );
  });
});

const answers = schemas.filter(([, schema]) => propertiesOf(schema).every(([, property]) => !isOptional(property)));

describe.each(answers)("%s", (_name, schema) => {
  test("are the same when the API leaves out what has its default value", () => {
    fc.assert(
      fc.property(valuesOf(schema), (values) => {
        expect(fromWire(schema, withoutDefaults(schema, toWire(schema, values)))).toEqual(values);
      }),
    );
  });
});

/** The names of the properties that travel in the path or the query. */
function outsideBody(schema: z.ZodObject): string[] {
  return propertiesOf(schema).flatMap(([name, property]) => (metaOf(property).outsideBody ? [name] : []));
}

/** An object as ProtoJSON writes it: properties that have their default value left out. */
function withoutDefaults(schema: z.ZodObject, wire: Values): Values {
  const result: Values = {};
  for (const [name, property] of propertiesOf(schema)) {
    const wireName = wireNameOf(name, property);
    const shape = shapeOf(property);
    let value = wire[wireName];
    if (value === undefined) continue;
    if (shape.kind === "object") value = withoutDefaults(shape.object, value as Values);
    if (shape.kind === "list") {
      const element = shapeOf(shape.element);
      value = (value as Values[]).map((each) =>
        element.kind === "object" ? withoutDefaults(element.object, each) : each,
      );
    }
    const isDefault = value === "" || value === 0 || value === false || (typeof value === "object" && isEmpty(value));
    if (!isDefault) result[wireName] = value;
  }
  return result;
}

function isEmpty(value: object | null): boolean {
  return value === null || Object.keys(value).length === 0;
}

describe("an absent wire value", () => {
  test("of a required property is the zero value of its type, all the way down", () => {
    expect(fromWire(resultOf("getTrigger"), {})).toEqual({
      channel: "",
      conditions: {},
      createTime: "",
      destination: {
        serverlessFunction: "",
        managedRun: { path: "", region: "", service: "" },
        clusterService: { cluster: "", location: "", namespace: "", path: "", service: "" },
        httpEndpoint: { uri: "" },
        networkConfig: { networkAttachment: "" },
        workflow: "",
      },
      etag: "",
      eventDataContentType: "",
      eventFilters: [],
      labels: {},
      name: "",
      serviceAccount: "",
      transport: { messaging: { subscription: "", topic: "" } },
      uid: "",
      updateTime: "",
    });
    expect(fromWire(resultOf("getScope"), {})).toEqual({
      createTime: "",
      deleteTime: "",
      labels: {},
      name: "",
      namespaceLabels: {},
      state: { code: "" },
      uid: "",
      updateTime: "",
    });
    expect(fromWire(resultOf("getTriggerIamPolicy"), {})).toEqual({
      auditConfigs: [],
      bindings: [],
      etag: "",
      version: 0,
    });
  });

  test("and a null are the same", () => {
    expect(fromWire(resultOf("getScope"), { labels: null, state: null })).toEqual(fromWire(resultOf("getScope"), {}));
  });

  test("of an optional input stays absent as an output", () => {
    const { inputs, outputs } = association;
    expect(fromWire(inputs, {})).toEqual({ firewallEndpoint: "", network: "" });
    expect(fromWire(outputs, {})).toEqual({ createTime: "", name: "", reconciling: false, state: "", updateTime: "" });
  });

  test("in an element of a list is filled in too", () => {
    const policy = fromWire(resultOf("getGatewayIamPolicy"), { bindings: [{ role: "r" }], auditConfigs: [{}] });
    expect(policy.bindings).toEqual([
      { role: "r", members: [], condition: { expression: "", title: "", description: "", location: "" } },
    ]);
    expect(policy.auditConfigs).toEqual([{ service: "", auditLogConfigs: [] }]);
  });
});

test("neutral names and wire names are each other's, for every renamed property", () => {
  const wire = {
    destination: { cloudFunction: "f", cloudRun: { service: "r" }, gke: { cluster: "c" } },
    transport: { pubsub: { topic: "t", subscription: "s" } },
  };
  const trigger = fromWire(resultOf("getTrigger"), wire);
  expect(trigger.destination).toMatchObject({
    serverlessFunction: "f",
    managedRun: { service: "r" },
    clusterService: { cluster: "c" },
  });
  expect(trigger.transport).toEqual({ messaging: { topic: "t", subscription: "s" } });
  expect(toWire(resultOf("getTrigger"), trigger)).toMatchObject(wire);
});

test("an enum of tomorrow and properties of tomorrow are no error", () => {
  const scope = fromWire(resultOf("getScope"), { state: { code: "HIBERNATING" }, satisfiesPzs: true });
  expect(scope.state).toEqual({ code: "HIBERNATING" });
  expect(scope).not.toHaveProperty("satisfiesPzs");
});

test("what travels in the path or the query is not in the body, and nothing absent is", () => {
  const body = toWire(association.inputs, {
    project: "p",
    location: "l",
    firewallEndpointAssociationId: "a",
    requestId: "r",
    network: "n",
    firewallEndpoint: "e",
    labels: undefined,
    tlsInspectionPolicy: "",
  });
  expect(body).toEqual({ network: "n", firewallEndpoint: "e", tlsInspectionPolicy: "" });
});

describe("an answer of another shape is an error that names the place", () => {
  test.each([
    ["the answer should be an object", []],
    ["name should be a string", { name: 1 }],
    ["labels should be a map", { labels: ["a"] }],
    ["labels.a should be a string", { labels: { a: 1 } }],
    ["destination should be an object", { destination: "x" }],
    ["destination.cloudRun.service should be a string", { destination: { cloudRun: { service: {} } } }],
    ["eventFilters should be a list", { eventFilters: {} }],
    ["eventFilters[1] should be an object", { eventFilters: [{}, 1] }],
    ["conditions should be a map of objects", { conditions: { a: "text" } }],
  ])("%s", (message, wire) => {
    expect(() => fromWire(resultOf("getTrigger"), wire)).toThrow(WireShapeError);
    expect(() => fromWire(resultOf("getTrigger"), wire)).toThrow(message);
  });

  test("numbers and booleans too", () => {
    expect(() => fromWire(resultOf("getTriggerIamPolicy"), { version: "3" })).toThrow(
      "version should be a whole number",
    );
    expect(() => fromWire(association.outputs, { reconciling: "no" })).toThrow("should be true or false");
  });
});

test("a key of a map may be any text", () => {
  const schema = z.object({ labels: field(z.record(z.string(), z.string()), "Labels.") });
  const wire = JSON.parse('{"labels": {"__proto__": "a", "constructor": "b", "": "c"}}') as Values;
  const { labels } = fromWire(schema, wire);
  expect(Object.entries(labels)).toEqual([
    ["__proto__", "a"],
    ["constructor", "b"],
    ["", "c"],
  ]);
});

test("a definition that the mapping cannot read is refused", () => {
  const schema = z.object({ date: field(z.date(), "A date."), o: field(objectType("O", "O.", {}), "O.") });
  expect(() => fromWire(schema, { date: 1 })).toThrow("Definitions cannot hold");
});
