import { methods } from "../../emulator/services";
import { withMarked } from "./marked";

/** docs/emulator.md with the table of all methods that the emulator serves between its two marks. */
export function withMethodTable(document: string): string {
  return withMarked(document, "methods", table());
}

interface Row {
  service: string;
  versions: Set<string>;
  resource: string;
  names: Set<string>;
}

function table(): string {
  const rows = new Map<string, Row>();
  for (const { id, service, version } of methods) {
    if (service === "iamcredentials") continue;
    const [, parent = "", ...rest] = id.split(".");
    const name = rest.pop() ?? "";
    const below = rest.slice(1).join(".") || "locations";
    const resource = parent === "organizations" ? `${below} of organizations` : below;
    const key = `${service} ${resource}`;
    const row = rows.get(key) ?? { service, versions: new Set(), resource, names: new Set() };
    row.versions.add(version);
    row.names.add(name);
    rows.set(key, row);
  }
  const lines = [...rows.values()]
    .sort((a, b) => (a.service < b.service ? -1 : a.service > b.service ? 1 : 0))
    .map(
      ({ service, versions, resource, names }) =>
        `| ${service} | ${[...versions].join(", ")} | \`${resource.replace(" of ", "` of ")}${resource.includes(" of ") ? "" : "`"} | ${[...names].map((name) => `\`${name}\``).join(", ")} |\n`,
    );
  return `| API | Versions | Resource | Methods |\n| --- | --- | --- | --- |\n${lines.join("")}`;
}
