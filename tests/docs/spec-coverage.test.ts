import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { tokenOf } from "../../provider/core/definition";
import { metaOf, propertiesOf, shapeOf, typeMetaOf } from "../../provider/core/field";
import { lookups, resources } from "../../provider/services";
import { skipped } from "../support/skipped";

const ROOT = join(__dirname, "../..");
const SPEC = join(ROOT, "../shared/spec.md");

interface Row {
  section: string;
  what: string;
  /** Dotted names in the second column: `Binding.role`. */
  properties: string[];
  files: string[];
}

const cells = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

const rows: Row[] = readFileSync(join(__dirname, "spec-coverage.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [section = "", what = "", files = ""] = cells(line);
    return {
      section,
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

describe("spec-coverage.md", () => {
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

/** The rows of the specification's tables, with their section. */
function specRows(text: string): { section: string; name: string }[] {
  const found: { section: string; name: string }[] = [];
  let section = "";
  let inTable = false;
  for (const line of text.split("\n")) {
    section = /^#{2,3} (\d+(?:\.\d+)?)/.exec(line)?.[1] ?? section;
    if (!line.startsWith("|")) inTable = false;
    // The first two lines of a table are its head.
    else if (inTable && !line.startsWith("|---")) found.push({ section, name: cells(line)[0] ?? "" });
    else inTable = true;
  }
  return found;
}

const specification = existsSync(SPEC) ? readFileSync(SPEC, "utf8") : undefined;
const noSpecification = specification === undefined ? "../shared/spec.md is not at hand" : undefined;
const withSpecification = noSpecification !== undefined ? describe.skip : describe;

withSpecification(`the specification${skipped(noSpecification)}`, () => {
  const wanted = specRows(specification ?? "");

  test("has the tables that this suite reads", () => {
    expect(wanted.length).toBeGreaterThan(80);
    expect(wanted).toContainEqual({ section: "2.3", name: "eventDataContentType" });
    expect(wanted).toContainEqual({ section: "8", name: "requestId format" });
  });

  test("has no row that spec-coverage.md does not list", () => {
    const unlisted = new Set<string>();
    for (const { section, name } of wanted) {
      const here = rows.filter((each) => each.section === section);
      const listed = here.filter(
        (each) => each.what === name || each.properties.some((property) => property.endsWith(`.${name}`)),
      ).length;
      const needed = wanted.filter((each) => each.section === section && each.name === name).length;
      if (listed < needed) unlisted.add(`${section} ${name}`);
    }
    expect([...unlisted]).toEqual([]);
  });

  test("has no rule of section 4 that spec-coverage.md does not list", () => {
    const rules = /^Rules:\n([^]*?)\n## /m.exec(specification ?? "")?.[1] ?? "";
    const numbers = [...rules.matchAll(/^(\d+)\. /gm)].map(([, number]) => `Rule ${number}`);
    expect(numbers.length).toBeGreaterThan(0);
    const listed = rows.filter((each) => each.section === "4").map((each) => each.what.split(":")[0]);
    expect(listed).toEqual(expect.arrayContaining(numbers));
  });
});

test("each token has the version of section 9", () => {
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
