import fc from "fast-check";
import { z } from "zod";
import { lookups, resources } from "../services";
import { firewallEndpointAssociation as association } from "../services/networksecurity/firewall-endpoint-association/definition";
import { valuesOf } from "../testing/arbitrary";
import { field, isOptional, metaOf, objectType, propertiesOf, shapeOf } from "./field";
import type { Values } from "./unknown";
import { fromWire, toWire, WireShapeError, wireNameOf } from "./wire";

/** Every object schema of responses and request bodies. */
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
  test("survive the conversion to the API and back, except values outside the body", () => {
    fc.assert(
      fc.property(valuesOf(schema), (values) => {
        const wire = JSON.parse(JSON.stringify(toWire(schema, values))) as Values;
        const outside = outsideBody(schema);
        const inBody = <T>(entries: readonly [string, T][]) =>
          Object.fromEntries(entries.filter(([key]) => !outside.includes(key)));
        expect(fromWire(z.object(inBody(propertiesOf(schema))), wire)).toEqual(inBody(Object.entries(values)));
      }),
    );
  });

  test("are sent only under the definition's API names", () => {
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
  test("are the same when the API omits default values", () => {
    fc.assert(
      fc.property(valuesOf(schema), (values) => {
        expect(fromWire(schema, withoutDefaults(schema, toWire(schema, values)))).toEqual(values);
      }),
    );
  });
});

/** The names of the properties that are sent in the path or the query. */
function outsideBody(schema: z.ZodObject): string[] {
  return propertiesOf(schema).flatMap(([name, property]) => (metaOf(property).outsideBody ? [name] : []));
}

/** An object in ProtoJSON, without properties that have their default value. */
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

describe("a value that the API omits", () => {
  test("becomes the zero value of its type for a required property, at any depth", () => {
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

  test("means the same as null", () => {
    expect(fromWire(resultOf("getScope"), { labels: null, state: null })).toEqual(fromWire(resultOf("getScope"), {}));
  });

  test("stays absent for an optional input", () => {
    const { inputs, outputs } = association;
    expect(fromWire(inputs, {})).toEqual({ firewallEndpoint: "", network: "" });
    expect(fromWire(outputs, {})).toEqual({ createTime: "", name: "", reconciling: false, state: "", updateTime: "" });
  });

  test("is also filled in inside an element of a list", () => {
    const policy = fromWire(resultOf("getGatewayIamPolicy"), { bindings: [{ role: "r" }], auditConfigs: [{}] });
    expect(policy.bindings).toEqual([
      { role: "r", members: [], condition: { expression: "", title: "", description: "", location: "" } },
    ]);
    expect(policy.auditConfigs).toEqual([{ service: "", auditLogConfigs: [] }]);
  });
});

test("our name and the API's name correspond, for every renamed property", () => {
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

test("accepts new values of an enum and new properties", () => {
  const scope = fromWire(resultOf("getScope"), { state: { code: "HIBERNATING" }, satisfiesPzs: true });
  expect(scope.state).toEqual({ code: "HIBERNATING" });
  expect(scope).not.toHaveProperty("satisfiesPzs");
});

test("the body has no values of the path or the query, and no absent values", () => {
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

describe("a response that does not match the schema is an error that names the path", () => {
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

  test("the same holds for numbers and booleans", () => {
    expect(() => fromWire(resultOf("getTriggerIamPolicy"), { version: "3" })).toThrow(
      "version should be a whole number",
    );
    expect(() => fromWire(association.outputs, { reconciling: "no" })).toThrow("should be true or false");
  });
});

test("accepts any text as key of a map", () => {
  const schema = z.object({ labels: field(z.record(z.string(), z.string()), "Labels.") });
  const wire = JSON.parse('{"labels": {"__proto__": "a", "constructor": "b", "": "c"}}') as Values;
  const { labels } = fromWire(schema, wire);
  expect(Object.entries(labels)).toEqual([
    ["__proto__", "a"],
    ["constructor", "b"],
    ["", "c"],
  ]);
});

test("refuses a definition with an unsupported type", () => {
  const schema = z.object({ date: field(z.date(), "A date."), o: field(objectType("O", "O.", {}), "O.") });
  expect(() => fromWire(schema, { date: 1 })).toThrow("Definitions cannot hold");
});
