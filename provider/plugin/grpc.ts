import { setup as resolveIpAddresses } from "@grpc/grpc-js/build/src/resolver-ip";

/**
 * The server's part of `@grpc/grpc-js`. The library's index also loads the client, with name resolution and load balancing,
 * which is more than half of the library: each start of the plugin would wait for code that only log messages need.
 */
export { Status as status } from "@grpc/grpc-js/build/src/constants";
export { Metadata } from "@grpc/grpc-js/build/src/metadata";
export { Server } from "@grpc/grpc-js/build/src/server";
export { ServerCredentials } from "@grpc/grpc-js/build/src/server-credentials";

// The library's index also does this: without it, the server cannot parse its listening address.
resolveIpAddresses();
