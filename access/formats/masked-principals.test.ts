import { stepsOf, type Load } from "../../tests/support/steps";
import { answerWith, byEffect, maskedStack, onlyStack, verdictOf, type OneStack } from "../../tests/support/answers";
import fc from "fast-check";
import { busyResult } from "../../tests/support/review-results";
import { casesHere } from "../../tests/support/test-all";
import { htmlPage } from "./html";
import { jsonText } from "./json";
import { codeQualityText } from "./code-quality";
import { githubText } from "./github";
import { junitText } from "./junit";
import { markdownText } from "./markdown";
import { sarifText } from "./sarif";
import { terminalText } from "./terminal";
import { maskMessage } from "./masked-principals";
import type { Answer, ReviewedResource } from "../result/result";

const FEDERATED = "principal://iam.googleapis.com/locations/global/workforcePools/staff/subject/";
const GITHUB =
  "principalSet://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ci/attribute.actor/octo/cat";

/** Members, and the names in them that must not be in an answer. */
const PEOPLE: Array<[member: string, ...names: string[]]> = [
  ["user:ada.lovelace@example.com", "lovelace"],
  ["user:Grace.Hopper@Example.com", "hopper"],
  ["user:o'neil@example.com", "neil"],
  ["user:first+tag@example.com", "tag@"],
  ["user:zoë@bücher.example", "zoë"],
  ["user:trainee-1@localhost", "trainee"],
  ["user:a/quoted<name>@example.com", "quoted"],
  ["group:oncall@example.com", "oncall"],
  ["deleted:user:eve.moneypenny@example.com?uid=123456789012345678901", "moneypenny", "123456789012345678901"],
  [`${FEDERATED}margaret.hamilton@example.com`, "hamilton"],
  [`${FEDERATED}katherine-johnson`, "johnson"],
  [GITHUB, "octo/cat"],
];
const SERVICES = [
  "serviceAccount:deployer@demo-project.iam.gserviceaccount.com",
  "serviceAccount:demo-project.svc.id.goog[prod/indexer]",
];
const STAYING = [
  "allUsers",
  "allAuthenticatedUsers",
  "domain:example.com",
  "projectOwner:demo-project",
  "user:[secret]",
];

const stepOf = (member: string) => `urn:pulumi:dev::shop::a:b:C::${member}`;

/** A result in which the members are in each place that can have a member, or a sentence about one. */
function resultWith(members: readonly string[]): OneStack {
  const sentenceOf = (member: string) =>
    `${member}, "${member.replace(/^\w+:/, "")}", (${encodeURIComponent(member)}).`;
  const conditionOf = (text: string) => ({ title: text, description: text, expression: `x == '${text}'` });
  const sentence = members.map(sentenceOf).join(" ");
  const condition = conditionOf(sentence);
  // A sentence about all members in the condition of each would be most of what the formats write.
  const grants = members.map((principal) => {
    return { principal, role: "roles/viewer", condition: conditionOf(sentenceOf(principal)) };
  });
  const [first] = busyResult.resources;
  const resource: ReviewedResource = {
    ...(first as ReviewedResource),
    changes: grants.flatMap((grant) => [
      { ...grant, change: "lost", steps: [stepOf(grant.principal)], wasManaged: true },
      { ...grant, role: "roles/editor", change: "gained", steps: [] },
    ]),
    noAccessLeft: [...members],
    accessLeftUnknown: [...members],
    inherited: grants.map((grant) => ({ ...grant, from: "project demo-project" })),
    unmanaged: grants,
    before: [{ role: "roles/viewer", members: [...members], condition }],
    after: [
      { role: "roles/viewer", members: [...members] },
      { role: "roles/editor", members: [...members], condition, expires: { state: "unknown", unread: sentence } },
    ],
    unknown: [{ code: "unreadable policy", message: sentence }],
  };
  const violations = members.map((principal) => ({ rule: "loss", message: sentence, reason: sentence, principal }));
  return {
    ...busyResult,
    resources: [resource],
    refused: [{ step: "urn:pulumi:dev::shop::a:b:C::d", reason: sentence }],
    unknown: [{ code: "secret", message: sentence }],
    sources: Object.fromEntries(members.map((member) => [stepOf(member), { file: `people/${member}/a.ts`, line: 3 }])),
    notes: [sentence],
    verdict: verdictOf({ exitCode: 2, violations, warnings: violations, allowed: [sentence], rules: null }),
  };
}

