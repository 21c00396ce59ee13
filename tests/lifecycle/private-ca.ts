/** A certificate authority that nobody knows, and a proxy that opens TLS with its certificates, as in a company's network. */
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import type { Socket } from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { createSecureContext, TLSSocket } from "node:tls";
import { forwarded, ScriptedServer } from "../support/scripted-server";

/** Why no certificates can be made here. */
export const missingOpenssl = spawnSync("openssl", ["version"]).status === 0 ? undefined : "no openssl on PATH";

export interface PrivateCa {
  /** Holds `ca.pem` and, for OpenSSL's search by hash, nothing else. */
  folder: string;
  /** The certificate of the authority. */
  file: string;
  /** The certificate and key of a server at `*.googleapis.com`, `localhost` and `127.0.0.1`. */
  server: { cert: Buffer; key: Buffer };
  remove(): void;
}

export function privateCa(): PrivateCa {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-ca-"));
  const folder = path.join(work, "certs");
  const file = path.join(folder, "ca.pem");
  fs.mkdirSync(folder);
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: work, stdio: ["ignore", "ignore", "pipe"] });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  fs.writeFileSync(path.join(work, "extensions"), "subjectAltName=DNS:*.googleapis.com,DNS:localhost,IP:127.0.0.1\n");
  openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", file, "-days", "2", "-subj", "/CN=perimeter test CA");
  openssl("req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=perimeter test server");
  const issuer = ["-CA", file, "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "extensions"];
  openssl("x509", "-req", "-in", "server.csr", ...issuer, "-out", "server.pem");
  const read = (name: string) => fs.readFileSync(path.join(work, name));
  return {
    folder,
    file,
    server: { cert: read("server.pem"), key: read("server.key") },
    remove: () => fs.rmSync(work, { recursive: true }),
  };
}

/** A proxy that ends TLS itself, and passes each request on to one server: the emulator stands in for all of Google's. */
export class TlsProxy {
  /** `METHOD https://host/path` of each request that came through. */
  readonly requests: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: ScriptedServer) {}

  static async start({ server: { cert, key } }: PrivateCa, target: string): Promise<TlsProxy> {
    const secureContext = createSecureContext({ cert, key });
    const server = await ScriptedServer.start((request) => {
      proxy.requests.push(`${request.method} https://${request.headers.host}${request.url.split("?")[0]}`);
      return forwarded(request, target);
    });
    const proxy = new TlsProxy(server);
    server.http.on("connect", (_request, socket: Socket) => {
      proxy.sockets.add(socket);
      socket.on("error", () => {});
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      const opened = new TLSSocket(socket, { isServer: true, secureContext });
      // Clients that do not know the authority end the handshake.
      opened.on("error", () => socket.destroy());
      server.http.emit("connection", opened);
    });
    return proxy;
  }

  get url(): string {
    return this.server.url;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await this.server.stop();
  }
}
