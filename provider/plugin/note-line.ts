import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { NOTE_KINDS, type Note } from "../core/note";

/** The last line of a process: it shares no more notes. */
export const ENDED = "ended";

/**
 * A note as a line of a file: `{kind} {key} {key without the project} {identity} {sealed project}`. The keys and the
 * identity are hashes already.
 *
 * @param key of the run, 32 bytes.
 */
export function lineOf({ kind, key: object, anyProject, identity, project }: Note, key: Buffer): string {
  return [kind, object, anyProject, identity, seal(project, key)].join(" ");
}

/**
 * The note in a line; undefined for a line without one, or with one of a kind that this version does not know.
 *
 * @throws Error where the project was sealed with another key.
 */
export function noteOf(line: string, key: Buffer): Note | undefined {
  const [word, object = "", anyProject = "", identity = "", project = ""] = line.split(" ");
  const kind = NOTE_KINDS.find((each) => each === word);
  return kind && { kind, key: object, anyProject, identity, project: unseal(project, key) };
}

/** AES-256-GCM. Other processes of the run must read the project's name, so that a hash would not do. */
function seal(text: string, key: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

function unseal(text: string, key: Buffer): string {
  const bytes = Buffer.from(text, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
}
