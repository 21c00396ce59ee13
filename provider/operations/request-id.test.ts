import fc from "fast-check";
import { NIL, validate } from "uuid";
import { createRequestId } from "./request-id";

const inputs = { project: "p", location: "z", network: "n", labels: { a: "1" } };

test("is a UUID that the API accepts, and always the same one for the same create", () => {
  const id = createRequestId(inputs, { identity: "urn" });
  expect([validate(id), id === NIL]).toEqual([true, false]);
  const { labels, ...others } = inputs;
  expect(createRequestId({ labels, ...others, requestId: undefined }, { identity: "urn" })).toBe(id);
  // Fixed for ever: a run of a newer release continues what an older one began.
  expect(id).toBe("fa7d2042-1c0d-5872-88b0-9b66628aa20a");
});

test("is another one for another create: other inputs, or another resource of another stack", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (network, otherNetwork, urn, otherUrn) => {
      fc.pre(network !== otherNetwork || urn !== otherUrn);
      expect(createRequestId({ ...inputs, network }, { identity: urn })).not.toBe(
        createRequestId({ ...inputs, network: otherNetwork }, { identity: otherUrn }),
      );
    }),
  );
});

test("is another one for a stack of the same name in another backend, and after another operation", () => {
  const of = (backend?: string, after?: string) => createRequestId(inputs, { identity: "urn", backend }, after);
  const ids = [of(), of("a"), of("b"), of(undefined, "a"), of("a", "a"), of("b", "a"), of("a", "b")];
  expect(new Set(ids).size).toBe(ids.length);
});
