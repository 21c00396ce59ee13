import * as pulumi from "@pulumi/pulumi";
import { RandomUuid } from "@pulumi/random";
import { firewall } from "./firewall";

// A request id belongs to one create: another zone means another association, so another id.
const zone = new pulumi.Config().get("zone") ?? "";

export = firewall(new RandomUuid("request-id", { keepers: { zone } }).result);
