/** The internal members of the SDK exist, and have the meaning that this front expects. */
import * as pulumi from "@pulumi/pulumi";
import {
  childrenOf,
  isConfigSecret,
  isKnown,
  isLocalComponent,
  isMocked,
  parentOf,
  shortenTraces,
  typeOf,
  valueOf,
} from "./pulumi-internals";

const mocks: pulumi.runtime.Mocks = {
  call: () => ({}),
  newResource: ({ name }) => ({ id: name, state: {} }),
};

/** Like a program on the engine; nothing listens at the address, and nothing is sent. */
function connectToEngine(): void {
  pulumi.runtime.resetOptions("project", "stack", 1, "", "127.0.0.1:1", false, "organization");
}

describe("mocks", () => {
  test("a program on the engine is not mocked", () => {
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

  test("setMocks of another copy of the SDK, or in a minified bundle, also mocks the program", async () => {
    await jest.isolateModulesAsync(async () => {
      const other = (await import("@pulumi/pulumi")) as typeof pulumi;
      await other.runtime.setMocks(mocks);
      Object.defineProperty(other.runtime.getMonitor()?.constructor, "name", { value: "t" });
    });
    expect(isMocked()).toBe(true);
  });
});

describe("outputs", () => {
  test("valueOf returns the value of a known output", async () => {
    const output = pulumi.output({ name: Promise.resolve("a") });
    await expect(isKnown(output)).resolves.toBe(true);
    await expect(valueOf(output)).resolves.toEqual({ name: "a" });
  });

  test("valueOf returns undefined for an output that a preview does not know", async () => {
    const output = pulumi.output({ name: pulumi.unknown });
    await expect(isKnown(output)).resolves.toBe(false);
    await expect(valueOf(pulumi.output(pulumi.unknown))).resolves.toBeUndefined();
  });
});

test("returns a resource's type and children", async () => {
  await pulumi.runtime.setMocks(mocks);
  const parent = new pulumi.ComponentResource("test:index:Parent", "parent");
  expect(typeOf(parent)).toBe("test:index:Parent");
  expect(childrenOf(parent)).toEqual([]);
  const child = new pulumi.ComponentResource("test:index:Child", "child", {}, { parent });
  expect(childrenOf(parent)).toEqual([child]);
});

test("recognizes a secret setting", () => {
  pulumi.runtime.setAllConfig({ "perimeter:project": "a", "perimeter:location": "b" }, ["perimeter:project"]);
  expect(isConfigSecret("perimeter:project")).toBe(true);
  expect(isConfigSecret("perimeter:location")).toBe(false);
});

test("recognizes whether a component belongs to this process", async () => {
  await pulumi.runtime.setMocks(mocks);
  const parent = new pulumi.ComponentResource("test:index:Parent", "local");
  const child = new pulumi.ComponentResource("test:index:Child", "remote", {}, { parent }, true);
  expect([isLocalComponent(parent), isLocalComponent(child)]).toEqual([true, false]);
  expect(parentOf(child)).toBe(parent);
  class Thing extends pulumi.CustomResource {}
  expect(isLocalComponent(new Thing("test:index:Thing", "thing"))).toBe(false);
});

describe("stack traces while the SDK makes a resource", () => {
  class Thing extends pulumi.CustomResource {}
  class Base {
    constructor(readonly trace = new Error().stack) {}
  }
  class Derived extends Base {}
  const { prepareStackTrace } = Error;
  /** The functions of the SDK that format a stack trace while it makes a resource. */
  let formatting: Array<string | null | undefined> = [];
  const record = (_: Error, [frame]: NodeJS.CallSite[]): string => {
    formatting.push(frame?.getFunctionName());
    return "a trace";
  };
  const formattingOf = () => {
    formatting = [];
    new Thing("test:index:Thing", `thing-${Math.random()}`, { a: "x", b: "y" });
    return formatting;
  };
  beforeEach(async () => {
    await pulumi.runtime.setMocks(mocks);
    Error.prepareStackTrace = record;
  });
  afterEach(() => {
    Error.prepareStackTrace = prepareStackTrace;
  });

  test("the SDK formats none for properties, and does again afterwards", () => {
    const usual = formattingOf();
    expect(usual.filter((name) => name === "debuggablePromise").length).toBeGreaterThanOrEqual(8);
    const restore = shortenTraces(Base);
    expect(formattingOf()).toEqual(usual.filter((name) => name !== "debuggablePromise"));
    restore();
    expect(formattingOf()).toEqual(usual);
  });

  test("none of them names the base class, so the state gets the line of the program", () => {
    const named = (frames: NodeJS.CallSite[]) => frames.map((frame) => frame.getFunctionName() ?? "").join(" ");
    Error.prepareStackTrace = (_, frames) => named(frames.slice(0, 2));
    const restore = shortenTraces(Base);
    expect(new Derived().trace).toMatch(/^Derived (?!Base)/);
    restore();
    expect(new Derived().trace).toBe("Base Derived");
  });

  test("other errors have theirs", () => {
    shortenTraces(Base);
    expect(new Error("no").stack).toBe("a trace");
  });

  test("nothing changes where V8 formats them", () => {
    Reflect.set(Error, "prepareStackTrace", undefined);
    shortenTraces(Base);
    expect(Error.prepareStackTrace).toBeUndefined();
  });

  test("a function that a transformation installs stays", () => {
    const restore = shortenTraces(Base);
    const installed = () => "";
    Error.prepareStackTrace = installed;
    restore();
    expect(Error.prepareStackTrace).toBe(installed);
  });

  test("PULUMI_DEBUG_PROMISE_LEAKS keeps them", () => {
    process.env.PULUMI_DEBUG_PROMISE_LEAKS = "1";
    try {
      shortenTraces(Base);
      expect(formattingOf()).toContain("debuggablePromise");
    } finally {
      delete process.env.PULUMI_DEBUG_PROMISE_LEAKS;
    }
  });
});

test("the error names the member that a release of the SDK lacks", async () => {
  const output = pulumi.output("a");
  Object.defineProperty(output, "isKnown", { value: undefined });
  await expect(isKnown(output)).rejects.toThrow("the installed @pulumi/pulumi has no Output.isKnown");
});
