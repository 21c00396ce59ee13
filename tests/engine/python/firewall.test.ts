import { LISTED_OUTPUTS, walkFirewall } from "../../support/firewall";
import { pythonSdk } from "../../support/plugin";
import { ensureVenv } from "../../support/python";
import { describeInAll } from "../../support/test-all";

const python = ensureVenv();

// tests/engine/examples/readmes.test.ts updates and destroys this example as its README says, and compares its outputs.
describeInAll("examples/firewall-python on the real engine", () =>
  walkFirewall({
    example: "firewall-python",
    host: "python",
    missing: "missing" in python ? python.missing : undefined,
    prepare: () => {
      if ("missing" in python) throw new Error(python.missing);
      return { path: [python.bin], env: { ...python.env, PYTHONPATH: pythonSdk(python) } };
    },
    outputs: LISTED_OUTPUTS,
  }),
);
