import * as pulumi from "@pulumi/pulumi";
import { firewall } from "./firewall";

// For machines without @pulumi/random's plugin: the request id comes from the stack's configuration.
export = firewall(new pulumi.Config().require("requestId"));
