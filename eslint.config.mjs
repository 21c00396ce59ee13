import eslint from "@eslint/js";
import prettier from "eslint-config-prettier";
import tseslint from "typescript-eslint";

/** Scripts that Node.js runs as they are: no TypeScript, and so no types to check. */
const scripts = ["**/*.cjs", "**/*.mjs"];
const tests = ["**/*.test.ts", "**/testing/**", "tests/**"];

/** Style and likely mistakes, with the types at hand. Which file may import which is in tools/dependency-cruiser.cjs. */
export default tseslint.config(
  {
    ignores: [
      "dist/",
      "bin/",
      "sdk/",
      "provider/dynamic/generated/",
      "emulator/console/generated/",
      "picture/generated/",
      ".cache/",
      "**/node_modules/",
      // What this imports is beside it in a copy of the tree only, where tests/docs/recipe.test.ts compiles it.
      "tests/docs/recipe/",
      // Imports an SDK that is generated where it runs: its types are not here.
      "examples/*-plugin-typescript/",
    ],
  },
  eslint.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      globals: { process: "readonly", console: "readonly", URL: "readonly" },
      // The program of `tsc --noEmit`, examples included: what one accepts, the other knows.
      parserOptions: {
        project: ["tsconfig.json", "emulator/console/page/tsconfig.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/no-non-null-assertion": "error",
      // `return promise` in a `try` would leave it before the promise fails, and its `catch` would see nothing.
      "@typescript-eslint/return-await": ["error", "error-handling-correctness-only"],
      // What was caught is passed on as it came, and the reason of an abort signal may be anything.
      "@typescript-eslint/only-throw-error": ["error", { allowThrowingAny: true, allowThrowingUnknown: true }],
      "@typescript-eslint/prefer-promise-reject-errors": [
        "error",
        { allowThrowingAny: true, allowThrowingUnknown: true },
      ],
      // What is taken apart here are objects that are written as literals (definitions, lifecycles, layers, clients of
      // generated code); none of their methods has a `this`.
      "@typescript-eslint/unbound-method": "off",
      // A `default` counts: many switches name some kinds and treat the others alike.
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: tests,
    rules: {
      // A test that is wrong about what is there fails, which is all that it has to do.
      "@typescript-eslint/no-non-null-assertion": "off",
      // Answers of HTTP and of programs are looked into by `expect`, which fails where they are not as they should be.
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
  { files: scripts, ...tseslint.configs.disableTypeChecked },
  {
    files: ["**/*.cjs"],
    languageOptions: {
      sourceType: "commonjs",
      globals: { require: "readonly", module: "writable", __dirname: "readonly" },
    },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
  prettier,
);
