import { Command } from "commander";
import { withColourOption } from "./colour-option";

test.each([
  [[], true],
  [["--no-colour"], false],
  [["--no-color"], false],
  [["--no-color", "--no-colour"], false],
])("%j: colour is %s", (args, colour) => {
  const command = withColourOption(new Command()).parse(args, { from: "user" });
  expect(command.opts()).toMatchObject({ colour });
  expect(command.helpInformation()).not.toContain("--no-color ");
});
