/** Rules find what another provider's step changes by every name of its resource, whichever package declares it. */
import { fullNameIn } from "../../provider/iam/kinds/kinds";
import { variablesIn } from "../../provider/core/reference";
import { foreignStepsOf, planOf } from "../../tests/support/foreign-plans";
import { foreignTypesOf } from "../../tests/support/foreign-types";
import { FOREIGN_KINDS } from "../meaning/foreign-rows";
import { NAMED_BY_INPUTS, type NamedByInputs } from "../meaning/names-by-inputs";
import { shortTypeOf } from "../meaning/meaning";
import { foreignResources } from "../plan/foreign-steps";
import { review } from "../review";
import { deadPatternsIn } from "./dead-patterns";
import { matches } from "./matches";
import { namesOf } from "./resource-names";

const NAMED = NAMED_BY_INPUTS.flatMap((named) =>
  named.types.flatMap((type) => foreignTypesOf(type).map((each): [string, NamedByInputs] => [each, named])),
);

/** A step on a resource of a type whose inputs name the resource that it is about, and that a review reports. */
function stepOn(type: string, template: string): object {
  const named = Object.fromEntries(variablesIn(template).map((name) => [name, valueOf(name, template)]));
  const urn = `urn:pulumi:dev::shop::${type}::it`;
  // Something that each of the rows counts.
  const [role, entity, member] = ["OWNER", "allUsers", "allUsers"];
  const lists = { accesses: [{ role, iamMember: member }], access: [{ role, iamMember: member }] };
  const counted = { type: "CLOUD_IAM_USER", predefinedAcl: "publicRead", publicAccessPrevention: "inherited" };
  const config = { securityConfig: { identityConfig: { userServiceAccountMapping: { "ada@example.com": "a" } } } };
  const more = {
    config,
    clusterConfig: config,
    accessGroups: ["a"],
    accessGroupConfigs: ["a"],
    instanceOwners: ["a"],
    runtimeUser: "a",
    accessConfig: { accessType: "SINGLE_USER" },
    authorization: {},
    securityConfig: { authorization: {} },
  };
  const inputs = { ...counted, ...lists, ...more, role, entity, member, roleEntities: ["OWNER:allUsers"], ...named };
  // The id of an entry or of a list is none of its resource.
  const state = { urn, type, custom: true, id: "it-acl", outputs: {} };
  return { op: "update", urn, oldState: { ...state, inputs: named }, newState: { ...state, inputs } };
}

function valueOf(variable: string, template: string): string {
  return template.includes("{+parent}") && variable === "parent"
    ? "projects/p"
    : variable === "project"
      ? "p"
      : `${variable}-one`;
}

test.each(NAMED)(
  "rules find the resource of %s by its relative name and by its full name",
  (type, { api, template }) => {
    const [found] = foreignResources(foreignStepsOf(planOf(stepOn(type, template))));
    if (!found) throw new Error(`${type} is not reported`);
    const name = template.replaceAll(/\{\+?(\w+)\}/g, (_match, variable: string) => valueOf(variable, template));
    const subject = { ...found, ...namesOf(found), principal: "allUsers", role: "OWNER" };
    const inBucket = name
      .replace(/^b\/([^/]+)/, "projects/_/buckets/$1")
      .replace(/(?<=^projects\/_\/buckets\/[^/]+)\/o\//, "/objects/");
    for (const pattern of new Set([name, fullNameIn(api, name), inBucket, fullNameIn(api, inBucket)])) {
      const patterns = { principals: ["allUsers"], roles: ["OWNER"], resources: [pattern] };
      expect([pattern, matches(patterns, subject)]).toEqual([pattern, true]);
    }
  },
);

test("no name of such a resource is a pattern that can match nothing", () => {
  const names = NAMED_BY_INPUTS.map(({ template }) =>
    template.replaceAll(/\{\+?(\w+)\}/g, (_match, variable: string) => valueOf(variable, template)),
  );
  const resources = NAMED_BY_INPUTS.flatMap(({ api }, at) => [names[at] ?? "", fullNameIn(api, names[at] ?? "")]);
  expect(deadPatternsIn({ version: 1, forbiddenRoles: [{ roles: ["OWNER"], resources, reason: "none" }] }, [])).toEqual(
    [],
  );
});

test("the inputs name the resource of each entry, of each list and of each type that names members", () => {
  const listed = FOREIGN_KINDS.filter(({ isEntry, isList, members }) => isEntry || isList || members).flatMap(
    ({ types = [] }) => types,
  );
  const named = NAMED_BY_INPUTS.flatMap(({ types }) => types);
  expect(listed.filter((type) => !named.includes(type))).toEqual([]);
});

test("a name that the inputs do not show whole is shown in part", () => {
  const type = "gcp:storage/objectACL:ObjectACL";
  const inputs = { bucket: "files", object: "[secret]", roleEntities: ["OWNER:allUsers"] };
  const urn = `urn:pulumi:dev::shop::${type}::it`;
  const step = { op: "create", urn, newState: { urn, type, custom: true, inputs } };
  const [found] = foreignResources(foreignStepsOf(planOf(step)));
  expect(found?.resource).toBe("b/files/o/[secret]");
});

test.each(["gcp", "google-native"])(
  "the project of an explicit provider of %s names the resource",
  async (provider) => {
    const [type, named] = [
      provider === "gcp" ? "gcp:bigquery/dataset:Dataset" : "google-native:bigquery/v2:Dataset",
      provider === "gcp" ? { datasetId: "d" } : { datasetReference: { datasetId: "d" } },
    ];
    const entries = [{ role: "OWNER", iamMember: "allUsers" }];
    const inputs = { ...named, accesses: entries, access: entries };
    const providerUrn = `urn:pulumi:dev::shop::pulumi:providers:${provider}::other`;
    const reference = `${providerUrn}::1`;
    const urn = `urn:pulumi:dev::shop::${type}::it`;
    const settings = {
      urn: providerUrn,
      type: `pulumi:providers:${provider}`,
      custom: true,
      id: "1",
      inputs: { project: "theirs" },
    };
    const plan = {
      config: { [`${provider}:project`]: "ours" },
      steps: [
        { op: "create", urn: providerUrn, newState: settings },
        { op: "create", urn, provider: reference, newState: { urn, type, custom: true, inputs, provider: reference } },
      ],
      changeSummary: {},
    };
    const { stacks } = await review({ plan: JSON.stringify(plan), environment: {} });
    expect(stacks.flatMap(({ resources }) => resources.map(({ resource }) => resource))).toEqual([
      "projects/theirs/datasets/d",
    ]);
  },
);

test("each type is in one list", () => {
  const all = NAMED_BY_INPUTS.flatMap(({ types }) => types);
  expect(all.map((type) => type.toLowerCase()).toSorted()).toEqual(
    [...new Set(all.map((type) => type.toLowerCase()))].toSorted(),
  );
  expect(shortTypeOf("gcp:sql/user:User")).toBe("gcp:sql/User");
});
