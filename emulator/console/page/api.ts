const PREFIX = "/_emulator/";

/** Only the emulator's own page has the token. Without it, the emulator refuses writes from a browser. */
const pageToken = document.querySelector<HTMLMetaElement>('meta[name="page-token"]')?.content ?? "";

/** An error response of the emulator, with a message for the user. */
export class RefusedError extends Error {}

export async function read<T>(route: string): Promise<T> {
  return (await answerOf(await fetch(PREFIX + route, { cache: "no-store" }))) as T;
}

export async function write(
  method: "POST" | "PUT" | "DELETE",
  route: string,
  body?: object | string,
): Promise<unknown> {
  const isText = typeof body === "string";
  const response = await fetch(PREFIX + route, {
    method,
    headers: {
      "Content-Type": isText ? "application/yaml" : "application/json",
      "X-Perimeter-Page-Token": pageToken,
    },
    body: body === undefined || isText ? body : JSON.stringify(body),
  });
  return answerOf(response);
}

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) {
    throw new RefusedError(messageIn(text) ?? `The emulator answered ${response.status}.`);
  }
  return JSON.parse(text);
}

function messageIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message;
  } catch {
    return undefined;
  }
}
