/**
 * The elements that JSX makes in the access picture: plain objects, which a page turns into its own elements and `toHtml`
 * into text. So the picture depends on no library and no browser. Elements of Preact would bring Preact's types, which
 * declare a browser's globals (`name`, `status`, `document`) for all code of the package: TypeScript would then accept a
 * misspelled variable.
 */
export interface ViewElement {
  tag: string | typeof Fragment;
  key?: string | number;
  attributes: Readonly<Record<string, Attribute>>;
  children: View[];
}

/** What can stand between tags; nothing is shown for null, undefined and booleans. */
export type View = ViewElement | string | number | boolean | null | undefined;

type Attribute = string | number | boolean | undefined;
type Children = View | readonly Children[];

/** Several elements without one around them. */
export const Fragment = Symbol("fragment");

export function jsx(
  tag: string | typeof Fragment | ((props: never) => ViewElement | null),
  { children, ...attributes }: Record<string, unknown>,
  key?: string | number,
): ViewElement | null {
  if (typeof tag === "function") {
    return (tag as (props: unknown) => ViewElement | null)({ children, ...attributes });
  }
  return {
    tag,
    ...(key !== undefined && { key }),
    attributes: attributes as Record<string, Attribute>,
    children: ([children] as unknown[]).flat(Infinity) as View[],
  };
}

export const jsxs = jsx;

/** Names that TypeScript looks for when it checks JSX. */
// eslint-disable-next-line @typescript-eslint/no-namespace -- the language asks for a namespace of this name
export declare namespace JSX {
  type Element = ViewElement | null;
  interface ElementChildrenAttribute {
    children: unknown;
  }
  interface IntrinsicAttributes {
    key?: string | number;
  }
  interface IntrinsicElements {
    [tag: string]: { [attribute: string]: unknown; key?: string | number; children?: Children };
  }
}
