import { createServer, type AddressInfo, type Socket } from "node:net";

/** An HTTP proxy for tests. It refuses all requests, or opens tunnels and gives their data to the test. */
export class ScriptedProxy {
  /** The first line of each request: `CONNECT api.test:443 HTTP/1.1`. */
  readonly asked: string[] = [];
  /** The status and further headers of what it refuses. */
  refusal = "502 Bad Gateway";
  private readonly server = createServer((socket) => this.serve(socket));

  private constructor(private readonly receive: ((data: Buffer, socket: Socket) => void) | undefined) {}

  /** @param receive gets what is sent through a tunnel, and requests without one. Default: the proxy refuses both */
  static async start(receive?: (data: Buffer, socket: Socket) => void): Promise<ScriptedProxy> {
    const proxy = new ScriptedProxy(receive);
    await new Promise<void>((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
  }

  private serve(socket: Socket): void {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      const line = String(data).split("\r\n")[0] as string;
      const isTunnel = line.startsWith("CONNECT ");
      if (isTunnel || !this.receive) this.asked.push(line);
      if (!this.receive) socket.end(`HTTP/1.1 ${this.refusal}\r\nContent-Length: 0\r\n\r\n`);
      else if (isTunnel) socket.write("HTTP/1.1 200 OK\r\n\r\n");
      else this.receive(data, socket);
    });
  }
}
