/** Every fenced snippet of the documents names its language, and data is valid. The other files here check the rest. */
import { repositoryRoot } from "../../support/engine";
import { extract, snippetsOf } from "../../support/snippets";

test("every snippet names its language", () => {
  const { snippets, problems } = snippetsOf(repositoryRoot);
  expect(problems).toEqual([]);
  expect(new Set(snippets.map(({ kind }) => kind)).size).toBeGreaterThan(5);
});

test("JSON snippets are valid JSON", () => {
  const wrong = snippetsOf(repositoryRoot).snippets.filter(({ kind, text }) => {
    if (kind !== "json") return false;
    try {
      JSON.parse(text);
      return false;
    } catch {
      return true;
    }
  });
  expect(wrong).toEqual([]);
});

describe("the parser of pages", () => {
  const one = (words: string) => extract("page.md", "before\n```" + words + "\ntext\n```\nafter\n");

  test("returns a snippet's language, words and text", () => {
    expect(one("typescript fragment needs=a,@b/c")).toEqual({
      snippets: [
        { page: "page.md", line: 2, kind: "typescript", fragment: true, needs: ["a", "@b/c"], text: "text\n" },
      ],
      problems: [],
    });
  });

  test("returns a snippet in a list, and a snippet that contains a fence", () => {
    const texts = extract("page.md", "- item\n\n  ```sh\n  one\n    two\n  ```\n\n````markdown\n```sh\n```\n````\n");
    expect(texts.snippets.map(({ text }) => text)).toEqual(["one\n  two\n", "```sh\n```\n"]);
  });

  test.each([
    ["", 'page.md:2 does not say what it is: ""'],
    ["fortran", 'page.md:2 does not say what it is: "fortran"'],
    ["sh fragment", "page.md:2 is sh, of which there are no fragments"],
    ["go whole", 'page.md:2 has the word "whole"'],
  ])("reports a fence with the words %j", (words, problem) => {
    expect(one(words).problems).toEqual([expect.stringContaining(problem)]);
  });
});
