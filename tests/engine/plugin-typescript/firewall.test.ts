import { missingHost } from "../../support/engine";
import { LISTED_OUTPUTS, walkFirewall } from "../../support/firewall";
import { nodeSdk } from "../../support/plugin";

walkFirewall({
  example: "firewall-plugin-typescript",
  host: "nodejs",
  missing: missingHost("nodejs"),
  prepare: () => ({ nodeModules: undefined, packages: { "pulumi-perimeter-sdk": nodeSdk() } }),
  outputs: LISTED_OUTPUTS,
});
