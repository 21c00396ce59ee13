import * as fs from "node:fs";
import * as path from "node:path";
import { engine, missingHost } from "../../support/engine";
import { walkFirewall, type Flavour } from "../../support/firewall";
import { PLUGIN_FORMS } from "../../support/plugin";
import { casesHere } from "../../support/test-all";

const YAML: Flavour = {
  example: "firewall-yaml",
  host: "yaml",
  missing: missingHost("yaml"),
  prepare: () => ({}),
  adapt: (project) => {
    // The YAML host that can be built is older than the engine, and knows this block under its former name only.
    if (engine().source !== "build") return;
    const program = path.join(project.dir, "Pulumi.yaml");
    fs.writeFileSync(program, fs.readFileSync(program, "utf8").replace(/^config:$/m, "configuration:"));
  },
  // YAML has no way to go through a list.
  outputs: {
    triggerBindings: [
      expect.objectContaining({ role: "roles/eventarc.viewer" }),
      expect.objectContaining({ role: "roles/eventarc.admin" }),
    ],
    gatewayBindings: [
      expect.objectContaining({ condition: expect.objectContaining({ title: "until-july" }) as unknown }),
      expect.objectContaining({ role: "roles/apigateway.admin" }),
    ],
    archiveBindings: [expect.objectContaining({ role: "roles/storage.admin" })],
  },
};

// The README of this example runs with the script (tests/engine/examples/readmes.test.ts).
const FORMS = casesHere(PLUGIN_FORMS, (form) => form === "the executable");

walkFirewall(YAML, FORMS);
