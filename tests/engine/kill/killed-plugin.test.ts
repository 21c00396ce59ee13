import { PLUGIN_FORMS } from "../../support/plugin";
import { walkKills } from "./kills";

walkKills("plugin", PLUGIN_FORMS);
