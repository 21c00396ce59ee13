import { walkKills } from "./kills";

walkKills("CLI");
