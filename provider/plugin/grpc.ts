import { setup as resolveIpAddresses } from "@grpc/grpc-js/build/src/resolver-ip";

/**
 * What a server takes of `@grpc/grpc-js`. The library's index loads its client too, with name resolution and load balancing,
 * which is more than the half of it: each start of the plugin would wait for code that only a log message needs.
 */
export { Status as status } from "@grpc/grpc-js/build/src/constants";
export { Metadata } from "@grpc/grpc-js/build/src/metadata";
export { Server } from "@grpc/grpc-js/build/src/server";
export { ServerCredentials } from "@grpc/grpc-js/build/src/server-credentials";

// As the index does: without it, the server cannot read the address that it is to listen at.
resolveIpAddresses();
