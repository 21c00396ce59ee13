"use strict";
/**
 * For jest's `setupFiles`: providers in a test's process trust the certificate authorities of the runtime alone. Tests speak to
 * this machine without TLS. To read the authorities that the environment names takes each suite 0.2 s of processor time, and
 * each new connection copies them. A process that a test starts inherits the environment as it was.
 */
for (const variable of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"]) delete process.env[variable];
