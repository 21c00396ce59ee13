/** A start tag, an empty element or an end tag. */
const TAG = /^<(?:([\w-]+)((?: [\w-]+="[^"<]*")*)(\/?)|\/([\w-]+))>/;
/** https://www.w3.org/TR/xml/#charsets */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * The start tags of an XML document, with empty attributes.
 *
 * @throws Error if the document is not well-formed: for the part of XML without comments, processing instructions and CDATA
 */
export function elementsIn(document: string): string[] {
  const forbidden = FORBIDDEN.exec(document);
  if (forbidden) throw new Error(`a forbidden character at ${forbidden.index}`);
  if (/&(?!#\d+;|(?:amp|lt|gt|quot|apos);)/.test(document)) throw new Error("a & that begins no reference");
  const [declaration = ""] = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/.exec(document) ?? [];
  const found: string[] = [];
  const open: string[] = [];
  let rest = document.slice(declaration.length);
  while (rest !== "") {
    const text = /^[^<]*/.exec(rest)?.[0] ?? "";
    if (open.length === 0 && text.trim() !== "") throw new Error(`a text outside of the root: ${text}`);
    rest = rest.slice(text.length);
    if (rest === "") break;
    const [tag, name, attributes = "", empty, end] = TAG.exec(rest) ?? [];
    if (tag === undefined) throw new Error(`not a tag: ${rest.slice(0, 80)}`);
    if (end !== undefined && open.pop() !== end) throw new Error(`</${end}> ends another element`);
    if (name !== undefined) {
      if (found.length > 0 && open.length === 0) throw new Error("a second root");
      found.push(`<${name}${attributes.replace(/"[^"]*"/g, '""')}>`);
      if (empty === "") open.push(name);
    }
    rest = rest.slice(tag.length);
  }
  if (open.length > 0) throw new Error(`not ended: ${open.join(", ")}`);
  return found;
}
