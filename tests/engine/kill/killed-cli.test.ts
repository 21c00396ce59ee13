import { walkKills } from "./kills";

// Whether each form ends with its CLI depends on its runtime, and is in engine-gone.test.ts.
walkKills("CLI", ["the executable"]);
