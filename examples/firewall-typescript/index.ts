import { firewall } from "./firewall";

export = firewall();
