import { relative } from "node:path";
import { repositoryRoot } from "../../tests/support/engine";
import { record } from "../../tests/engine/earlier-versions/recording";
import { runTool } from "../run";

/** Records what this version writes to a state, with the cloud that belongs to it. `make record-states` runs it before a release. */

runTool("record-states", async () => {
  console.log(relative(repositoryRoot, await record()));
});