/** Every format, as bytes and with HTML, JSON and URL encodings undone. */
function allForms(result: OneStack): string[] {
  const texts = [
    terminalText(answerWith(result), { width: 200, color: false }),
    terminalText(answerWith(result), { width: 60, color: true }),
    markdownText(answerWith(result)),
    jsonText(answerWith(result)),
    htmlPage(answerWith(result)),
    sarifText(answerWith(result)),
    junitText(answerWith(result)),
    githubText(answerWith(result)),
    codeQualityText(answerWith(result)),
  ];
  return texts.flatMap((text) => [text, decoded(text)]).map((text) => text.toLowerCase());
}

function decoded(text: string): string {
  return text
    .replace(/&#(?:x([0-9a-f]+)|(\d+));/gi, (_all, hex?: string, digits?: string) =>
      String.fromCodePoint(hex === undefined ? Number(digits) : Number.parseInt(hex, 16)),
    )
    .replace(/\\u\{?([0-9a-f]{2,4})\}?/gi, (_all, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
      try {
        return decodeURIComponent(bytes);
      } catch {
        return bytes;
      }
    });
}

const members = [...PEOPLE.map(([member]) => member), ...SERVICES, ...STAYING];

test("no format contains the name of a person or a group; domains and service accounts are shown", () => {
  const forms = allForms(maskedStack(resultWith(members)));
  for (const [, ...names] of PEOPLE) {
    for (const name of names) {
      const around = forms.flatMap((text) => text.split(name.toLowerCase()).slice(1));
      expect(around.map((rest) => name + rest.slice(0, 40))).toEqual([]);
    }
  }
  for (const stays of [...SERVICES, ...STAYING, "@example.com"]) {
    expect(forms[6]).toContain(stays.toLowerCase());
  }
});

test("a step with a masked name keeps its line", () => {
  const { resources, sources = {} } = maskedStack(resultWith(["user:ada.lovelace@example.com"]));
  expect(resources[0]?.changes[0]?.steps).toEqual(Object.keys(sources));
  expect(sources).toEqual({ [stepOf("user:a…1@example.com")]: { file: "people/user:a…1@example.com/a.ts", line: 3 } });
});

test("without a mask, all formats contain the names (which makes the test above meaningful)", () => {
  const forms = allForms(resultWith(members));
  for (const [, name = ""] of PEOPLE)
    expect(forms.filter((text) => text.includes(name.toLowerCase())).length).toBeGreaterThan(4);
});

/** Members, with spellings of their names in texts that people write, and what must not be in an answer. */
const BARE: Array<[member: string, spellings: string[], ...names: string[]]> = [
  [
    "user:ada.lovelace@example.com",
    ["ada.lovelace", "Ada Lovelace", "ADA-LOVELACE", "ada_lovelace", "adaLovelace"],
    "lovelace",
  ],
  ["group:night-shift@example.com", ["night-shift", "Night shift's"], "shift"],
  ["user:hopper+navy@example.com", ["hopper", "hopper+navy"], "hopper"],
  ["user:zoë@example.com", ["zoë", "ZOË", "zoe\u0308"], "zoë", "zoe\u0308"],
  [
    "deleted:user:eve.moneypenny@example.com?uid=12345678901",
    ["eve.moneypenny", "12345678901"],
    "penny",
    "12345678901",
  ],
  [`${FEDERATED}kim`, ["kim", "Kim's"], "kim"],
  [`${FEDERATED}q7`, ["q7"], "q7"],
  [GITHUB, ["octo/cat", "octo%2Fcat", "octo-cat"], "octo"],
];

