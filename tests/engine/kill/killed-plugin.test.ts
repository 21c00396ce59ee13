import { walkKills } from "./kills";

walkKills("plugin");
