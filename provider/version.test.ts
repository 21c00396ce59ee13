import { isAtLeast, lowestOf } from "./version";

test.each([
  ["20.19.0", "20.19.0", true],
  ["20.18.9", "20.19.0", false],
  ["22.0.0", "20.19.0", true],
  ["v3.250.0-dev.1", "3.142.0", true],
  ["3.99.9", "3.142.0", false],
  ["2.200.0", "3.142.0", false],
])("%s is at least %s: %p", (version, lowest, expected) => expect(isAtLeast(version, lowest)).toBe(expected));

test.each([
  [">=22", "22.0.0"],
  ["^3.142.0", "3.142.0"],
  [">=20.19.0", "20.19.0"],
])("the lowest version of %s is %s", (range, lowest) => expect(lowestOf(range)).toBe(lowest));
