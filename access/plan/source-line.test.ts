import { ownLine } from "./source-line";

const lineOf = (...positions: Array<string | undefined>) => {
  const line = ownLine({ stackTrace: positions.map((sourcePosition) => ({ sourcePosition })) });
  return line && `${line.file}:${line.line}`;
};

describe("the line of a resource", () => {
  test.each([
    ["TypeScript, with a column", "project:///index.ts#3,1", "index.ts:3"],
    ["Python, without a column", "project:///__main__.py#12", "__main__.py:12"],
    ["a subfolder", "project:///src/grants/owners.go#7", "src/grants/owners.go:7"],
    ["a name with encoded characters", "project:///a%20b/%C3%BC%23.ts#3,1", "a b/ü#.ts:3"],
    [
      "a folder whose name only begins like a folder of packages",
      "project:///sdk-users/vendor.ts#1",
      "sdk-users/vendor.ts:1",
    ],
  ])("is that of the first frame: %s", (_what, position, expected) => {
    expect(lineOf(position)).toBe(expected);
  });

  test.each([
    ["npm", "project:///node_modules/@pulumi/pulumi/resource.js#300,7"],
    ["npm, outside of the project", "project:///../../node_modules/@pulumi/pulumi/resource.js#300,7"],
    ["npm with pnpm", "project:///node_modules/.pnpm/x@1.0.0/node_modules/x/index.js#1,1"],
    ["npm with Yarn", "project:///.yarn/cache/x.zip/node_modules/x/index.js#1,1"],
    ["Python in a virtual environment", "project:///venv/lib/python3.11/site-packages/pulumi_gcp/iam.py#9"],
    ["Python on Windows", "project:///venv/Lib/site-packages/pulumi_gcp/iam.py#9"],
    ["Python of Debian", "project:///../usr/lib/python3/dist-packages/pulumi/resource.py#9"],
    ["Go's modules", "project:///.go/pkg/mod/github.com/pulumi/pulumi-gcp/sdk/v8@v8.0.0/go/gcp/iam.go#9"],
    ["Go's vendor folder", "project:///vendor/github.com/pulumi/pulumi-gcp/iam.go#9"],
    ["a generated SDK", "project:///sdks/perimeter/index.ts#9,1"],
    ["another folder", "project:///../shared/grants.ts#4,2"],
    ["a folder that leaves the project", "project:///a/../../shared/grants.ts#4,2"],
    ["an absolute path", "project:////usr/lib/go/src/runtime/proc.go#283"],
    ["another drive of Windows", "project:///D:/lib/grants.ts#4,2"],
    ["the runtime, which has no position", undefined],
    ["another scheme", "file:///index.ts#4"],
    ["no line", "project:///index.ts"],
    ["line 0", "project:///index.ts#0"],
    ["an invalid encoding", "project:///%E0%A4%A.ts#4"],
  ])("is not that of %s", (_what, position) => {
    expect(lineOf(position)).toBeUndefined();
    expect(lineOf(position, "project:///index.ts#8,1", "project:///main.ts#1,1")).toBe("index.ts:8");
  });

  test("of an engine without stack traces is the only position", () => {
    expect(ownLine({ sourcePosition: "project:///index.ts#3,1" })).toEqual({ file: "index.ts", line: 3 });
    expect(ownLine({ sourcePosition: "project:///index.ts#3,1", stackTrace: [] })).toEqual({
      file: "index.ts",
      line: 3,
    });
    expect(ownLine({ stackTrace: null })).toBeUndefined();
    expect(ownLine({})).toBeUndefined();
  });

  test("of a later engine with another form is unknown, and no error", () => {
    expect(ownLine({ sourcePosition: 3, stackTrace: [null, 3, { sourcePosition: {} }] })).toBeUndefined();
    expect(ownLine({ sourcePosition: "project:///index.ts#3,1", stackTrace: "text" })?.line).toBe(3);
  });
});
