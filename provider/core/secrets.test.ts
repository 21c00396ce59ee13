import { Secrets, SecretTexts } from "./secrets";

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
    expect([secrets.isMarked(["who", 0]), secrets.isMarked(["who", 1])]).toEqual([false, true]);
  });

  test("a secret that contains another secret is removed as a whole", () => {
    const both = new SecretTexts();
    both.add("ada@example.com");
    both.add("user:ada@example.com");
    expect(both.scrub("user:ada@example.com")).toBe("[secret]");
  });
});
