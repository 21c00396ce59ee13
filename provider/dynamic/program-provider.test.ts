/** A program that only declares resources starts without the modules for requests. */
import { fleet } from ".";
import { programProvider } from "./program-provider";

const mockLoaded: string[] = [];
jest.mock("../runtime/provider", () => {
  mockLoaded.push("runtime/provider");
  return jest.requireActual<object>("../runtime/provider");
});

test("the package loads the provider at its first use", () => {
  expect(fleet.v1beta.getScope).toBeDefined();
  expect(mockLoaded).toEqual([]);
  programProvider();
  expect(mockLoaded).toEqual(["runtime/provider"]);
});

test("uses with the same configuration and environment share a provider", () => {
  const provider = programProvider();
  expect(programProvider()).toBe(provider);
  process.env.PERIMETER_PROJECT_OF_TEST = "another environment";
  try {
    expect(programProvider()).not.toBe(provider);
  } finally {
    delete process.env.PERIMETER_PROJECT_OF_TEST;
  }
  expect(programProvider()).toBe(provider);
});
