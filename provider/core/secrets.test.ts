import fc from "fast-check";
import { normalName } from "./reference";
import { escapedForRegExp, Secrets, SecretTexts } from "./secrets";

test("a value is secret if it or a value that contains it is marked", () => {
  const secrets = new Secrets();
  secrets.mark(["labels"]);
  secrets.mark(["condition", "title"]);
  expect(secrets.isSecret(["labels", "env"])).toBe(true);
  expect(secrets.isSecret(["condition", "title"])).toBe(true);
  expect(secrets.isSecret(["condition"])).toBe(false);
  expect(secrets.isSecret(["condition", "expression"])).toBe(false);
  expect(secrets.touches("condition")).toBe(true);
  expect(secrets.touches("network")).toBe(false);
});

test("a list with one secret element is secret as a whole, because others may reorder its elements", () => {
  const secrets = new Secrets();
  secrets.mark(["members", 1]);
  secrets.mark(["bindings", 0, "condition", "title"]);
  expect(secrets.isMarked(["members"])).toBe(true);
  expect(secrets.isMarked(["bindings"])).toBe(true);
  expect(secrets.isSecret(["members", 0])).toBe(true);
  // The name of a label may look like a position.
  secrets.mark(["labels", "0"]);
  expect(secrets.isMarked(["labels"])).toBe(false);
});

describe("messages", () => {
  const texts = new SecretTexts();
  texts.add({ list: ["user:Ada+1@example.com", "an"], nested: { quote: 'say "so"', name: "projects/p/things/ä b:c" } });

  test.each([
    ["as it is", "member user:Ada+1@example.com does not exist", "member [secret] does not exist"],
    ["without its kind", "User Ada+1@example.com does not exist", "User [secret] does not exist"],
    ["in another case", "USER:ADA+1@EXAMPLE.COM", "[secret]"],
    ["in a URL", "GET /x?member=user%3AAda%2B1%40example.com", "GET /x?member=[secret]"],
    ["in a path", "GET /v1/projects/p/things/%C3%A4%20b:c:get", "GET /v1/[secret]:get"],
    ["in JSON", '{"a":"say \\"so\\""}', '{"a":"[secret]"}'],
    ["too short to be one", "an animal", "an animal"],
  ])("a secret %s", (_name, message, scrubbed) => {
    expect(texts.scrub(message)).toBe(scrubbed);
  });

  test("a secret with an unpaired surrogate does not break messages", () => {
    const halves = new SecretTexts();
    halves.add("half \ud83d");
    expect(halves.scrub("a half \ud83d and more")).toBe("a [secret] and more");
  });

  test("the project of a secret name is removed", () => {
    const names = new SecretTexts();
    names.add("projects/covert-project/locations/l/things/t");
    expect(names.scrub("Permission denied on projects/covert-project (covert-project)")).toBe(
      "Permission denied on projects/[secret] ([secret])",
    );
  });

  test("the id of a secret name is removed also alone, but not inside longer words", () => {
    const names = new SecretTexts();
    names.add(["https://www.example.com/v1/projects/p/global/networks/prod", "roles/viewer"]);
    expect(names.scrub('network "prod" of production, prod-2 and PROD; needs viewer')).toBe(
      'network "[secret]" of production, prod-2 and [secret]; needs viewer',
    );
  });

  test("marks the paths of values that contain a secret", () => {
    const secrets = new Secrets();
    texts.markIn({ plain: "a", who: ["b", "for ADA+1@example.com"], deep: { said: 'say "so"' } }, secrets);
    expect(["plain", "who", "deep"].map((each) => secrets.touches(each))).toEqual([false, true, true]);
    expect([secrets.isMarked(["who"]), secrets.isMarked(["deep"])]).toEqual([true, false]);
  });

  test("a secret that contains another secret is removed as a whole", () => {
    const both = new SecretTexts();
    both.add("ada@example.com");
    both.add("user:ada@example.com");
    expect(both.scrub("user:ada@example.com")).toBe("[secret]");
  });
});

