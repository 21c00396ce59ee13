import * as fs from "node:fs";
import * as path from "node:path";

/**
 * The links of a document that lead to no file of the repository, or to no heading in it; those to the web are left out.
 *
 * @param file the document's absolute path
 */
export function brokenLinks(file: string, text: string): string[] {
  const prose = text.replace(/^( *)(`{3,})[^]*?^\1\2$/gm, "").replace(/`[^`\n]+`/g, "");
  const targets = [...prose.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => {
    const [name = "", anchor] = target.split("#");
    const place = name === "" ? file : path.resolve(path.dirname(file), name);
    return (
      !fs.existsSync(place) || (anchor !== undefined && !anchorsOf(fs.readFileSync(place, "utf8")).includes(anchor))
    );
  });
}

/** As GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
}
