import fc from "fast-check";
import { NIL, validate } from "uuid";
import { createRequestId } from "./create";

describe("a request id that the provider makes", () => {
  const inputs = { project: "p", location: "z", network: "n", labels: { a: "1" } };
  const owner = { identity: "urn", backend: "file:///b" };

  test("is a UUID that the API accepts, and always the same for the same create", () => {
    const id = createRequestId(inputs, owner);
    expect([validate(id), id === NIL]).toEqual([true, false]);
    const { labels, ...others } = inputs;
    expect(createRequestId({ labels, ...others, requestId: undefined }, owner)).toBe(id);
    // It must never change: a run of a newer release continues what an older one began.
    expect(id).toBe("2f49d9b8-8bbb-591d-9445-879bfd042fa0");
  });

  test("differs for other inputs, and for another resource or stack", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (network, otherNetwork, urn, otherUrn) => {
        fc.pre(network !== otherNetwork || urn !== otherUrn);
        expect(createRequestId({ ...inputs, network }, { identity: urn })).not.toBe(
          createRequestId({ ...inputs, network: otherNetwork }, { identity: otherUrn }),
        );
      }),
    );
  });

  test("differs for a stack of the same name in another backend, and after another operation", () => {
    const of = (backend?: string, after?: string) => createRequestId(inputs, { identity: "urn", backend }, after);
    const ids = [of(), of("a"), of("b"), of(undefined, "a"), of("a", "a"), of("b", "a"), of("a", "b")];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