describe("the search for many secrets", () => {
  // A small alphabet, so that secrets often overlap or contain each other. `ß` and `ŉ` are longer in upper case.
  const word = fc.string({
    unit: fc.constantFrom("a", "A", "b", "-", "/", ":", "@", "%", " ", '"', "\\", "\n", "ä", "ß", "ŉ", "\ud83d", "😀"),
    maxLength: 8,
  });
  // Often of equal lengths, so that the order of adding decides; or a part of the replacement.
  const overlapping = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "b"), minLength: 4, maxLength: 5 }),
    fc.constantFrom("secret", "secr", "cret]"),
  );
  const secret = fc.oneof(
    word,
    overlapping,
    word.map((each) => `user:${each}@example.com`),
    fc.tuple(word, word).map(([project, id]) => `projects/${project}/things/${id}`),
    fc.tuple(word, word).map(([project, id]) => `https://www.example.com/v1/projects/${project}/things/${id}`),
  );
  const quote = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    (text) => text.slice(1),
    (text) => text.slice(0, -1),
    (text) => text.slice(text.lastIndexOf("/") + 1),
    (text) => JSON.stringify(text),
    (text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, "")),
    (text) => encodeURI(text.replace(/\p{Surrogate}/gu, "")).toLowerCase(),
  );
  const secretsAndMessage = fc.array(secret, { minLength: 1, maxLength: 12 }).chain((secrets) => {
    const quoted = fc.tuple(fc.constantFrom(...secrets), quote).map(([text, inForm]) => inForm(text));
    const parts = fc.array(fc.oneof({ weight: 2, arbitrary: quoted }, overlapping, word), { maxLength: 8 });
    return fc.tuple(
      fc.constant(secrets),
      parts.map((each) => each.join("")),
    );
  });

  /** Searches the message for each text, one after another. */
  function scrubbedOneByOne(secrets: readonly string[], message: string): string {
    const texts = secrets.flatMap((each) => [
      each,
      each.replace(/^\w+:/, ""),
      normalName(each),
      /(?:^|\/)projects\/([^/]+)/.exec(each)?.[1] ?? "",
    ]);
    const ids = secrets.map((each) => /^(?:[^\s/]*\/){3,}([^\s/]+)$/.exec(each)?.[1] ?? "");
    const replaced = longestFirst(texts).reduce((rest, text) => without(text, rest, message, ["", ""]), message);
    return longestFirst(ids).reduce(
      (rest, text) => without(text, rest, message, ["(?<![\\w-])", "(?![\\w-])"]),
      replaced,
    );
  }

  function longestFirst(texts: readonly string[]): string[] {
    return [...new Set(texts)].filter((each) => each.length >= 4).sort((left, right) => right.length - left.length);
  }

  function without(text: string, rest: string, message: string, [before, after]: [string, string]): string {
    const encoded = text.isWellFormed() ? encodeURIComponent(text) : text;
    const inPath = encoded.replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%40", "@");
    const spellings = [text, encoded, inPath, JSON.stringify(text).slice(1, -1)];
    if (!spellings.some((each) => message.toUpperCase().includes(each.toUpperCase()))) return rest;
    return rest.replace(
      new RegExp(`${before}(?:${spellings.map(escapedForRegExp).join("|")})${after}`, "gi"),
      "[secret]",
    );
  }

  test("a message loses the same secrets as in a search for one secret after another", () => {
    fc.assert(
      fc.property(secretsAndMessage, ([secrets, message]) => {
        const texts = new SecretTexts();
        secrets.forEach((each, index) => {
          texts.add(each);
          expect(texts.scrub(message)).toBe(scrubbedOneByOne(secrets.slice(0, index + 1), message));
        });
      }),
      { numRuns: 300 },
    );
  });

  test("a message loses a secret that has all but a few characters in common with thousands of others", () => {
    const texts = new SecretTexts();
    texts.add(Array.from({ length: 3000 }, (_, index) => `user:member-${index}@example.com`));
    expect(texts.scrub("user:member-0@example.com, MEMBER-2999@example.com and user:member-3000@example.com")).toBe(
      "[secret], [secret] and user:member-3000@example.com",
    );
  });
});
