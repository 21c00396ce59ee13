import { isCommand } from "../provider/command";

/** The entry of the plugin's bundle: it loads the code of the plugin or, in an executable, of the command, and runs it. */
/* eslint-disable @typescript-eslint/no-require-imports */
if (isCommand()) require("../cli/main");
else require("../provider/plugin/main");
