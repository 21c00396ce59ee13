import { BadAnswerError } from "../core/errors";
import { WireShapeError } from "../core/wire";
import { parseAnswer } from "./parse-answer";

test("parseAnswer names the request of an answer with another shape, and lets other errors pass", () => {
  const wrong = () =>
    parseAnswer("look up the scope", "the-scope", () => {
      throw new WireShapeError("labels", "a map");
    });
  expect(wrong).toThrow(BadAnswerError);
  expect(wrong).toThrow(
    "Could not look up the scope the-scope: the API's answer has an unexpected shape: labels should be a map",
  );
  const other = new Error("other");
  expect(() =>
    parseAnswer("d", "r", () => {
      throw other;
    }),
  ).toThrow(other);
});
