import { randomBytes } from "node:crypto";
import { NOTE_KINDS, type Note } from "../core/note";
import { ENDED, lineOf, noteOf } from "./note-line";

const key = randomBytes(32);
const note: Note = { kind: "declared", key: "k", anyProject: "a", project: "demo projekt", identity: "i" };

test("a line gives the note back, of each kind, and without a project or an identity", () => {
  for (const kind of NOTE_KINDS) expect(noteOf(lineOf({ ...note, kind }, key), key)).toEqual({ ...note, kind });
  const bare: Note = { ...note, project: "", identity: "" };
  expect(noteOf(lineOf(bare, key), key)).toEqual(bare);
});

test("a line does not show the project, nor the same project twice alike", () => {
  const line = lineOf(note, key);
  expect(line).not.toContain("demo");
  expect(lineOf(note, key)).not.toBe(line);
  expect(() => noteOf(line, randomBytes(32))).toThrow();
});

test("other lines hold no note", () => {
  for (const line of ["", ENDED, lineOf(note, key).replace("declared", "of a later version")]) {
    expect(noteOf(line, key)).toBeUndefined();
  }
});
