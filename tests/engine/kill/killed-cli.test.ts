import { walkKills } from "./kills";

// Whether the executable ends with its CLI depends on its runtime, and is in engine-gone.test.ts.
walkKills("CLI", ["the script for Node.js"]);
