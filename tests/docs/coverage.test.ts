import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { tokenOf } from "../../provider/core/definition";
import { metaOf, propertiesOf, shapeOf, typeMetaOf } from "../../provider/core/field";
import { lookups, resources } from "../../provider/services";

const ROOT = join(__dirname, "../..");

interface Row {
  what: string;
  /** Dotted names in the first column: `Binding.role`. */
  properties: string[];
  files: string[];
}

const cells = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

const text = readFileSync(join(__dirname, "coverage.md"), "utf8");

const rows: Row[] = text
  .split("\n")
  .filter((line) => /^\| (?!What |---)/.test(line))
  .map((line) => {
    const [what = "", files = ""] = cells(line);
    return {
      what,
      properties: [...what.matchAll(/`(\w+\.\w+)`/g)].map(([, name]) => name as string),
      files: files.split("<br>"),
    };
  });

/** Every property of the definitions under its type's name; `id` is every resource's own. */
function definedProperties(): Set<string> {
  const found = new Set<string>();
  const add = (owner: string, object: z.ZodObject) => {
    for (const [name, schema] of propertiesOf(object)) {
      found.add(`${owner}.${name}`);
      addNested(schema);
    }
  };
  const addNested = (schema: z.ZodType): void => {
    const shape = shapeOf(schema);
    if (shape.kind === "object") add(typeMetaOf(shape.object).typeName, shape.object);
    if (shape.kind === "list") addNested(shape.element);
  };
  for (const { definition } of resources) {
    add(definition.name, definition.inputs);
    add(definition.name, definition.outputs);
    found.add(`${definition.name}.id`);
  }
  for (const { definition } of lookups) {
    add(definition.name, definition.args);
    add(definition.name, definition.result);
  }
  return found;
}

describe("coverage.md", () => {
  test("names documents that exist, at least one in each section", () => {
    const sections = text.split(/^## /m).slice(1);
    const documents = sections.map((section) =>
      [...section.matchAll(/`(docs\/\S+\.md)`/g)].map(([, file]) => file as string),
    );
    expect(sections.length).toBeGreaterThan(10);
    expect(sections.filter((_, index) => documents[index]?.length === 0)).toEqual([]);
    expect(documents.flat().filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test("names a file of tests that exists in every row", () => {
    expect(rows.length).toBeGreaterThan(100);
    const isTest = (file: string) => file.endsWith(".test.ts") && existsSync(join(ROOT, file));
    const missing = rows.flatMap(({ what, files }) =>
      files.filter((file) => !isTest(file)).map((file) => [what, file]),
    );
    expect(missing).toEqual([]);
  });

  test("lists exactly the properties of all definitions", () => {
    const listed = new Set(rows.flatMap((each) => each.properties));
    expect([...listed].sort()).toEqual([...definedProperties()].sort());
  });
});

test("each token has the version of its API", () => {
  expect([...resources, ...lookups].map((each) => tokenOf(each.definition)).sort()).toEqual([
    "perimeter:apigateway/v1beta:GatewayIamBinding",
    "perimeter:apigateway/v1beta:GatewayIamMember",
    "perimeter:apigateway/v1beta:getGatewayIamPolicy",
    "perimeter:datamigration/v1beta1:MigrationJobIamBinding",
    "perimeter:datamigration/v1beta1:MigrationJobIamMember",
    "perimeter:eventing/v1:TriggerIamBinding",
    "perimeter:eventing/v1:TriggerIamMember",
    "perimeter:eventing/v1:getTrigger",
    "perimeter:eventing/v1:getTriggerIamPolicy",
    "perimeter:fleet/v1beta:getScope",
    "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding",
    "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
    "perimeter:iam/v1:ResourceIamBinding",
    "perimeter:iam/v1:ResourceIamMember",
    "perimeter:iam/v1:getResourceIamPolicy",
    "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
  ]);
});

test("the description of a trigger's service account names the permission", () => {
  const trigger = lookups.find((each) => each.definition.name === "getTrigger");
  const schema = trigger?.definition.result.shape.serviceAccount as z.ZodType;
  expect(metaOf(schema).description).toContain("iam.serviceAccounts.actAs");
});
