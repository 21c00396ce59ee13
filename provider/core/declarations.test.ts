import { Declarations, UNKNOWN_IDENTITY } from "./declarations";

const store = { url: "https://a/", name: "store" };

test("the newest declaration of a resource counts, others keep theirs", () => {
  const declarations = new Declarations();
  expect(declarations.add("a", "u")).toBe(true);
  expect(declarations.add("a", "u")).toBe(false);
  expect(declarations.add("a", "v")).toBe(true);
  expect(declarations.add("b", "u")).toBe(true);
  expect(["a", "b"].map((key) => declarations.has(key, "u"))).toEqual([false, true]);
  expect(declarations.has("a", "v")).toBe(true);
  // And back again.
  expect(declarations.add("a", "u")).toBe(true);
  expect(["a", "b"].map((key) => declarations.has(key, "u"))).toEqual([true, false]);
});

test("a resource that nobody knows withdraws nothing", () => {
  const declarations = new Declarations();
  declarations.add("a", UNKNOWN_IDENTITY);
  declarations.add("b", UNKNOWN_IDENTITY);
  expect(["a", "b"].map((key) => declarations.has(key, UNKNOWN_IDENTITY))).toEqual([true, true]);
  expect(declarations.isDeclarer(UNKNOWN_IDENTITY)).toBe(false);
});

test("what a resource has declared is listed once, until the last declaration of it is withdrawn", () => {
  const declarations = new Declarations<string>();
  for (const [key, identity] of [
    ["a", "u"],
    ["a", "v"],
    ["b", "w"],
  ] as const) {
    declarations.describe(store, key, key.toUpperCase());
    declarations.add(key, identity);
  }
  const list = declarations.on(store);
  expect(list).toEqual(["A", "B"]);
  declarations.add("elsewhere", "u");
  expect(declarations.on(store)).toBe(list);
  declarations.add("elsewhere", "v");
  expect(declarations.on(store)).toEqual(["B"]);
  expect(list).toEqual(["A", "B"]);
});

test("a declaration that comes without a description is on no list, and nobody's rival", () => {
  const declarations = new Declarations<string>();
  declarations.add("a", "u");
  expect(declarations.on(store)).toEqual([]);
  expect(declarations.rival(store, "b", "v")).toBeUndefined();
});

test("the rival is found behind other objects, those that only the resource itself declares among them", () => {
  const declarations = new Declarations<string>();
  for (const key of ["a", "b", "c"]) declarations.describe(store, key, key);
  declarations.add("a", "u");
  declarations.add("b", "v");
  expect(declarations.rival(store, "c", "u")).toBe("v");
  expect(declarations.rival(store, "b", "u")).toBeUndefined();
});
