"use strict";
const { networksecurity } = require("pulumi-perimeter");

require("./declare")((name, args) => new networksecurity.v1beta1.FirewallEndpointAssociation(name, args));
