/** Types with another name in Google's Terraform provider, which joins the service and the name. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  "essentialcontacts/DocumentAiWarehouseLocation": "DocumentAiWarehouseLocation",
  "organizations/Folder": "Folder",
  "organizations/Project": "Project",
  "projects/ApiKey": "ApikeysKey",
  "serviceaccount/Account": "ServiceAccount",
};

/**
 * The full types of a short one of a table: for one of `@pulumi/gcp`, also those of Google's Terraform provider and of a view of a module.
 *
 * @param short `gcp:storage/BucketACL`
 */
export function foreignTypesOf(short: string): string[] {
  const [, provider = "", module = "", name = ""] = /^([\w-]+):(?:([\w-]+)\/)?(\w+)$/.exec(short) ?? [];
  const own = name.charAt(0).toLowerCase() + name.slice(1);
  if (provider === "google-native") return [`google-native:${module}/v1:${name}`];
  if (provider !== "gcp") return [`${provider}:${module}/${own}:${name}`];
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  const service = module === "certificateauthority" ? "privateca" : module.replace(/^(project|organization)s$/, "$1");
  const joined = OTHER_NAMES[`${module}/${name}`] ?? service + capital;
  const view = joined.replaceAll(/[A-Z]+(?=[A-Z][a-z])|[a-z0-9](?=[A-Z])/g, "$&_").toLowerCase();
  const bridged = ["google", "google-beta"].map((each) => `${each}:index/${joined}:${joined}`);
  return [`gcp:${module}/${own}:${name}`, ...bridged, `mine:tf:google_${view}`];
}
