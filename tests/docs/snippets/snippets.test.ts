/** Every fenced snippet of the documents says what it is, and what is data is right. The other files here check the rest. */
import { repositoryRoot } from "../../support/engine";
import { extract, snippetsOf } from "../../support/snippets";

test("every snippet says what it is", () => {
  const { snippets, problems } = snippetsOf(repositoryRoot);
  expect(problems).toEqual([]);
  expect(new Set(snippets.map(({ kind }) => kind)).size).toBeGreaterThan(5);
});

test("JSON is JSON", () => {
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

describe("what is read of a page", () => {
  const one = (words: string) => extract("page.md", "before\n```" + words + "\ntext\n```\nafter\n");

  test("its language, its words and its text", () => {
    expect(one("typescript fragment needs=a,@b/c")).toEqual({
      snippets: [
        { page: "page.md", line: 2, kind: "typescript", fragment: true, needs: ["a", "@b/c"], text: "text\n" },
      ],
      problems: [],
    });
  });

  test("a snippet in a list, and one that holds a fence", () => {
    const texts = extract("page.md", "- item\n\n  ```sh\n  one\n    two\n  ```\n\n````markdown\n```sh\n```\n````\n");
    expect(texts.snippets.map(({ text }) => text)).toEqual(["one\n  two\n", "```sh\n```\n"]);
  });

  test.each([
    ["", 'page.md:2 does not say what it is: ""'],
    ["fortran", 'page.md:2 does not say what it is: "fortran"'],
    ["sh fragment", "page.md:2 is sh, of which there are no fragments"],
    ["go whole", 'page.md:2 has the word "whole"'],
  ])("a fence with the words %j is a problem", (words, problem) => {
    expect(one(words).problems).toEqual([expect.stringContaining(problem)]);
  });
});
