"use strict";
const { networksecurity } = require("pulumi-perimeter");

for (const [name, args] of require("./declare.cjs"))
  new networksecurity.v1beta1.FirewallEndpointAssociation(name, args);
