import { commandOf, isCommand, isPluginRun, type Start } from "./command";

const start = (argv0: string, args: readonly string[], more: Partial<Start> = {}): Start => {
  return { argv0, args, environment: {}, isOneFile: true, ...more };
};

test.each([
  [["review", "--stack", "dev"], true],
  [["help"], true],
  // A mistyped command gets the command's error, and serves no engine.
  [["reveiw"], true],
  [[], false],
  [["127.0.0.1:4567"], false],
  [["[::1]:4567"], false],
  [["localhost:4567"], false],
  [["--logtostderr", "-v=9", "--tracing", "file:/tmp/trace", "127.0.0.1:4567"], false],
  [["--tracing", "review", "127.0.0.1:4567"], false],
  [["--help"], false],
])("pulumi-resource-perimeter with the arguments %j is the command: %p", (args, expected) => {
  expect(isCommand(start("/home/.pulumi/plugins/pulumi-resource-perimeter", args))).toBe(expected);
});

test.each([
  ["perimeter", []],
  ["./perimeter", ["--help"]],
  ["/usr/local/bin/perimeter", ["127.0.0.1:1"]],
  ["perimeter.exe", []],
])("a file with the name of the command is the command: %s %j", (argv0, args) => {
  expect(isCommand(start(argv0, args))).toBe(true);
});

test("the plugin's script for Node.js is the plugin, with any arguments", () => {
  expect(isCommand(start("node", ["review"], { isOneFile: false }))).toBe(false);
});

const ofScript = (script: string) => start("node", ["review"], { isOneFile: false, script });
const RUN = "pulumi plugin run --kind resource perimeter --";
const PULUMI = { PULUMI_RPC_TARGET: "127.0.0.1:1" };
const PLUGIN = "/opt/pulumi-resource-perimeter";

test.each([
  ["the npm package", start("node", ["review"], { isOneFile: false, environment: PULUMI }), "npx pulumi-perimeter"],
  ["the package of a project", ofScript("/srv/clinic/node_modules/.bin/pulumi-perimeter"), "npx pulumi-perimeter"],
  ["a package that another one brings", ofScript("/srv/clinic/node_modules/.bin/perimeter"), "npx pulumi-perimeter"],
  ["the package that is installed for a user", ofScript("/home/ada/.npm/bin/perimeter"), "perimeter"],
  ["that package under its other name", ofScript("/usr/local/bin/pulumi-perimeter"), "pulumi-perimeter"],
  ["a file named perimeter", start("./perimeter", ["review"]), "perimeter"],
  ["a file named perimeter that a plugin starts", start("perimeter", ["review"], { environment: PULUMI }), "perimeter"],
  ["the plugin's file with a command", start(PLUGIN, ["review"]), "pulumi-resource-perimeter"],
  ["pulumi plugin run", start(PLUGIN, ["review"], { environment: PULUMI }), RUN],
  ["a plugin that serves an engine", start(PLUGIN, ["127.0.0.1:1"]), RUN],
])("the messages of %s name the command that its user has", (_who, each, expected) => {
  expect(commandOf(each)).toBe(expected);
  expect(isPluginRun(each)).toBe(expected === RUN && each.args[0] === "review");
});