describe("a name in whichever text", () => {
  const spellings = BARE.flatMap(([, each]) => each);
  const bare = BARE.map(([member]) => member);
  const base = resultWith(bare);
  const sentenceOf = (texts: readonly string[]) =>
    texts.map((each) => `for ${each}, "${each}" (x-${each}-y).`).join(" ");
  const sentence = sentenceOf(spellings);
  const ids = spellings.map((each) => each.replaceAll(/[^\w%-]/g, "-"));
  const conditionOf = (text: string) => {
    return { title: text, description: text, expression: `resource.name == '${text}' // ${text}` };
  };
  const condition = conditionOf(sentence);
  /** With one member's spellings in each condition. */
  const grants = BARE.map(([principal, own]) => {
    return { principal, role: "roles/viewer", condition: conditionOf(sentenceOf(own)) };
  });
  const resource = `projects/demo/datasets/${ids.join("-and-")}`;
  const steps = ids.map((id) => `urn:pulumi:dev::shop::perimeter:healthcare/v1beta1:DatasetIamMember::${id}-reads`);
  const named: OneStack = {
    ...base,
    resources: base.resources.map((each) => ({
      ...each,
      resource,
      changes: each.changes.map((change, at) => {
        return { ...change, condition: grants[at % grants.length]?.condition ?? condition, steps };
      }),
      inherited: grants.map((grant) => ({ ...grant, from: `dataset ${ids.join("-")}` })),
      unreadAbove: [resource],
      unmanaged: grants,
      after: [{ role: "roles/viewer", members: bare, condition, expires: { state: "unknown", unread: sentence } }],
      unknown: [{ code: "secret", message: sentence, step: steps[0] ?? "" }],
    })),
    refused: [{ step: steps[0] ?? "", resource, reason: sentence }],
    unknown: [{ code: "secret", message: sentence }],
    notes: [sentence],
    verdict: verdictOf({
      exitCode: 2,
      violations: [{ rule: "mayGain", message: sentence, reason: sentence, resource, principal: bare[0] ?? "" }],
      warnings: [{ rule: "unmanaged", message: sentence }],
      allowed: [sentence],
      rules: `teams/${ids.join("/")}/.perimeter-review.yaml`,
    }),
  };

  describe.each(["update", "access"] as const)("of the operation %s", (operation) => {
    let masked: string[];
    beforeAll(() => {
      masked = allForms(maskedStack({ ...named, operation })).map(unbroken);
    });

    test.each(BARE)("no format with masked names has a name of %s", (_member, _spellings, ...names) => {
      const around = names.flatMap((name) =>
        masked.flatMap((text) =>
          text
            .split(name)
            .slice(1)
            .map((rest) => name + rest.slice(0, 40)),
        ),
      );
      expect(around).toEqual([]);
    });

    test("is in the formats without a mask, so that its absence means something", () => {
      const shown = allForms({ ...named, operation }).map(unbroken);
      for (const [, , name = ""] of BARE) expect(shown.filter((text) => text.includes(name)).length).toBeGreaterThan(4);
    });
  });

  test("leaves the rest of a text as it is", () => {
    const { resources, verdict } = maskedStack(named);
    expect(resources[0]?.resource).toMatch(/^projects\/demo\/datasets\/a…\d+-and-/);
    expect(resources[0]?.changes[0]?.steps[0]).toMatch(
      /^urn:pulumi:dev::shop::perimeter:healthcare\/v1beta1:DatasetIamMember::a…\d+-reads$/,
    );
    expect(verdict.rules).toMatch(/\/\.perimeter-review\.yaml$/);
  });
});

/** Without the line breaks of a terminal, and the places where HTML may break a word. */
function unbroken(text: string): string {
  return text.replace(/<wbr>/g, "").replace(/\n */g, "");
}

