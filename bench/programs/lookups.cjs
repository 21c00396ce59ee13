"use strict";
// Looks up BENCH_COUNT scopes at once, of which BENCH_DISTINCT are different.
const pulumi = require("@pulumi/pulumi");

const TOKEN = "perimeter:fleet/v1beta:getScope";
const getScope =
  process.env.BENCH_FRONT === "plugin"
    ? (args) => pulumi.runtime.invoke(TOKEN, args)
    : require("pulumi-perimeter").fleet.v1beta.getScope;

const asked = Array.from({ length: Number(process.env.BENCH_COUNT) }, (_, at) =>
  getScope({ project: "bench", location: "global", scopeId: `s-${at % Number(process.env.BENCH_DISTINCT)}` }),
);
module.exports = { found: Promise.all(asked).then((scopes) => scopes.filter(({ uid }) => uid).length) };
