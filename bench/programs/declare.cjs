"use strict";
// The same associations for all programs.
module.exports = (declare) => {
  for (let at = 0; at < Number(process.env.BENCH_COUNT); at++) {
    declare(`association-${at}`, {
      firewallEndpointAssociationId: `a-${at}`,
      // An endpoint takes 50.
      firewallEndpoint: `organizations/123456789/locations/us-central1-a/firewallEndpoints/e-${Math.floor(at / 50)}`,
      network: `projects/bench/global/networks/n-${at}`,
      location: "us-central1-a",
      project: "bench",
    });
  }
};
