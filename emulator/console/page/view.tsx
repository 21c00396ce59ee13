import { Fragment, h, type ComponentChild, type JSX } from "preact";
import type { View as Drawn } from "../../../picture/view/jsx-runtime";

/** Renders a part of the access picture as elements of this page. */
export function View({ of }: { of: Drawn }): JSX.Element {
  return <>{toElement(of)}</>;
}

function toElement(view: Drawn): ComponentChild {
  if (typeof view !== "object" || view === null) {
    return view;
  }
  const { tag, key, attributes, children } = view;
  const inner = children.map(toElement);
  return typeof tag === "symbol" ? h(Fragment, { key }, ...inner) : h(tag, { ...attributes, key }, ...inner);
}
