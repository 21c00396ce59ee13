import { gunzipSync } from "node:zlib";
import { BadAnswerError, systemCodeOf } from "../core/errors";

/** Bytes. Far above the largest answer of the APIs (a policy has some tens of kB), and far below what would hurt a machine. */
export const LARGEST_ANSWER = 32 * 2 ** 20;

const utf8 = new TextDecoder();

/**
 * The text of an answer's body.
 *
 * @param encoding the header `content-encoding`. Only gzip is asked for.
 * @throws BadAnswerError where it unpacks to more than `LARGEST_ANSWER`, which another attempt would too. zlib's error where
 *   it is broken.
 */
export function boundedText(bytes: Buffer, encoding: string | undefined): string {
  return utf8.decode(bytes.length > 0 && encoding === "gzip" ? unpacked(bytes) : bytes);
}

function unpacked(bytes: Buffer): Buffer {
  try {
    // At once: for answers of a few kB, starting a stream costs more than unpacking.
    return gunzipSync(bytes, { maxOutputLength: LARGEST_ANSWER });
  } catch (error) {
    throw systemCodeOf(error) === "ERR_BUFFER_TOO_LARGE" ? tooLarge() : error;
  }
}

/** The error for an answer of more than `LARGEST_ANSWER` bytes, packed or not. */
export function tooLarge(): BadAnswerError {
  return new BadAnswerError(`the answer is larger than ${LARGEST_ANSWER / 2 ** 20} MiB, and no answer of the APIs is`);
}
