"use strict";
const { networksecurity } = require("pulumi-perimeter");

require("./declare.cjs")((name, args) => new networksecurity.v1beta1.FirewallEndpointAssociation(name, args));
