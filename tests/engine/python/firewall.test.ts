import { LISTED_OUTPUTS, walkFirewall } from "../../support/firewall";
import { pythonSdk } from "../../support/plugin";
import { ensureVenv } from "../../support/python";

const python = ensureVenv();

walkFirewall({
  example: "firewall-python",
  host: "python",
  missing: "missing" in python ? python.missing : undefined,
  prepare: () => {
    if ("missing" in python) throw new Error(python.missing);
    return { path: [python.bin], env: { ...python.env, PYTHONPATH: pythonSdk(python) } };
  },
  outputs: LISTED_OUTPUTS,
});
