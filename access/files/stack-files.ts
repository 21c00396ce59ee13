import type { Values } from "../../provider/core/unknown";
import type { Policy } from "../../provider/iam/policy";

/** The files about a stack that `perimeter access --stack` writes beside its answer: an import file, and a seed. */

/** A resource of an import file: `importSpec` of pkg/cmd/pulumi/operations/import.go. */
export interface ImportedResource {
  type: string;
  name: string;
  id: string;
  /** A name of the table. Without it, the default provider imports the resource. */
  provider?: string;
  version?: string;
  pluginDownloadUrl?: string;
}

/** What `pulumi import --file` takes. */
export interface ImportFile {
  /** URNs by name. */
  nameTable: Record<string, string>;
  resources: ImportedResource[];
}

/** The types of an import file: of `@pulumi/gcp`, or of this provider. */
export type AdoptAs = "gcp" | "perimeter";

/** How a stack can take over the grants that it does not manage. */
export interface Adoption {
  file: ImportFile;
  /** What is not in the file, as sentences with the reason. */
  leftOut: string[];
}

/** A resource as a seed of the emulator has it: docs/emulator.md, "Seeds". */
export interface SeededResource {
  /** The API: `healthcare`. */
  service: string;
  /** Relative name. */
  name: string;
  /** As the API answers it. */
  body?: Values;
  policy?: Policy;
}

/** A copy of what a stack works with, for a rehearsal on the emulator. */
export interface StackSeed {
  resources: SeededResource[];
  /** What could not be read, as sentences. */
  unread: string[];
}
