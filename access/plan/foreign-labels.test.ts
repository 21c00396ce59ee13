/** The words for the types of other providers are English, and the same in each package. */
import * as fs from "node:fs";
import * as path from "node:path";
import { foreignTypesOf } from "../../tests/support/foreign-types";
import { FOREIGN_KINDS } from "../meaning/foreign-rows";
import { resourceOfModule } from "../meaning/gcp-types";
import { meaningOf, shortTypeOf } from "../meaning/meaning";
import { foreignNameOf } from "./foreign-names";

/** The types of `@pulumi/gcp` and of google-native that mean something. */
const TYPES = fs
  .readFileSync(path.join(__dirname, "../../tests/fixtures/types/of-other-providers.txt"), "utf8")
  .split("\n")
  .filter((type) => type !== "" && meaningOf(type).kinds.length > 0);

function labelOf(type: string): string {
  const urn = `urn:pulumi:dev::shop::${type}::it`;
  return foreignNameOf({ op: "create", urn, type, new: { urn, type, inputs: {}, outputs: {} } }, undefined, undefined)
    .kind;
}

/** Abbreviations with vowels, which are no words. */
const ABBREVIATIONS =
  "acl api auth authz aws buse cert creds desc dest dicom ekm fhir gcp iam iap id ids mware oauth orgs repo saml scim sso url";

test.each(TYPES)("the words for %s are English", (type) => {
  const label = labelOf(type);
  const words = label.split(" ");
  expect(words.filter((word) => ABBREVIATIONS.split(" ").includes(word))).toEqual([]);
  // A word in lower case has a vowel, and one letter is none, except the article.
  expect(words.filter((word) => (/^[a-z]+$/.test(word) && !/[aeiouy]/.test(word)) || /^[b-z0-9]$/.test(word))).toEqual(
    [],
  );
  expect(words.filter((word) => /v\d/.test(word))).toEqual([]);
  expect(label).toMatch(
    words[0] === "an"
      ? /^an (?!user|unit|VM|DNS|FHIR|DICOM|CA\b)[aeiouAEIO HRS]/
      : words[0] === "a"
        ? /^a [^aeioAEI]/
        : /(s|access|metadata|web resources .*)$/,
  );
});

test("the words for a type are the same in each package", () => {
  const followed = TYPES.filter((type) => meaningOf(type).grant);
  const short = [...new Set([...FOREIGN_KINDS.flatMap(({ types = [] }) => types), ...followed.map(shortTypeOf)])];
  // In Terraform's provider, the grants of these modules have the name of the resource, too.
  const named = short.filter((type) => /^gcp:/.test(type) && !/\/I(am|AM)(Member|Binding|Policy)$/.test(type));
  const labels = named.map((type) => [type, ...new Set(foreignTypesOf(type).map(labelOf))]);
  expect(labels.filter((all) => all.length > 2)).toEqual([]);
  expect(["bigquery", "cloudrun", "folder", "projects", "serviceaccount"].map(resourceOfModule)).not.toContain(
    undefined,
  );
});
