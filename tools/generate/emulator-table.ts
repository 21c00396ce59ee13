import { methods } from "../../emulator/services";
import { codes, table, withMarked } from "./markdown";

/** docs/emulator-reference.md with the table of all methods that the emulator serves between its two marks. */
export function withMethodTable(document: string): string {
  return withMarked(document, "methods", methodTable());
}

interface Row {
  service: string;
  versions: Set<string>;
  resource: string;
  names: Set<string>;
}

function methodTable(): string {
  const rows = new Map<string, Row>();
  for (const { id, api } of methods) {
    const { service, version } = api;
    if (service === "iamcredentials") continue;
    const [, ...collection] = id.split(".");
    const name = collection.pop() ?? "";
    const [parent, ...rest] = collection;
    const below = (rest[0] === "locations" ? rest.slice(1) : rest).join(".") || (rest[0] ?? parent);
    const resource = `\`${below}\`${parent === "organizations" && rest.length > 0 ? " of organizations" : ""}`;
    const key = `${service} ${resource}`;
    const row = rows.get(key) ?? { service, versions: new Set(), resource, names: new Set() };
    row.versions.add(version);
    row.names.add(name);
    rows.set(key, row);
  }
  const sorted = [...rows.values()].sort((a, b) => (a.service < b.service ? -1 : a.service > b.service ? 1 : 0));
  return table(
    ["API", "Versions", "Resource", "Methods"],
    sorted.map(({ service, versions, resource, names }) => [service, [...versions].join(", "), resource, codes(names)]),
  );
}
