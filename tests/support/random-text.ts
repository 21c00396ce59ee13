import fc from "fast-check";

/**
 * Any character of Unicode, as the unit "binary" of `fc.string`, which makes a table of all of them first: that takes seconds.
 * fc's `webPath`, `webSegment` and `webQueryParameters` make it too.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

const plain = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@"];
const encoded = anyCharacter.map((character) =>
  [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
);
const urlText = (characters: readonly string[]) =>
  fc.string({
    unit: fc.oneof({ weight: 10, arbitrary: fc.constantFrom(...characters) }, { weight: 1, arbitrary: encoded }),
  });

/** A segment of a path in a URL. */
export const urlSegment = urlText(plain);
/** The path of a URL. */
export const urlPath = fc.array(urlSegment).map((segments) => segments.map((segment) => `/${segment}`).join(""));
/** The query of a URL. */
export const urlQuery = urlText([...plain, "/", "?"]);
