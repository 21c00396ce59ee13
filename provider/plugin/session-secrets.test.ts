import { Secrets } from "../core/secrets";
import { KnownSecrets } from "./session";

function marked(...properties: string[]): Secrets {
  const secrets = new Secrets();
  properties.forEach((each) => secrets.mark([each]));
  return secrets;
}

function marksIn(secrets: KnownSecrets, values: Record<string, unknown>): string[] {
  const marks = new Secrets();
  secrets.markSettingsIn(values, marks);
  return Object.keys(values).filter((name) => marks.touches(name));
}

test("hides credentials always, and other settings if the user marks them as secret", () => {
  const secrets = new KnownSecrets();
  secrets.noteSettings({ accessToken: "ya29.canary", project: "hidden-project", zone: "zone-a" }, marked("project"));
  expect(secrets.scrub("ya29.canary in zone-a")).toBe("[secret] in zone-a");
  expect(marksIn(secrets, { project: "hidden-project", zone: "zone-a" })).toEqual(["project"]);
});

test("the settings of a run replace those of the last run", () => {
  const secrets = new KnownSecrets();
  secrets.noteSettings({ project: "first-project" }, marked("project"));
  secrets.noteSettings({ project: "second-project" }, marked("project"));
  expect(marksIn(secrets, { old: "first-project", now: "second-project" })).toEqual(["now"]);
});
