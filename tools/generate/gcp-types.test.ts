import { gcpGrantOf, gcpGrantResource, namingInputs } from "../../access/meaning/gcp-types";
import { policyResource } from "../../provider/iam/kinds/kinds";
import { gcpGrantTypes } from "./gcp-types";

const all = gcpGrantTypes();
const known = all.filter((each) => "api" in each);
const typesOf = (some: typeof all) => some.flatMap(({ types }) => types);

test("of the types of @pulumi/gcp that grant access, a review follows at least 95 in 100, and says why not of each other", () => {
  expect(typesOf(all).length).toBeGreaterThan(450);
  expect(typesOf(known).length / typesOf(all).length).toBeGreaterThan(0.95);
  expect(all.flatMap((each) => ("why" in each ? [`${each.name}: ${each.why}`] : []))).toEqual([
    "bigquery/dataset: they are entries of the dataset's access list, which is no access policy",
    "datacatalog/entryGroup: no discovery document has an access policy for this kind",
    "datacatalog/tagTemplate: no discovery document has an access policy for this kind",
    "gemini/repositoryGroup: no discovery document has an access policy for this kind",
    "securitycenter/instance: no discovery document has an access policy for this kind",
  ]);
});

test.each(known)("the name of $name has inputs of its types, and a resource with an access policy has it", (each) => {
  const { types, inputs, name } = each;
  const type = types.find((one) => /(Member|Binding|Policy)$/.test(one)) ?? "";
  const grant = gcpGrantOf(`${type}:X`);
  if (!grant) throw new Error(`${name} is not in the table`);
  const own = namingInputs(grant.name).filter((input) => inputs.includes(input));
  // The value of the last input contains the parts of the name that are no inputs.
  expect(own).toContain(namingInputs(grant.name).at(-1));
  const values = Object.fromEntries(
    namingInputs(grant.name).map((input) => [input, valueOf(input, grant.name.template)]),
  );
  const resource = gcpGrantResource(grant.name, {}, values, {});
  expect(typeof policyResource(resource ?? "")).toBe("object");
});

function valueOf(input: string, template: string): string {
  if (!template.includes(`{+${input}}`)) return "x";
  const parents: Record<string, string> = { featureOnlineStore: "featureOnlineStores", featurestore: "featurestores" };
  if (input === "parent") return "projects/p";
  return `projects/p/locations/l/${parents[input] ?? "datasets"}/d`;
}
