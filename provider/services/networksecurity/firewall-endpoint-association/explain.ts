import { tokenOf } from "../../../core/definition";
import { AlreadyExistsError, ApiError, NotFoundError } from "../../../core/errors";
import type { Values } from "../../../core/unknown";
import { firewallEndpointAssociation as definition } from "./definition";
import { nameOf } from "./values";

/** For messages. */
export const DOING = {
  create: "create the firewall endpoint association",
  read: "read the firewall endpoint association",
  update: "update the firewall endpoint association",
  delete: "delete the firewall endpoint association",
} as const;

/** Inputs that some clients of the API hold immutable (wire reference section 6, "Mutability"). */
const PERHAPS_IMMUTABLE = ["network", "firewallEndpoint"];

export function importCommand(name: string): string {
  return `import it: pulumi import ${tokenOf(definition)} <name> ${name}`;
}

/** What a refused create means, where its status says too little. */
export function explainCreate(error: unknown, inputs: Values): unknown {
  if (error instanceof AlreadyExistsError) {
    return error.withHint(`To manage the existing one, ${importCommand(nameOf(inputs) ?? "{name}")}`);
  }
  if (error instanceof ApiError && error.httpStatus === 400 && !looksLikeZone(String(inputs.location))) {
    return error.withHint(
      `location is "${String(inputs.location)}": an association lives in a zone, the one of its firewall endpoint, such as us-central1-a`,
    );
  }
  return error;
}

/** Deleted behind the engine's back, or never made: an update cannot know that, a refresh can. */
export function explainGone(error: unknown): never {
  if (!(error instanceof NotFoundError)) throw error;
  throw error.withHint("If the association is gone, pulumi refresh notices it, and the next pulumi up creates it anew");
}

function looksLikeZone(location: string): boolean {
  return /^[a-z]+-[a-z0-9]+-[a-z]$/.test(location);
}

/** What a refused update may mean. */
export function explainUpdate(error: unknown, changed: readonly string[]): unknown {
  if (!(error instanceof ApiError) || !["INVALID_ARGUMENT", "FAILED_PRECONDITION"].includes(error.status)) return error;
  const suspects = changed.filter((property) => PERHAPS_IMMUTABLE.includes(property));
  if (suspects.length === 0) return error;
  return error.withHint(
    `If the API does not let ${suspects.join(" and ")} be changed in place, have the association replaced: ` +
      `set the resource option replaceOnChanges to [${suspects.map((each) => JSON.stringify(each)).join(", ")}], or run ` +
      "pulumi up --replace <urn>",
  );
}
