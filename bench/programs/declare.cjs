"use strict";
// The same associations for all programs: names and arguments. Programs make them in their own top level, so that the
// stack trace that Pulumi keeps of each resource is as short as a user's.
module.exports = Array.from({ length: Number(process.env.BENCH_COUNT) }, (_, at) => [
  `association-${at}`,
  {
    firewallEndpointAssociationId: `a-${at}`,
    // An endpoint takes 50.
    firewallEndpoint: `organizations/123456789/locations/us-central1-a/firewallEndpoints/e-${Math.floor(at / 50)}`,
    network: `projects/bench/global/networks/n-${at}`,
    location: "us-central1-a",
    project: "bench",
  },
]);
