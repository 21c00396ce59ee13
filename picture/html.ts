import { AccessPicture, type AccessPictureProps } from "./picture";
import type { View } from "./view/jsx-runtime";

/**
 * The picture as HTML, with all texts escaped. It needs only `accessStyles` from `./generated/styles`, so a report can be a
 * single file.
 */
export function accessPictureHtml(props: AccessPictureProps): string {
  return toHtml(AccessPicture(props));
}

/** Elements without content and end tag. */
const VOID = new Set(["wbr", "br", "input"]);

export function toHtml(view: View): string {
  if (view === null || view === undefined || typeof view === "boolean") {
    return "";
  }
  if (typeof view !== "object") {
    return escapedText(String(view));
  }
  const content = view.children.map(toHtml).join("");
  if (typeof view.tag === "symbol") {
    return content;
  }
  const attributes = Object.entries(view.attributes).map(([name, value]) =>
    value === undefined || value === false
      ? ""
      : value === true
        ? ` ${name}`
        : ` ${name}="${escapedText(String(value))}"`,
  );
  const start = `<${view.tag}${attributes.join("")}>`;
  return VOID.has(view.tag) ? start : `${start}${content}</${view.tag}>`;
}

/** A text for an element or an attribute of HTML or XML. */
export function escapedText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
