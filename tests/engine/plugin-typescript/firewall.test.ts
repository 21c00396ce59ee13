import { missingHost } from "../../support/engine";
import { LISTED_OUTPUTS, walkFirewall } from "../../support/firewall";
import { nodeSdk } from "../../support/plugin";
import { leftOut } from "../../support/test-all";

walkFirewall({
  example: "firewall-plugin-typescript",
  host: "nodejs",
  missing: missingHost("nodejs"),
  prepare: () => ({
    nodeModules: undefined,
    packages: { "pulumi-perimeter-sdk": nodeSdk() },
    // tests/engine/examples/pages.test.ts checks the types of this program with a faster compiler.
    env: { TS_NODE_TRANSPILE_ONLY: String(leftOut !== undefined) },
  }),
  outputs: LISTED_OUTPUTS,
});
