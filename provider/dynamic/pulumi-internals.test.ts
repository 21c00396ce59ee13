/** What the SDK's type declarations leave out is there, and means what this front takes it for. */
import * as pulumi from "@pulumi/pulumi";
import { childrenOf, isConfigSecret, isKnown, isMocked, typeOf, valueOf } from "./pulumi-internals";

const mocks: pulumi.runtime.Mocks = {
  call: () => ({}),
  newResource: ({ name }) => ({ id: name, state: {} }),
};

/** As in a program that the engine runs; nothing listens at the address, and nothing is sent. */
function connectToEngine(): void {
  pulumi.runtime.resetOptions("project", "stack", 1, "", "127.0.0.1:1", false, "organization");
}

describe("mocks", () => {
  test("a program that the engine runs is not mocked", () => {
    connectToEngine();
    expect(pulumi.runtime.getMonitor()).toBeDefined();
    expect(isMocked()).toBe(false);
  });

  test("a program without an engine and without mocks is not mocked", () => {
    pulumi.runtime.resetOptions("project", "stack", 1, "", "", false, "organization");
    expect(isMocked()).toBe(false);
  });

  test("setMocks mocks the program", async () => {
    connectToEngine();
    await pulumi.runtime.setMocks(mocks);
    expect(isMocked()).toBe(true);
  });

  test("so it does from another copy of the SDK, and in a bundle that shortens names", async () => {
    await jest.isolateModulesAsync(async () => {
      const other = (await import("@pulumi/pulumi")) as typeof pulumi;
      await other.runtime.setMocks(mocks);
      Object.defineProperty(other.runtime.getMonitor()?.constructor, "name", { value: "t" });
    });
    expect(isMocked()).toBe(true);
  });
});

describe("outputs", () => {
  test("of a value", async () => {
    const output = pulumi.output({ name: Promise.resolve("a") });
    await expect(isKnown(output)).resolves.toBe(true);
    await expect(valueOf(output)).resolves.toEqual({ name: "a" });
  });

  test("of a value that a preview does not know", async () => {
    const output = pulumi.output({ name: pulumi.unknown });
    await expect(isKnown(output)).resolves.toBe(false);
    await expect(valueOf(pulumi.output(pulumi.unknown))).resolves.toBeUndefined();
  });
});

test("a resource's type and children", async () => {
  await pulumi.runtime.setMocks(mocks);
  const parent = new pulumi.ComponentResource("test:index:Parent", "parent");
  expect(typeOf(parent)).toBe("test:index:Parent");
  expect(childrenOf(parent)).toEqual([]);
  const child = new pulumi.ComponentResource("test:index:Child", "child", {}, { parent });
  expect(childrenOf(parent)).toEqual([child]);
});

test("a secret setting", () => {
  pulumi.runtime.setAllConfig({ "perimeter:project": "a", "perimeter:location": "b" }, ["perimeter:project"]);
  expect(isConfigSecret("perimeter:project")).toBe(true);
  expect(isConfigSecret("perimeter:location")).toBe(false);
});

test("what a release of the SDK lacks is named", async () => {
  const output = pulumi.output("a");
  Object.defineProperty(output, "isKnown", { value: undefined });
  await expect(isKnown(output)).rejects.toThrow("the installed @pulumi/pulumi has no Output.isKnown");
});
