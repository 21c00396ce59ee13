import * as fs from "node:fs";
import * as path from "node:path";

const FOLDER = path.join(__dirname, "..", "fixtures", "recorded");

/** A request to the real cloud and its answer, as somebody else recorded it (`tests/fixtures/recorded/README.md`). */
export interface Recorded {
  method: string;
  /** With version and query. */
  path: string;
  requestBody?: Record<string, unknown>;
  status: number;
  /** A text where the recorder took the body out. */
  responseBody: unknown;
  host: string;
}

/** What stands in the recordings for names that the recorder took out, and what the tests put there. */
export const PROJECT = "example-project";
export const PROJECT_NUMBER = "123456789012";
const PLACES: Readonly<Record<string, string>> = {
  projectId: PROJECT,
  projectNumber: PROJECT_NUMBER,
  uniqueId: "u1",
  networkID: "net-1",
};

/** The exchanges of a recording, in their order. */
export function recording(name: string): Recorded[] {
  const text = fs.readFileSync(path.join(FOLDER, `${name}.jsonl`), "utf8");
  const filled = text.replace(/\$\{(\w+)\}/g, (whole, place: string) => PLACES[place] ?? whole);
  return filled
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Recorded);
}

export const RECORDINGS = fs
  .readdirSync(FOLDER)
  .filter((file) => file.endsWith(".jsonl"))
  .map((file) => file.replace(".jsonl", ""));

/** The resources of a recording: each body that a GET of no operation answered, in order. */
export function readBodies(name: string, collection: string): Array<Record<string, unknown>> {
  return recording(name).flatMap(({ method, path: at, status, responseBody }) =>
    method === "GET" && status === 200 && new RegExp(`/${collection}/[^/?:]+(\\?|$)`).test(at)
      ? [responseBody as Record<string, unknown>]
      : [],
  );
}
