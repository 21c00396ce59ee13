import { SERVICES, type Service } from "../control/config";

/** Names of hosts that the six APIs answer under, and the same below `localhost`. */
const HOST = new RegExp(
  `^(?<service>${SERVICES.join("|")})(\\.([a-z0-9-]+\\.rep|mtls)\\.googleapis\\.com|\\.googleapis\\.com|\\.localhost)$`,
);

/**
 * The API that a Host header names, such as `networksecurity.googleapis.com` or `networksecurity.localhost:8790`;
 * undefined for any other host, which names none.
 */
export function serviceOfHost(host: string | undefined): Service | undefined {
  const name = (host ?? "").toLowerCase().replace(/:\d+$/, "");
  return HOST.exec(name)?.groups?.service as Service | undefined;
}

/** Splits a path into the API that its first segment names, as in `/networksecurity/v1/projects/p`, and the rest. */
export function splitPrefix(path: string): { service?: Service; path: string } {
  const service = SERVICES.find((name) => path.startsWith(`/${name}/`));
  return service === undefined ? { path } : { service, path: path.slice(service.length + 1) };
}