test("a name in a sentence does not mask roles, domains, services, hidden values and the words of conditions", () => {
  const words = ["viewer", "example", "storage", "secret", "resource", "name", "startsWith", "prod", "the", "in", "7"];
  const texts = [
    "roles/viewer, projects/demo/roles/viewer",
    "ada@example.com and example.com",
    "storage.googleapis.com",
    "[secret]",
    "resource.name.startsWith('x') && resource.name.extract('{y}') == 'z' && api.getAttribute('w', '') == ''",
    "serviceAccount:prod@demo.iam.gserviceaccount.com in the 7 places",
  ];
  const shown = texts.map((text) => text.replace("ada@", "a…0@"));
  const { notes } = maskedStack({ ...resultWith(words.map((word) => `user:${word}@example.com`)), notes: texts });
  expect(notes.slice(0, -1).map((note) => note.replace(/a…\d+@/, "a…0@"))).toEqual(shown);
});

test("two members with the same name and other domains have no number where the domain is missing", () => {
  const result = resultWith(["user:grace@a.example", "user:grace@b.example"]);
  const { notes } = maskedStack({ ...result, notes: ["grace, or grace@a.example, or grace@b.example"] });
  expect(notes[0]).toMatch(/^g…, or g…1@a\.example, or g…2@b\.example$/);
});

test("the names of the stack and the project stay, because they tell the answers of a pull request from each other", () => {
  const result = { ...resultWith(["user:prod@example.com"]), project: "clinic", stack: "prod" };
  expect(maskedStack(result)).toMatchObject({ project: "clinic", stack: "prod" });
});

describe("a hostile text", () => {
  const parts = [
    ...["a", "a.", "a'", "-", "%41", "a@", "a@b.", "…1", "principal://", "principal://x/subject/", "/subject/"],
    ...["/attribute.a", "roles/", "projects/", "resource.", "word ", "[", "urn:"],
  ];
  const here = casesHere(parts, (_, index) => index % 3 === 0);
  // A text that is read again from each of its characters takes minutes: then the limit for tests that hang ends this one.
  test(`of 300,000 characters is masked: ${here.join(", ")}`, async () => {
    const masking = (load: Load) => {
      const { maskedCopy, maskMessage: mask } = load<typeof import("./masked-principals")>(
        "access/formats/masked-principals",
      );
      return (part: string) => {
        const text = part.repeat(300_000 / part.length);
        maskedCopy({ notes: [text] });
        mask(text, {}, ["user:ada@example.com", `user:${"a.".repeat(40)}b@example.com`, `user:${text}`]);
      };
    };
    expect(await stepsOf(masking, here as [string, ...string[]])).toHaveLength(here.length);
  });

  test("is masked in steps that grow with its length, and not with the number of names", async () => {
    const masking = (load: Load) => {
      const { maskMessage: mask } = load<typeof import("./masked-principals")>("access/formats/masked-principals");
      return ([length, count]: [number, number]) => {
        const names = Array.from({ length: count }, (_, index) => `user:person.number-${index}@example.com`);
        mask("person.number-0 and a friend ".repeat(length), {}, names);
      };
    };
    const [short = 0, long = 0, few = 0, ofFew = 0, many = 0, ofMany = 0] = await stepsOf(masking, [
      [200, 10],
      [800, 10],
      [500, 20],
      [0, 20],
      [500, 2_000],
      [0, 2_000],
    ]);
    expect(long / short).toBeLessThan(6);
    expect((many - ofMany) / (few - ofFew)).toBeLessThan(1.5);
  });
});

test("a name that equals a word of the format does not mask that word", () => {
  const words = ["unknown", "lost", "secret", "merge", "healthcare", "loss", "access", "expired", "unreadable policy"];
  const result = resultWith(words.map((word) => FEDERATED + word));
  const { resources, verdict } = onlyStack(JSON.parse(jsonText(answerWith(maskedStack(result)))) as Answer);
  const fixed = ({ changes, after, unknown, api, kind, grantModes }: Partial<ReviewedResource> = {}) => ({
    changes: changes?.map(({ change, role }) => [change, role]),
    states: after?.map(({ expires }) => expires?.state),
    codes: unknown?.map(({ code }) => code),
    api,
    kind,
    grantModes,
  });
  expect(fixed(resources[0])).toEqual(fixed(result.resources[0]));
  expect(byEffect(verdict).violations.map(({ rule }) => rule)).toEqual(
    byEffect(result.verdict).violations.map(({ rule }) => rule),
  );
});

