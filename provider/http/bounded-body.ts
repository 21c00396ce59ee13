import { BadAnswerError, causesOf, systemCodeOf } from "../core/errors";

/** Bytes. Far above the largest answer of the APIs (a policy has some tens of kB), and far below what would hurt a machine. */
export const LARGEST_ANSWER = 32 * 2 ** 20;

/**
 * Reads a body to its end as text.
 *
 * @param body unpacked already.
 * @throws BadAnswerError as soon as it is larger than `LARGEST_ANSWER`, which another attempt would be too. The rest is not
 *   read.
 */
export async function boundedText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    // Leaving the loop early ends the stream, and with it the request.
    for await (const piece of body ?? []) {
      size += piece.byteLength;
      if (size > LARGEST_ANSWER) throw tooLarge();
      pieces.push(piece);
    }
  } catch (error) {
    throw isTooLargePacked(error) ? tooLarge() : error;
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}

function tooLarge(): BadAnswerError {
  return new BadAnswerError(`the answer is larger than ${LARGEST_ANSWER / 2 ** 20} MiB, and no answer of the APIs is`);
}

/** undici's code for more bytes on the wire than `maxResponseSize`. */
function isTooLargePacked(error: unknown): boolean {
  return causesOf(error).some((each) => systemCodeOf(each) === "UND_ERR_RES_EXCEEDED_MAX_SIZE");
}
