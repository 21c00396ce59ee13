import { readPolicy } from "./read-policy";

const read = (text: string) => readPolicy(text, "rules.yaml");

test("reads rules, in YAML and in JSON", () => {
  const rules = { version: 1, forbiddenRoles: [{ roles: ["roles/owner"], reason: "too much" }] };
  expect(read('version: 1\nforbiddenRoles: [{roles: ["roles/owner"], reason: too much}]')).toEqual(rules);
  expect(read(JSON.stringify(rules))).toEqual(rules);
});

test.each([
  ["", "rules.yaml: The file must be an object, got nothing"],
  ["[]", "rules.yaml: The file must be an object, got a list"],
  ["a: [", "rules.yaml: The file must be YAML or JSON: "],
  ["{}", "rules.yaml: version is required"],
  ["version: 2", "rules.yaml: version must be 1, got 2"],
  ["version: 1\nforbidenRoles: []", 'forbidenRoles is not a property here (did you mean "forbiddenRoles"?)'],
  ["version: 1\nunknown: maybe", 'unknown must be "fail" or "allow", got "maybe"'],
  ["version: 1\ngains: allow\nmayGain: []", "gains must not be `allow` beside `mayGain`"],
  ["version: 1\ngains: no", 'gains must be "allow" or "fail", got '],
  ["version: 1\nmayGain: yes", "mayGain must be a list, got "],
  [
    "version: 1\nmayGain: [{principals: [x], roles: [y], reasons: z}]",
    "mayGain[0].reason is required; mayGain[0].reasons is not a property here " +
      '(did you mean "reason"?); the properties are principals, roles, resources, reason',
  ],
  ["version: 1\nforbiddenRoles: [{roles: [], reason: r}]", "forbiddenRoles[0].roles must have an entry"],
  ["version: 1\nforbiddenRoles: [{roles: [3], reason: r}]", "forbiddenRoles[0].roles[0] must be a string, got 3"],
  ["version: 1\nforbiddenRoles: [{roles: [x], reason: ''}]", "reason must have a text"],
  [
    "version: 1\nconditionRequired: [{roles: [x], within: 3 months, reason: r}]",
    "conditionRequired[0].within must be a number of hours, days or weeks, such as `12h`, `90d` or `2w`",
  ],
  ["version: 1\nconditionRequired: [{roles: [x], within: 90, reason: r}]", "within must be a string, got 90"],
  ["version: 1\nforbiddenRoles: [{roles: [x], within: 90d, reason: r}]", "forbiddenRoles[0].within is not a property"],
  ["version: 1\nallowLoss: [{reason: r}]", "allowLoss[0] must have `principals`, `roles` or `resources`"],
  [`version: 1\nallowLoss: [{roles: [${"r".repeat(1001)}], reason: r}]`, "roles[0] must have at most 1000 characters"],
  ["[".repeat(50_000), "must not nest brackets more than 200 deep"],
])("%j is refused with a sentence that names the mistake", (text, message) => {
  expect(() => read(text)).toThrow(message);
});