test("an option that names a principal is masked, and the names of rules stay", () => {
  const [ada, rule] = ["user:ada@example.com", "forbiddenRoles[0]"];
  const judgements = [`--allow-loss ${ada}`, rule].map((each) => ({
    effect: "allows" as const,
    rule: each,
    message: `${ada} loses.`,
    principal: ada,
  }));
  const { verdict } = maskedStack({ ...busyResult, verdict: { exitCode: 0, judgements } });
  const [option = "", ...others] = verdict.judgements.map((each) => each.rule);
  expect(option).toMatch(/^--allow-loss user:a…\d+@example\.com$/);
  expect(others).toEqual([rule]);
});

test("an option also masks service accounts", () => {
  const forms = allForms(maskedStack(resultWith(members), { serviceAccounts: true }));
  expect(forms.filter((text) => /deployer|indexer/.test(text))).toEqual([]);
  expect(forms[6]).toContain("@demo-project.iam.gserviceaccount.com");
});

test("a name has the same number in the whole output, in each spelling", () => {
  const spellings = ["user:ada@example.com", "user:ADA@example.com", "group:ada@example.com", "user:bob@example.com"];
  const { resources, notes } = maskedStack(resultWith(spellings));
  expect(resources[0]?.noAccessLeft).toEqual([
    expect.stringMatching(/^user:a…(\d+)@example\.com$/),
    expect.stringMatching(/^user:A…(\d+)@example\.com$/),
    expect.stringMatching(/^group:a…(\d+)@example\.com$/),
    expect.stringMatching(/^user:b…(\d+)@example\.com$/),
  ]);
  const numbers = (resources[0]?.noAccessLeft ?? []).map((member) => /\d+/.exec(member)?.[0]);
  expect(new Set(numbers.slice(0, 3)).size).toBe(1);
  expect(numbers[3]).not.toBe(numbers[0]);
  expect(notes[0]).toContain(`user:a…${numbers[0]}@example.com, "a…${numbers[0]}@example.com"`);
  expect(notes.at(-1)).toMatch(/^Principals are masked/);
});

test("two members are never masked as one, whatever their names are", () => {
  const name = fc.string({ unit: fc.constantFrom(..."aAbz09._+-'…/ é"), minLength: 1, maxLength: 6 });
  const member = fc
    .tuple(
      fc.constantFrom("user:", "group:", "deleted:user:", FEDERATED),
      name,
      fc.constantFrom("@a.example", "@b.example", ""),
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.uniqueArray(member, { selector: (each) => each.toLowerCase(), maxLength: 12 }), (list) => {
      const masked = maskedStack(resultWith(list)).resources[0]?.noAccessLeft ?? [];
      expect(new Set(masked.map((each) => each.toLowerCase())).size).toBe(list.length);
    }),
    { numRuns: 60 },
  );
});

test("masked output says that it is masked; its verdict compares the real names", () => {
  const result = resultWith(members);
  const masked = maskedStack(result);
  expect(masked).toMatchObject({ masked: true, verdict: { exitCode: 2 }, summary: result.summary });
});

test("no digest stays, with which one could try out names", () => {
  const fact = { code: "other provider" as const, message: "It is unknown.", digest: "a1b2" };
  expect(maskedStack({ ...resultWith([]), unknown: [fact] }).unknown).toEqual([{ ...fact, digest: "" }]);
});

test("a message outside of the output contains neither names nor numbers of them", () => {
  expect(maskMessage(`--allow-loss user:ada@example.com names ${FEDERATED}katherine-johnson`)).toBe(
    `--allow-loss user:a…@example.com names ${FEDERATED}k…`,
  );
});
