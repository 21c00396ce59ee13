/**
 * What a resource did or is about to do with an object. `declared`: its check passed. `held`: the engine's state has it.
 * `made`: a create that followed a check made it. `left`: its delete is over, whatever that did to the object.
 * `removing`, then `removed` or `kept`: its delete takes the object away from the cloud.
 */
export const NOTE_KINDS = ["declared", "held", "made", "left", "removing", "removed", "kept"] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

/** One line of what a run knows. Only whether keys and identities are equal matters, so that they may be hashes. */
export interface Note {
  readonly kind: NoteKind;
  /** Of the object. */
  readonly key: string;
  /** The key without the project, which may be spelled as a number or as an id. */
  readonly anyProject: string;
  /** The project as it is spelled, or "". */
  readonly project: string;
  /** Of the resource; "" where nobody knows. */
  readonly identity: string;
}

/** Carries notes between the provider processes of one run. */
export interface NoteSharing {
  /** Turns a text into what notes hold of it: the same text always into the same. */
  digest(text: string): string;
  share(note: Note): void;
  /** The notes of the other processes since the last call. */
  news(): Note[];
}

/** For a process that is the only one of its run. */
export const ALONE: NoteSharing = { digest: (text) => text, share: () => {}, news: () => [] };
