import type { PolicyKind } from "../../provider/iam/kinds/kinds";

/** A made-up resource of a kind: its API and its name there, as in a seed, and its full name. */
export function resourceOfKind({ api, path, names }: PolicyKind, id = "my") {
  const filled = (template: string) =>
    template.replaceAll(/\{\+?(\w+)\}/g, "my-$1").replace(/my-(?!.*my-)/, () => `${id}-`);
  return {
    service: api,
    name: filled(path.template),
    resource: `//${api}.googleapis.com/${filled(names.template)}`,
  };
}
