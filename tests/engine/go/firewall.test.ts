import * as fs from "node:fs";
import * as path from "node:path";
import { repositoryRoot } from "../../support/engine";
import { LISTED_OUTPUTS, walkFirewall } from "../../support/firewall";
import { buildAhead, goEnvironment } from "../../support/go";
import { SDK_FOLDERS } from "../../../tools/generate/sdk";

const go = goEnvironment();

walkFirewall({
  example: "firewall-go",
  host: "go",
  missing: "missing" in go ? go.missing : undefined,
  prepare: () => ("missing" in go ? {} : { env: go.env }),
  adapt: (project) => {
    if ("missing" in go) throw new Error(go.missing);
    // The copy is elsewhere, and its SDK is not.
    const module = path.join(project.dir, "go.mod");
    const sdk = path.join(repositoryRoot, SDK_FOLDERS.go);
    fs.writeFileSync(module, fs.readFileSync(module, "utf8").replace(`../../${SDK_FOLDERS.go}`, sdk));
    buildAhead(go, project);
  },
  outputs: LISTED_OUTPUTS,
});
