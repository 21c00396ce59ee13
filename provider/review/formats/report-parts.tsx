/** @jsxImportSource ../../../access-picture/view */
import type { JSX } from "../../../access-picture/view/jsx-runtime";
import { counted, visible } from "./visible";

/** Says how many are left out; nothing where none are. */
export function More({
  count,
  noun,
  plural = `${noun}s`,
}: {
  count: number;
  noun: string;
  plural?: string;
}): JSX.Element {
  return count > 0 ? (
    <p class="soft">
      {counted(count, `more ${noun} is`, `more ${plural} are`)} not shown here: <code>--format json</code> has all.
    </p>
  ) : null;
}

/** A role that breaks between its words: `roles/healthcare.` `fhir` `Store` `Viewer`. */
export function RoleName({ role }: { role: string }): JSX.Element {
  const parts = visible(role).split(/(?<=[/.])|(?=[A-Z])/);
  return <code>{parts.flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]))}</code>;
}
