import eslint from "@eslint/js";
import prettier from "eslint-config-prettier";
import tseslint from "typescript-eslint";

/**
 * Imports point one way: fronts -> services -> iam, operations -> http -> core; the emulator stands alone.
 * Each entry: files below `layer` may not import from the `banned` folders.
 */
const layers = [
  {
    layer: "provider/core",
    banned: ["http", "operations", "iam", "services", "runtime", "schema", "dynamic", "plugin"],
  },
  { layer: "provider/http", banned: ["operations", "iam", "services", "runtime", "schema", "dynamic", "plugin"] },
  { layer: "provider/operations", banned: ["iam", "services", "runtime", "schema", "dynamic", "plugin"] },
  { layer: "provider/iam", banned: ["services", "runtime", "schema", "dynamic", "plugin"] },
  { layer: "provider/services", banned: ["runtime", "schema", "dynamic", "plugin"] },
  { layer: "provider/runtime", banned: ["schema", "dynamic", "plugin"] },
  { layer: "provider/schema", banned: ["runtime", "dynamic", "plugin"] },
  { layer: "provider/dynamic", banned: ["plugin", "schema"] },
  { layer: "provider/plugin", banned: ["dynamic"] },
];

export default tseslint.config(
  { ignores: ["dist/", "bin/", "sdk/", "node_modules/", "provider/dynamic/generated/", ".cache/", "**/node_modules/"] },
  eslint.configs.recommended,
  ...tseslint.configs.recommended,
  {
    languageOptions: { globals: { process: "readonly", console: "readonly", URL: "readonly" } },
    rules: {
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["**/*.cjs"],
    languageOptions: {
      sourceType: "commonjs",
      globals: { require: "readonly", module: "writable", __dirname: "readonly" },
    },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
  ...layers.map(({ layer, banned }) => ({
    files: [`${layer}/**/*.ts`],
    ignores: ["**/*.test.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              regex: `^(\\.\\./)+(provider/)?(${banned.join("|")})/`,
              message: `${layer} may not import from these layers (see docs/architecture.md)`,
            },
            { regex: "^(\\.\\./)+emulator", message: "The emulator and the provider share no code" },
          ],
        },
      ],
    },
  })),
  {
    files: ["emulator/**/*.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        { patterns: [{ regex: "^(\\.\\./)+provider", message: "The emulator and the provider share no code" }] },
      ],
    },
  },
  prettier,
);
