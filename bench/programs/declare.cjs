"use strict";
// The same associations for all programs.
module.exports = (declare) => {
  for (let at = 0; at < Number(process.env.BENCH_COUNT); at++) {
    declare(`association-${at}`, {
      firewallEndpointAssociationId: `a-${at}`,
      firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
      network: `projects/bench/global/networks/n-${at}`,
      location: "us-central1-a",
      project: "bench",
    });
  }
};
