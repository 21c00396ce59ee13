import { defineConfig } from "vitest/config";

// With globals, one file of tests runs in vitest and in jest.
export default defineConfig({ test: { globals: true, include: ["*.test.ts"] } });
