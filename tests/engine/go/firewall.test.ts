import * as fs from "node:fs";
import * as path from "node:path";
import { repositoryRoot } from "../../support/engine";
import { LISTED_OUTPUTS, walkFirewall } from "../../support/firewall";
import { buildAhead, goEnvironment } from "../../support/go";
import { leftOut } from "../../support/test-all";
import { SDK_FOLDERS } from "../../../tools/generate/sdk";

const go = goEnvironment();

walkFirewall({
  example: "firewall-go",
  host: "go",
  missing: "missing" in go ? go.missing : undefined,
  // In `make test-all`, the engine builds the program at each run.
  prepare: () => ("missing" in go ? {} : { env: go.env, path: [go.bin] }),
  adapt: (project) => {
    // The copy is elsewhere, and its SDK is not.
    const module = path.join(project.dir, "go.mod");
    const sdk = path.join(repositoryRoot, SDK_FOLDERS.go);
    fs.writeFileSync(module, fs.readFileSync(module, "utf8").replace(`../../${SDK_FOLDERS.go}`, sdk));
    if (leftOut !== undefined && !("missing" in go)) buildAhead(go, project);
  },
  outputs: LISTED_OUTPUTS,
});
